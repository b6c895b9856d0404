"""The task of every engine: a memory-shaped graph, queries' similarities and seeds, and the measured residual."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from memorai.graph.schema import ENTITY, TURN
from memorai.graph.synthetic import MemoryShape, memory_shape, memory_vectors
from memorai.retrieval.pagerank.local_graph import LocalGraph, cosine_local_graph

TYPES = {"relation": 1.0, "mentioned_in": 1.0, "part_of": 1.0}
SEEDS = 20
DIM = 384
_ROWS = 65536


@dataclass
class Problem:
    """One graph and Q queries on it.

    Args:
        shape: nodes and forward edges.
        graph: all directed edges, by source; every engine sees these.
        vectors: entities, then relations: float16 [items, 384].
        queries: float32 [Q, 384].
        similarity: float32 [items, Q], cosines, clipped at 0 by whoever makes weights of them.
        seeds: int64 [Q, 20], the entities of the highest cosine.
        mass: [Q, 20], their clipped cosines scaled to sum 1.
    """

    shape: MemoryShape
    graph: LocalGraph
    vectors: np.ndarray
    queries: np.ndarray
    similarity: np.ndarray
    seeds: np.ndarray
    mass: np.ndarray

    @property
    def num_nodes(self) -> int:
        return self.graph.num_nodes

    @property
    def num_entities(self) -> int:
        return self.shape.sizes[ENTITY]

    @property
    def turns(self) -> tuple[int, int]:
        """First and last row, exclusive, of the turns."""
        return self.num_entities, self.num_entities + self.shape.sizes[TURN]

    def restart(self, query: int) -> np.ndarray:
        """float64 [N], sum 1."""
        out = np.zeros(self.num_nodes)
        out[self.seeds[query]] = self.mass[query]
        return out

    def edge_weights(self, query: int) -> np.ndarray:
        """Fresh weights of all directed edges for one query, float64 [E]: what a peer must be given."""
        graph = self.graph
        base = np.maximum(self.similarity[:, query], 0).astype(np.float64)
        factor = np.concatenate([base, self.means @ base, [1.0]])  # item -1, none, is the last
        return graph.weight * factor[graph.item]

    @cached_property
    def means(self) -> sp.csr_matrix:
        """[groups, items]: a group's mean; all zeros give exactly 0, so that a node without weights stays one."""
        graph = self.graph
        sizes = np.diff(graph.group_indptr)
        share = np.repeat(1 / np.maximum(sizes, 1), sizes)
        return sp.csr_matrix((share, graph.group_item, graph.group_indptr), (graph.num_groups, graph.num_items))

    @cached_property
    def source(self) -> np.ndarray:
        """int32 [E], every edge's source."""
        return np.repeat(np.arange(self.num_nodes, dtype=np.int32), np.diff(self.graph.indptr))

    @cached_property
    def transposed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows by target: indptr [N + 1], source of each entry [E], and the entry's place among the edges [E]."""
        order = np.argsort(self.graph.target, kind="stable").astype(np.int32)
        indptr = np.zeros(self.num_nodes + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.graph.target, minlength=self.num_nodes), out=indptr[1:])
        return indptr, self.source[order], order

    def step(self, query: int, damping: float) -> Step:
        """One application of the walk's equation, in float64."""
        weights = self.edge_weights(query)
        out = np.bincount(self.source, weights=weights, minlength=self.num_nodes)
        indptr, source, order = self.transposed
        matrix = sp.csr_matrix((weights[order], source, indptr), shape=(self.num_nodes,) * 2)
        return Step(matrix, out, self.restart(query), damping)

    def top_turns(self, scores: np.ndarray, k: int = 20) -> np.ndarray:
        """The k best turns [k]; ties go to the smaller row."""
        first, last = self.turns
        return np.argsort(-scores[first:last], kind="stable")[:k] + first


class Step:
    """F(p) = (1 - d) s + d (P^T p + (dangling mass of p) s)."""

    def __init__(self, matrix: sp.csr_matrix, out: np.ndarray, restart: np.ndarray, damping: float) -> None:
        self.matrix, self.restart, self.damping = matrix, restart, damping
        self.dangling = out <= 0
        self.inverse = np.where(self.dangling, 0.0, 1 / np.where(self.dangling, 1, out))

    def __call__(self, p: np.ndarray) -> np.ndarray:
        back = float(p[self.dangling].sum())
        moved = self.matrix @ (p * self.inverse)
        return (1 - self.damping + self.damping * back) * self.restart + self.damping * moved

    def residual(self, p: np.ndarray) -> float:
        """L1 norm of F(p) - p: what "stopped at 1e-6" means here for every engine."""
        return float(np.abs(self(p) - p).sum())

    def solve(self, tol: float) -> np.ndarray:
        """Iterate from the restart until the residual is at most tol."""
        p = self.restart
        while True:
            following = self(p)
            # the next iterate's residual is at most damping times this change
            if self.damping * np.abs(following - p).sum() <= tol:
                return following
            p = following


def make(num_nodes: int, queries: int, folder: Path, long_range: float, seed: int = 0) -> Problem:
    """Draw a problem; its vectors are a float16 file in ``folder``, memory-mapped."""
    shape = memory_shape(num_nodes, seed, long_range)
    graph = cosine_local_graph(shape.sizes, shape.edges, TYPES)
    path = folder / f"vectors-{num_nodes}.f16"
    vectors = np.memmap(path, dtype=np.float16, mode="w+", shape=(graph.num_items, DIM))
    entities = shape.sizes[ENTITY]
    memory_vectors(entities, DIM, seed + 1, out=vectors[:entities])
    memory_vectors(graph.num_items - entities, DIM, seed + 2, out=vectors[entities:])
    asked = _queries(vectors[:entities], queries, seed + 3)
    similarity = np.empty((graph.num_items, queries), dtype=np.float32)
    for start in range(0, graph.num_items, _ROWS):
        similarity[start : start + _ROWS] = vectors[start : start + _ROWS].astype(np.float32) @ asked.T
    seeds = np.stack([np.argpartition(-column, SEEDS)[:SEEDS] for column in similarity[:entities].T])
    mass = np.maximum(np.take_along_axis(similarity.T, seeds, axis=1), 0).astype(np.float64)
    mass /= mass.sum(1, keepdims=True)
    return Problem(shape, graph, vectors, asked, similarity, seeds, mass)


def _queries(entities: np.ndarray, count: int, seed: int) -> np.ndarray:
    """An entity's vector with noise, cosine about 0.8, for each query."""
    rng = np.random.default_rng(seed)
    near = entities[np.sort(rng.integers(len(entities), size=count))].astype(np.float32)
    noise = rng.standard_normal(near.shape, dtype=np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    mixed = 0.8 * near + 0.6 * noise
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
