"""Count the products with the weights that ways of solving one PageRank need. No clock: a busy machine does not matter.

    python scripts/bench_acceleration.py --nodes 50000

Power iteration, quadratic extrapolation (Kamvar et al., WWW 2003, every tenth step), Gauss-Seidel sweeps, Chebyshev's
semi-iteration and conjugate gradients on the symmetric form D^-1/2 W D^-1/2, each until the L1 residual is 1e-6; and
for Chebyshev after which product the 20 best turns are final, and after which the error's bound proves it.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sp
from pagerank_bench import problem

RESIDUAL, MOST = 1e-6, 1000
Iterates = Iterator[np.ndarray]


def power(step: problem.Step) -> Iterates:
    p = step.restart
    while True:
        p = step(p)
        yield p


def quadratic(step: problem.Step) -> Iterates:
    last = [step.restart]
    while True:
        for _ in range(10):
            last = [*last[-3:], step(last[-1])]
            yield last[-1]
        start, *rest = last
        y = [x - start for x in rest]
        g = np.linalg.lstsq(np.stack(y[:2], 1), -y[2], rcond=None)[0]
        b0, b1 = g[0] + g[1] + 1, g[1] + 1
        mixed = np.maximum(b0 * rest[0] + b1 * rest[1] + rest[2], 0)
        last = [mixed / mixed.sum()]


def gauss_seidel(step: problem.Step) -> Iterates:
    matrix, y = step.matrix.tocsr(), step.restart.copy()
    while True:
        sweep(matrix.indptr, matrix.indices, matrix.data, step.inverse, step.restart, step.damping, y)
        yield y / y.sum()


@numba.njit
def sweep(indptr, indices, data, inverse, restart, d, y):  # type: ignore[no-untyped-def]
    for v in range(len(y)):
        total = 0.0
        for e in range(indptr[v], indptr[v + 1]):
            total += data[e] * inverse[indices[e]] * y[indices[e]]
        y[v] = (1 - d) * restart[v] + d * total


def chebyshev(step: problem.Step) -> Iterates:
    d, omega, old, y = step.damping, 1.0, 0 * step.restart, step.restart
    for k in range(MOST):
        omega = 1.0 if k == 0 else 1 / (1 - d**2 / 2) if k == 1 else 1 / (1 - omega * d**2 / 4)
        moved = (1 - d) * step.restart + d * (step.matrix @ (y * step.inverse))
        old, y = y, old + omega * (moved - old)
        yield y / y.sum()


def conjugate_gradients(step: problem.Step) -> Iterates:
    half = np.sqrt(step.inverse)
    symmetric = sp.diags(half) @ step.matrix @ sp.diags(half)
    z, r = np.zeros_like(half), (1 - step.damping) * half * step.restart
    direction, norm = r, r @ r
    back = np.divide(1, half, out=np.zeros_like(half), where=half > 0)
    while True:
        product = direction - step.damping * (symmetric @ direction)
        length = norm / (direction @ product)
        z, r = z + length * direction, r - length * product
        norm, before = r @ r, norm
        direction = r + norm / before * direction
        y = back * z
        yield y / y.sum()


METHODS: dict[str, Callable[[problem.Step], Iterates]] = {
    "power iteration": power,
    "quadratic extrapolation": quadratic,
    "Gauss-Seidel": gauss_seidel,
    "Chebyshev": chebyshev,
    "conjugate gradients": conjugate_gradients,
}


def products(step: problem.Step, method: Callable[[problem.Step], Iterates]) -> int:
    """Products until the residual is reached."""
    for count, p in enumerate(method(step), 1):
        if step.residual(p) <= RESIDUAL or count == MOST:
            return count
    return MOST


def settled(task: problem.Problem, step: problem.Step) -> tuple[int, float]:
    """Product after which Chebyshev's 20 best turns no longer change, and the one that proves it (inf: none does)."""
    first, last = task.turns
    final = task.top_turns(step.solve(1e-13))
    changed, proven = 0, math.inf
    for count, p in enumerate(chebyshev(step), 1):
        best = task.top_turns(p, 21)
        if set(best[:20]) != set(final):
            changed = count
        residual = step.residual(p)
        ahead = np.sort(p[first:last])[::-1]
        if math.isinf(proven) and ahead[19] - ahead[20] > 2 * residual / (1 - step.damping):
            proven = count
        if residual < 1e-12 or count == MOST - 1:
            break
    return changed + 1, proven


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        task = problem.make(options.nodes, options.queries, Path(folder), 0.1)
        print(f"{task.num_nodes} nodes, {task.graph.num_edges} directed edges, median of {options.queries} queries\n")
        print("| | d = 0.5 | d = 0.85 |\n|---|--:|--:|")
        steps = {d: [task.step(q, d) for q in range(options.queries)] for d in (0.5, 0.85)}
        for name, method in METHODS.items():
            found = [np.median([products(step, method) for step in some]) for some in steps.values()]
            print(f"| {name} | {found[0]:.0f} | {found[1]:.0f} |")
        pairs = [[settled(task, step) for step in some] for some in steps.values()]
        for place, name in enumerate(("top 20 final", "top 20 proven final")):
            found = [np.median([pair[place] for pair in some]) for some in pairs]
            print(f"| Chebyshev: {name} | {found[0]:.0f} | {found[1]:.0f} |")


if __name__ == "__main__":
    main()
