"""Local PageRank: the cost of a query depends on where its mass goes, not on the size of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from memorai.retrieval.pagerank import local_kernel as kernel
from memorai.retrieval.pagerank.local_graph import LocalGraph, real_array
from memorai.retrieval.pagerank.walk import check_damping

_FIRST_CAPACITY = 1 << 12
#: the threshold of the first sweep, and the factor by which it falls from sweep to sweep
_FIRST_LEVEL, _STEP = 0.01, 0.5


@dataclass(frozen=True)
class ItemVectors:
    """Vectors of the base items, in one or two tables: entities, then relations. Memory-mapped arrays are fine.

    Args:
        first: float32 or float16 [n, d], C order.
        second: more rows, or None.
        slope, offset, floor: similarity x becomes max(slope x + offset, floor), floor >= 0. The default is the clip at
            zero; (1/2, 1/2, 0) is the shift.
    """

    first: np.ndarray
    second: np.ndarray | None = None
    slope: float = 1.0
    offset: float = 0.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.floor < float("inf"):
            raise ValueError(f"floor={self.floor} is not finite and >= 0")
        for table in (self.first, self.second):
            if table is None:
                continue
            if table.ndim != 2 or table.dtype not in (np.float32, np.float16) or not table.flags.c_contiguous:
                raise ValueError(f"item vectors must be float32 or float16 [n, d] in C order, got {table.dtype}")
            if table.shape[1] != self.first.shape[1]:
                raise ValueError(f"item vectors differ in d: {self.first.shape[1]} and {table.shape[1]}")

    def __len__(self) -> int:
        return len(self.first) + (len(self.second) if self.second is not None else 0)


@dataclass(frozen=True)
class LocalScores:
    """The nodes that a query reached, their scores, and how far these may be off.

    Args:
        nodes: int64 [T], in the order in which they were reached.
        scores: float64 [T], each at most its node's exact score; all other nodes are scored 0.
        error: L1 distance between these scores and the exact ones, up to rounding.
        converged: False when the budget of edges ended the query before eps or tol was met.
        fallback: the seeds had no mass, which was replaced by equal parts.
        pushes: nodes pushed, repeats counted.
        edges: edges that mass was moved along, repeats counted.
        similarities: items whose similarity was needed.
    """

    nodes: np.ndarray
    scores: np.ndarray
    error: float
    converged: bool
    fallback: bool
    pushes: int
    edges: int
    similarities: int

    def dense(self, num_nodes: int) -> np.ndarray:
        """Return float64 [N]."""
        out = np.zeros(num_nodes)
        out[self.nodes] = self.scores
        return out

    def top(self, k: int, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return the k best nodes of [start, stop), best first; ties go to the smaller node.

        Raises:
            ValueError: k is no whole number of at least 0.
        """
        check_count(k, "k")
        inside = self.nodes >= start
        if stop is not None:
            inside &= self.nodes < stop
        nodes, scores = self.nodes[inside], self.scores[inside]
        if 0 < k < nodes.size:
            chosen = scores >= np.partition(scores, nodes.size - k)[nodes.size - k]
            nodes, scores = nodes[chosen], scores[chosen]
        return nodes[np.lexsort((nodes, -scores))[:k]]


