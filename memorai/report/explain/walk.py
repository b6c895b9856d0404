"""One query's walk as plain arrays: it can be solved again, taken apart into terms, and followed along its paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

#: L1 change at which an explanation's iteration stops: far below the 1e-6 to which page and Python agree
TOLERANCE = 1e-13
#: costs of two paths that differ by less are equal; the path then goes by the node with the smaller number
TIE = 1e-9


@dataclass(frozen=True)
class Walk:
    """N nodes, E directed edges, and what each edge weighs under each scheme.

    Args:
        source, target: int64 [E], numbers of nodes.
        kind: int64 [E], places in ``kinds``.
        kinds: names of the kinds of edges.
        weights: scheme -> float64 [E] >= 0; ``query`` is conditioned on the query, ``static`` what the graph stores,
            ``uniform`` one weight for each kind, ``own`` whatever else a system does.
        restart: float64 [N] >= 0, sums to 1 (seed mass).
        damping: the system's own, in [0, 1).
        scheme: the system's own.
        factor: float64 [N], by which a node's score is multiplied when turns are ranked; 1 if nothing does.
        texts: edge -> what a relation says.
    """

    source: Ints
    target: Ints
    kind: Ints
    kinds: tuple[str, ...]
    weights: Mapping[str, Floats]
    restart: Floats
    damping: float
    scheme: str
    factor: Floats
    texts: Mapping[int, str] = field(default_factory=dict)

    def solve(self, damping: float | None = None, scheme: str | None = None) -> Solved:
        """Solve p = (1 - d) s + d (P^T p + (dangling mass of p) s) for other values, or for the walk's own.

        Raises:
            ValueError: the damping is not in [0, 1), or there is no such scheme.
        """
        damping = self.damping if damping is None else damping
        scheme = self.scheme if scheme is None else scheme
        if not 0 <= damping < 1:
            raise ValueError(f"damping={damping} is not in [0, 1)")
        if scheme not in self.weights:
            raise ValueError(f"scheme={scheme!r}; there is {', '.join(self.weights)}")
        n, weight = len(self.restart), self.weights[scheme]
        out = np.bincount(self.source, weights=weight, minlength=n)
        probability = weight * np.divide(1.0, out, out=np.zeros(n), where=out > 0)[self.source]
        transposed = csr_matrix((probability, (self.target, self.source)), shape=(n, n))
        p, dangling = self.restart.copy(), out <= 0
        most = 2 + int(np.log(TOLERANCE / 2) / np.log(damping)) if damping > 0 else 1
        for _ in range(most):
            new = (1 - damping) * self.restart + damping * (transposed @ p + p[dangling].sum() * self.restart)
            change, p = float(np.abs(new - p).sum()), new
            if change <= TOLERANCE:
                break
        return Solved(self, damping, scheme, p, probability, float(p[dangling].sum()))


@dataclass(frozen=True)
class Terms:
    """What a node's score is the sum of: seed mass, mass returned from dead ends, and what came along edges.

    Args:
        restart: (1 - d) s.
        dangling: d m s, where m is the mass on nodes without outgoing weight.
        inflow: node -> d P p, largest first.
    """

    restart: float
    dangling: float
    inflow: tuple[tuple[int, float], ...]

    @property
    def total(self) -> float:
        """The score."""
        return self.restart + self.dangling + sum(amount for _, amount in self.inflow)


@dataclass(frozen=True)
class Path:
    """Nodes from a seed to a target, and the mass that reaches the target along exactly these steps."""

    nodes: tuple[int, ...]
    mass: float


@dataclass(frozen=True)
class Solved:
    """A walk's scores [N], which sum to 1, under one damping and scheme; the probability [E] of following each edge."""

    walk: Walk
    damping: float
    scheme: str
    scores: Floats
    probability: Floats
    dangling: float

    def terms(self, node: int) -> Terms:
        """Return the terms of a node's score."""
        into = np.flatnonzero((self.walk.target == node) & (self.probability > 0))
        sources, inverse = np.unique(self.walk.source[into], return_inverse=True)
        flow = self.damping * self.probability[into] * self.scores[self.walk.source[into]]
        amount = np.bincount(inverse, weights=flow, minlength=len(sources))
        order = np.lexsort((sources, -amount))
        seed = float(self.walk.restart[node])
        inflow = tuple((int(sources[i]), float(amount[i])) for i in order)
        return Terms((1 - self.damping) * seed, self.damping * self.dangling * seed, inflow)

    def paths(self, targets: tuple[int, ...]) -> dict[int, Path]:
        """Return the strongest path to each target that a walk from the seeds can reach.

        p is the sum over all paths u0 -> ... -> t of (1 - d) s(u0) times d P of each step (and of what dead ends
        return). The strongest path is the one with the largest summand: the shortest by -log, found by Dijkstra's
        algorithm. It may be the target alone. Parallel edges count as one step with their sum.
        """
        n = len(self.walk.restart)
        matrix = csr_matrix((self.probability, (self.walk.source, self.walk.target)), shape=(n, n))
        matrix.sum_duplicates()
        matrix.data *= self.damping
        matrix.eliminate_zeros()
        rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
        step = csr_matrix((-np.log(matrix.data), (rows, matrix.indices)), shape=(n, n))
        seed = (1 - self.damping) * self.walk.restart
        start = np.full(n, np.inf)
        start[seed > 0] = -np.log(seed[seed > 0])
        seeds = np.flatnonzero(seed > 0)
        # one more node, before all seeds; 1 on its edges keeps them apart from the zeros that a sparse matrix drops
        entry = csr_matrix((start[seeds] + 1, (np.zeros(len(seeds), int), seeds)), shape=(1, n))
        cost = dijkstra(_with_entry(step, entry), indices=n)[:n] - 1
        into = step.tocsc()
        found = {}
        for target in targets:
            if np.isfinite(cost[target]):
                nodes = _back(target, cost, start, into)
                found[target] = Path(tuple(nodes), float(np.exp(-cost[target])))
        return found


def _with_entry(step: csr_matrix, entry: csr_matrix) -> csr_matrix:
    n = step.shape[0]
    return csr_matrix(
        (
            np.concatenate([step.data, entry.data]),
            np.concatenate([step.indices, entry.indices]),
            np.append(step.indptr, step.nnz + entry.nnz),
        ),
        shape=(n + 1, n + 1),
    )


def _back(node: int, cost: Floats, start: Floats, into: csr_matrix) -> list[int]:
    """The nodes of the cheapest path; of equal ones a start comes first, then the smaller number."""
    nodes = [node]
    while start[node] > cost[node] + TIE * (1 + abs(cost[node])):
        column = slice(into.indptr[node], into.indptr[node + 1])
        before, total = into.indices[column], cost[into.indices[column]] + into.data[column]
        equal = before[total <= cost[node] + TIE * (1 + abs(cost[node]))]
        node = int(equal.min())
        nodes.insert(0, node)
    return nodes
