"""The numba kernels of a single query: weights multiplied out, then one scalar pass over the edges a step.

They follow the rules of `memorai.retrieval.pagerank.kernels`. Vectors of one element would do the same work two to
three times slower: the compiler keeps them in memory instead of registers.
"""

from __future__ import annotations

from typing import Any

from memorai.retrieval.pagerank.kernels import CHANGE, MASS, compiled, judge


@compiled
def multiply(product: Any, out: Any, place: Any, ends: Any, factors: Any) -> None:
    """Write the weights of a block's edges at their places in ``product``, and add them to ``out`` where they leave.

    Args:
        product: float64 [E], written.
        out: float64 [n_from], added to.
        place: [E_b], an edge's place in ``product``.
        ends: the node that each edge leaves and the one that it enters, [E_b] each.
        factors: of the node that an edge leaves [n_from, 1], of the one that it enters [n_to, 1], of the edge
            [E_b, 1], and its static weight [E_b]; empty for none.
    """
    leaves, enters = ends
    leaving, entering, value, static = factors
    for e in range(len(place)):
        weight = 1.0
        if len(leaving):
            weight *= leaving[leaves[e], 0]
        if len(entering):
            weight *= entering[enters[e], 0]
        if len(value):
            weight *= value[e, 0]
        if len(static):
            weight *= static[e]
        product[place[e]] = weight
        out[leaves[e]] += weight


@compiled
def divide(product: Any, out: Any, tiny: Any, column: Any, weight: Any) -> None:
    """Write ``weight`` = product / out of the node that an edge leaves; 0 where that is below ``tiny``.

    ``out`` [N] is replaced by its inverse.
    """
    for v in range(len(out)):
        out[v] = 1 / out[v] if out[v] >= tiny else 0.0
    for e in range(len(product)):
        weight[e] = product[e] * out[column[e]]


@compiled
def step(chunks: Any, first: Any, last: Any, omega: Any, fixed: Any, now: Any, following: Any, totals: Any) -> None:
    """Turn ``following`` into the next iterate, for some chunks of rows.

    Args:
        chunks: row at which each chunk starts, and the end.
        first: first chunk to do.
        last: the chunk after the last one.
        omega: mixing factor of the step.
        fixed: damping d; pointer [N + 1], column [E] and weight [E] of the edges by the node that they enter; restart
            [N]. Pointers and columns are unsigned: a signed index costs a test for counting from the end.
        now: iterate k [N].
        following: iterate k - 1, which becomes k + 1.
        totals: float64 [chunks * 2, 1], written: CHANGE and MASS of each chunk.
    """
    d, pointer, column, weight, restart = fixed
    (y,), (older,) = now, following
    number = y.dtype.type
    back, w = number(1) - d, number(omega)
    for chunk in range(first, last):
        change, mass = 0.0, 0.0
        start = pointer[chunks[chunk]]
        for v in range(chunks[chunk], chunks[chunk + 1]):
            stop, total = pointer[v + 1], number(0)
            for e in range(start, stop):
                total += weight[e] * y[column[e]]
            start = stop
            moved = back * restart[v] + d * total
            change += abs(moved - y[v])
            mixed = older[v] + w * (moved - older[v])
            older[v] = mixed
            mass += mixed
        totals[2 * chunk + CHANGE, 0] = change
        totals[2 * chunk + MASS, 0] = mass


@compiled
def run(
    omegas: Any,
    tol: Any,
    lost: Any,
    damping: Any,
    dangling: Any,
    chunks: Any,
    fixed: Any,
    now: Any,
    following: Any,
    totals: Any,
    residual: Any,
) -> int:
    """Take steps as `kernels.run` does.

    Written out again: a kernel that is handed another one cannot be cached between processes.
    """
    count = 0
    for omega in omegas:
        step(chunks, 0, len(chunks) - 1, omega, fixed, now, following, totals)
        count += 1
        if judge(totals, omega, damping, dangling, tol, lost, residual) or count == len(omegas):
            break
        now, following = following, now
    return count