class LocalPageRank:
    """Answers one query after another by forward push, in a workspace that is made once.

    It solves what `pagerank` solves, p = (1 - d) s + d (P_q^T p + (dangling mass of p) s), to within ``error``. A query
    allocates and clears nothing of size N. Not for concurrent use: give each thread an instance of its own, which costs
    4 bytes a node and 8 an item.

    Args:
        graph: structure and items.
        items: vectors of the base items; None when every query brings its similarities, or nothing is conditioned.

    Raises:
        ValueError: the number of vectors is not the graph's number of items.

    Example:
        >>> edges = LocalEdges(np.array([0, 1]), np.array([1, 0]), np.ones(2))
        >>> LocalPageRank(local_graph(2, [edges]))(np.array([0]), np.array([1.0]), damping=0.5, eps=1e-12).scores
        array([0.66666667, 0.33333333])
    """

    def __init__(self, graph: LocalGraph, items: ItemVectors | None = None) -> None:
        if items is not None and len(items) != graph.num_items:
            raise ValueError(f"{len(items)} item vectors for {graph.num_items} items")
        self.graph, self.items = graph, items
        total_items = graph.num_items + graph.num_groups
        self._work = kernel.Workspace(
            place=np.full(graph.num_nodes, -1, dtype=np.int32),
            similarity=np.full(total_items, -1.0),
            cached=np.empty(_FIRST_CAPACITY, dtype=np.int64),
            node=np.empty(_FIRST_CAPACITY, dtype=np.int64),
            degree=np.empty(_FIRST_CAPACITY, dtype=np.int64),
            mass=np.empty(_FIRST_CAPACITY),
            residual=np.empty(_FIRST_CAPACITY),
            first=np.empty(_FIRST_CAPACITY, dtype=np.int64),
            last=np.empty(_FIRST_CAPACITY, dtype=np.int64),
            edge_to=np.empty(_FIRST_CAPACITY, dtype=np.int32),
            edge_share=np.empty(_FIRST_CAPACITY),
            counts=np.zeros(8, dtype=np.int64),
            totals=np.zeros(3),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the graph and the workspace."""
        return self.graph.nbytes + sum(array.nbytes for array in self._work)

    def __call__(
        self,
        seeds: np.ndarray,
        mass: np.ndarray,
        query: np.ndarray | None = None,
        similarity: np.ndarray | None = None,
        damping: float = 0.85,
        eps: float = 1e-6,
        tol: float = 0.0,
        max_edges: int | None = None,
    ) -> LocalScores:
        """Score the neighbourhood of the seeds.

        Args:
            seeds: nodes [S]; repeats add up.
            mass: restart mass [S] >= 0, scaled here to sum 1.
            query: vector [d] that the items' vectors are multiplied with.
            similarity: [num_items] raw similarities instead of a query.
            damping: probability to follow an edge, in [0, 1).
            eps: no node keeps a residual above eps times its number of outgoing edges; smaller is more exact.
            tol: stop as soon as the residuals sum to this.
            max_edges: stop after moving mass along so many edges; None for no limit.

        Raises:
            ValueError: damping, eps, a seed, a mass, the query or a similarity is out of range, or weights overflow.
        """
        check_damping(damping)
        if not (isinstance(eps, Real) and 0 < eps < float("inf")):
            raise ValueError(f"eps={eps} is not a positive number")
        if not (isinstance(tol, Real) and tol >= 0):
            raise ValueError(f"tol={tol} is not a number of at least 0")
        if max_edges is not None:
            check_count(max_edges, "max_edges")
        seeds = np.asarray(seeds)
        restart, fallback = _restart(seeds, real_array(mass, "mass"), self.graph.num_nodes)
        source = self._similarities(query, similarity)
        limits = (float(damping), float(eps), float(tol), max_edges)
        try:
            return self._walk(seeds.astype(np.int64), restart, fallback, source, *limits)
        finally:
            kernel.reset(self._work)

    def _walk(
        self,
        seeds: np.ndarray,
        restart: np.ndarray,
        fallback: bool,
        source: kernel.Similarities,
        damping: float,
        eps: float,
        tol: float,
        max_edges: int | None,
    ) -> LocalScores:
        graph = self.graph
        self._reserve(seeds.size)
        kernel.start(seeds, restart, graph.indptr, max(eps, _FIRST_LEVEL), self._work)
        budget = np.iinfo(np.int64).max if max_edges is None else max_edges
        counts = self._work.counts
        structure = (graph.indptr, graph.target, graph.weight, graph.item, graph.group_indptr, graph.group_item)
        while (status := kernel.push(*structure, source, self._work, damping, eps, tol, budget, _STEP)) == kernel.FULL:
            self._make_room()
        if status == kernel.BAD_SIMILARITY:
            raise ValueError(f"the similarity of item {counts[kernel.WHERE]} is not finite")
        if status == kernel.BAD_WEIGHT:
            raise ValueError(f"the weights that leave node {counts[kernel.WHERE]} overflow float64")
        reached = int(counts[kernel.NODES])
        mass, residual = self._work.mass[:reached], self._work.residual[:reached]
        # what returns from dangling nodes restarts the same walk, so it only scales the result
        scale = float(mass.sum() + residual.sum())
        return LocalScores(
            nodes=self._work.node[:reached].copy(),
            scores=(mass + (1 - damping) * residual) / scale if reached else np.zeros(0),
            error=damping * float(residual.sum()) / scale if reached else 0.0,
            converged=status == kernel.DONE,
            fallback=fallback,
            pushes=int(counts[kernel.PUSHES]),
            edges=int(counts[kernel.MOVED]),
            similarities=int(counts[kernel.CACHED]),
        )

    def _similarities(self, query: np.ndarray | None, similarity: np.ndarray | None) -> kernel.Similarities:
        items = self.items or ItemVectors(np.empty((0, 1), dtype=np.float32))
        given, vector, unit = np.empty(0), np.empty(0, dtype=np.float32), 1.0
        if similarity is not None:
            similarity = real_array(similarity, "similarity")
            if similarity.shape != (self.graph.num_items,):
                raise ValueError(f"similarity has shape {similarity.shape}, expected [{self.graph.num_items}]")
            given = similarity
        elif self.graph.num_items:
            if query is None or self.items is None:
                raise ValueError("the weights depend on a query: give a query and item vectors, or similarities")
            query = real_array(query, "query")
            if query.shape != (items.first.shape[1],):
                raise ValueError(f"query has shape {query.shape}, expected [{items.first.shape[1]}]")
            _check_finite(query, "query")
            exponent = min(int(np.frexp(np.abs(query).max(initial=0.0))[1]), 1023)
            vector, unit = np.ldexp(query.astype(np.float64), -exponent).astype(np.float32), 2.0**exponent
        second = items.second if items.second is not None else items.first[:0]
        return kernel.Similarities(
            first=_bits(items.first),
            second=_bits(second),
            query=vector,
            scaled=vector * np.float32(2.0**112),
            given=given,
            unit=unit,
            num_items=self.graph.num_items,
            slope=float(items.slope),
            offset=float(items.offset),
            floor=float(items.floor),
        )

    def _reserve(self, seeds: int) -> None:
        while self._work.node.size < seeds:
            self._make_room()

    def _make_room(self) -> None:
        """Double everything that a query fills; what it has written stays."""
        fixed = ("place", "similarity", "counts", "totals")
        self._work = self._work._replace(
            **{
                name: np.concatenate([array, np.empty_like(array)])
                for name, array in self._work._asdict().items()
                if name not in fixed
            }
        )


def _restart(seeds: np.ndarray, mass: np.ndarray, num_nodes: int) -> tuple[np.ndarray, bool]:
    """Check the seeds and scale their mass to sum 1; all zero becomes equal parts, which is flagged."""
    if seeds.shape != mass.shape or seeds.ndim != 1 or (seeds.size and not np.issubdtype(seeds.dtype, np.integer)):
        raise ValueError(f"seeds {seeds.shape} {seeds.dtype} must be integers, as many as mass {mass.shape}")
    outside = (seeds < 0) | (seeds >= num_nodes)
    if outside.any():
        first = int(np.flatnonzero(outside)[0])
        raise ValueError(f"seed {first} is node {seeds[first]}, outside the graph's {num_nodes} nodes")
    bad = ~np.isfinite(mass) | (mass < 0)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(f"mass of seed {first} is {mass[first]}; it must be finite and >= 0")
    share = mass.astype(np.float64)
    top = share.max(initial=0.0)
    if top <= 0:
        return np.full(share.size, 1 / max(1, share.size)), True
    share /= top  # first, so that subnormal masses do not overflow in the division by their sum
    return share / share.sum(), False


def check_count(value: Any, name: str) -> None:
    """Raise ValueError unless a value is a whole number from 0 to what an int64 holds."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) <= np.iinfo(np.int64).max:
        raise ValueError(f"{name}={value} is not a whole number from 0 to 2**63 - 1")


def _check_finite(values: np.ndarray, name: str) -> None:
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name} at {first} is {values[first]}; it must be finite")


def _bits(table: np.ndarray) -> np.ndarray:
    plain = np.asarray(table)  # numba would compile again for a memory-mapped array
    return plain.view(np.uint16) if plain.dtype == np.float16 else plain
