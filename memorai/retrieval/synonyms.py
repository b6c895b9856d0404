"""Edges between entities whose names mean nearly the same, beside the weights of the other edges."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.graph.schema import ENTITY
from memorai.index.vectors import top_k
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.pagerank import Block, WeightedBlock
from memorai.retrieval.weights import EdgeWeighter


class SynonymWeights:
    """Another weighter's edges, and undirected edges between entities of cosine >= ``threshold``, weighing it.

    HippoRAG 2 links a phrase to its nearest neighbours from 0.8 on (Gutierrez et al., 2025), fast-graphrag from 0.9 on.
    The vectors are those of the entities' texts: with ``describe: null`` in the system, of their names.

    Args:
        weights: of the graph's own edges.
        threshold: least cosine of an edge, in (0, 1].
        neighbours: most edges of an entity, so that the graph stays linear in its nodes (HippoRAG allows 2,047, which
            users met as quadratic growth).
    """

    def __init__(self, weights: EdgeWeighter, threshold: float = 0.8, neighbours: int = 20) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold={threshold} is not in (0, 1]")
        if isinstance(neighbours, bool) or not isinstance(neighbours, int) or neighbours < 1:
            raise ValueError(f"neighbours={neighbours} is not a whole number of at least 1")
        self.inner, self.threshold, self.neighbours = weights, threshold, neighbours

    def weights(self, view: QueryView, mask: Tensor) -> list[WeightedBlock]:
        """Return the inner blocks, and the synonyms in both directions."""
        blocks = self.inner.weights(view, mask)
        key = ("synonyms", self.threshold, self.neighbours)
        vectors = view.node_vectors(ENTITY)
        block = view.indexed.kept(key, lambda: self._block(view.indexed, vectors))
        if block.num_edges:
            allowed = mask[view.graph.rows(ENTITY)].double()
            blocks.append(WeightedBlock(block, allowed, allowed))
            blocks.append(blocks[-1].reversed())
        return blocks

    def _block(self, indexed: IndexedGraph, vectors: Tensor) -> Block:
        pairs: dict[tuple[int, int], float] = {}
        with indexed.watch("build"):
            for start in range(0, len(vectors), 1024):
                cosine = (vectors @ vectors[start : start + 1024].T).cpu()
                cosine[torch.arange(cosine.shape[1]) + start, torch.arange(cosine.shape[1])] = -1.0
                best = torch.from_numpy(top_k(cosine.numpy(), self.neighbours))
                value = cosine.gather(0, best)
                rank, column = torch.nonzero(value >= self.threshold, as_tuple=True)
                for i, j, w in zip(
                    best[rank, column].tolist(), (column + start).tolist(), value[rank, column].tolist(), strict=True
                ):
                    pairs[min(i, j), max(i, j)] = min(w, 1.0)
        ends = torch.tensor(sorted(pairs), dtype=torch.int64).reshape(-1, 2).T.contiguous()
        weight = torch.tensor([pairs[i, j] for i, j in sorted(pairs)], dtype=torch.float64)
        rows = indexed.graph.rows(ENTITY)
        place = indexed.device
        return Block(rows, rows, ends[0].to(place), ends[1].to(place), weight.to(place))
