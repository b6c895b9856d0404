"""Which nodes a query may walk on: a 0/1 mask [N, Q], so that all queries of a batch share one graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from memorai.graph.schema import EDGE_TYPES, ENTITY, MENTIONED_IN, PART_OF, RELATION, SNIPPET
from memorai.retrieval.indexed import RELATION_KIND, QueryView

_BY_NAME = {edge_type[1]: edge_type for edge_type in EDGE_TYPES}


class Subgraph(Protocol):
    """Chooses the nodes of each query's subgraph."""

    def mask(self, view: QueryView) -> Tensor:
        """Return bool [N, Q], True where the query may walk."""
        ...


class FullGraph:
    """Every node for every query."""

    def mask(self, view: QueryView) -> Tensor:
        """Return bool [N, Q], all True."""
        return view.everything()


class FacetSeeds:
    """The paper's multi-aspect seeds: the k best snippets, entities and relations by cosine.

    A relation seeds both its ends. Turns are not a facet. A k of 0 switches its facet off; a k beyond the number
    of nodes takes them all.

    Args:
        k_snippet: seeds among snippets; the paper does not report its k.
        k_entity: seeds among entities.
        k_relation: seeds among relations.
    """

    def __init__(self, k_snippet: int = 3, k_entity: int = 3, k_relation: int = 3) -> None:
        for name, k in (("k_snippet", k_snippet), ("k_entity", k_entity), ("k_relation", k_relation)):
            _check_count(name, k)
        self.k_snippet, self.k_entity, self.k_relation = k_snippet, k_entity, k_relation

    def seeds(self, view: QueryView) -> Tensor:
        """Return bool [N, Q], True on seeds."""
        graph = view.graph
        seeds = torch.zeros_like(view.everything())
        for node_type, k in ((SNIPPET, self.k_snippet), (ENTITY, self.k_entity)):
            if k and graph.sizes[node_type]:
                seeds[graph.rows(node_type)] = _top_mask(view.similarity(node_type), k)
        if self.k_relation and graph.relations:
            top = _top_mask(view.similarity(RELATION_KIND), self.k_relation).double()
            block = view.indexed.block(RELATION)
            named = torch.zeros(graph.sizes[ENTITY], len(view), dtype=torch.float64, device=view.device)
            for ends in (block.source, block.target):
                named.index_add_(0, ends, top)
            seeds[graph.rows(ENTITY)] |= named > 0
        return seeds


class FacetSubgraph:
    """The paper's G_q: multi-aspect seeds and everything within ``hops`` of them.

    Args:
        facets: chooses the seeds.
        hops: expansion steps, along and against edges.
        edges: names of the edge types that the expansion follows.
    """

    def __init__(
        self,
        facets: FacetSeeds,
        hops: int = 1,
        edges: Sequence[str] = (RELATION[1], MENTIONED_IN[1], PART_OF[1]),
    ) -> None:
        _check_count("hops", hops)
        for name in edges:
            if name not in _BY_NAME:
                raise ValueError(f"edges={edges}: known are {', '.join(_BY_NAME)}")
        self.facets, self.hops = facets, hops
        self.edges = [_BY_NAME[name] for name in edges]

    def mask(self, view: QueryView) -> Tensor:
        """Return bool [N, Q]: seeds and their neighbourhood."""
        reached = self.facets.seeds(view)
        for _ in range(self.hops):
            mass = reached.double()
            grown = mass.clone()
            for edge_type in self.edges:
                block = view.indexed.block(edge_type, static=False)
                grown[block.target_rows] += block.backward @ mass[block.source_rows]
                grown[block.source_rows] += block.forward @ mass[block.target_rows]
            reached = grown > 0
        return reached


def _check_count(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name}={value} is not a whole number >= 0")


def _top_mask(scores: Tensor, k: int) -> Tensor:
    """Mark the k best of each column [n, Q]; of equals the first wins, so that the choice never depends on sorting."""
    order = torch.sort(scores, dim=0, descending=True, stable=True).indices[:k]
    return torch.zeros_like(scores, dtype=torch.bool).scatter_(0, order, True)
