"""Edge weights: uniform, static, or conditioned on the query (MemORAI, Eq. 1).

A weight that depends on an edge's source alone cancels in the out-normalisation of the walk. Eq. 1 gives
entity -> turn the weight cos(q, entity), which is of that kind: with forward edges only and no relations the walk is
exactly the uniform one. It is the reverse edges that make it adaptive: turn -> entity carries cos(q, entity) too, so
that among a turn's entities the relevant ones draw the mass. Hence ``reverse="forward_weight"`` is the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import torch
from torch import Tensor

from memorai.graph.schema import EDGE_TYPES, ENTITY, MENTIONED_IN, PART_OF, RELATION, EdgeType
from memorai.retrieval.indexed import RELATION_KIND, QueryView
from memorai.retrieval.pagerank import WeightedBlock
from memorai.retrieval.pagerank.threads import suited_threads
from memorai.retrieval.transforms import Clip, Transform

Reverse = Literal["forward_weight", "uniform", "none"]


class EdgeWeighter(Protocol):
    """Gives every edge of the graph its weight for every query."""

    def weights(self, view: QueryView, mask: Tensor) -> list[WeightedBlock]:
        """Return weighted blocks; edges with an end outside the mask [N, Q] weigh 0."""
        ...


class UniformWeights:
    """Every edge of a type weighs the same.

    Args:
        types: factor of each edge type by name (``relation``, ``mentioned_in``, ``part_of``, ``next``); a type that is
            absent or 0 is left out.
        reverse: ``forward_weight`` walks back with the forward weight, ``uniform`` with the type's factor alone,
            ``none`` not at all.
    """

    static = False

    def __init__(self, types: Mapping[str, float], reverse: Reverse = "forward_weight") -> None:
        known = [edge_type[1] for edge_type in EDGE_TYPES]
        for name, factor in types.items():
            if name not in known:
                raise ValueError(f"unknown edge type {name!r}; known: {', '.join(known)}")
            if not 0 <= factor < float("inf"):
                raise ValueError(f"factor {factor} of edge type {name!r} is not finite and >= 0")
        if reverse not in ("forward_weight", "uniform", "none"):
            raise ValueError(f"reverse={reverse!r}; known: forward_weight, uniform, none")
        self.types, self.reverse = dict(types), reverse

    def weights(self, view: QueryView, mask: Tensor) -> list[WeightedBlock]:
        """Return forward and reverse blocks."""
        blocks = []
        allowed = mask.double()
        for edge_type in EDGE_TYPES:
            factor = self.types.get(edge_type[1], 0.0)
            if not factor or not view.graph.edges[edge_type].weight.size:
                continue
            block = view.indexed.block(edge_type, static=self.static)
            source = factor * allowed[block.source_rows]
            target = allowed[block.target_rows]
            from_source, value = self.condition(view, edge_type)
            weighed = source if from_source is None else source * from_source
            blocks.append(WeightedBlock(block, weighed, target, value))
            if self.reverse == "forward_weight":
                blocks.append(blocks[-1].reversed())
            elif self.reverse == "uniform":
                blocks.append(WeightedBlock(block, source, target, reverse=True))
        return blocks

    def condition(self, view: QueryView, edge_type: EdgeType) -> tuple[Tensor | None, Tensor | None]:
        """Return the query's factors of an edge type: by source node [n_source, Q], and by edge [E, Q]."""
        return None, None


class StaticWeights(UniformWeights):
    """Weights stored in the graph, the same for every query: a mention weighs what its extractor gave it (idf)."""

    static = True


class CosineWeights(UniformWeights):
    """Eq. 1: entity -> turn by cos(q, entity), relation by cos(q, relation), turn -> snippet by its entities' mean.

    Neighbour edges, which the paper does not have, keep their type's factor.

    Args:
        types: factor of each edge type.
        reverse: see `UniformWeights`.
        transform: what becomes of negative cosines.
        static: multiply by the graph's stored weights as well.
    """

    def __init__(
        self,
        types: Mapping[str, float],
        reverse: Reverse = "forward_weight",
        transform: Transform | None = None,
        static: bool = False,
    ) -> None:
        super().__init__(types, reverse)
        self.transform: Transform = transform or Clip()
        self.static = static

    def condition(self, view: QueryView, edge_type: EdgeType) -> tuple[Tensor | None, Tensor | None]:
        """Return Eq. 1's factors."""
        if edge_type == MENTIONED_IN:
            return self.transform(view.similarity(ENTITY)), None
        if edge_type == RELATION:
            return None, self.transform(view.similarity(RELATION_KIND))
        if edge_type == PART_OF:
            return self._mean_of_entities(view), None
        return None, None

    def _mean_of_entities(self, view: QueryView) -> Tensor:
        mentions = view.indexed.block(MENTIONED_IN, static=False)
        if not mentions.num_edges:
            return torch.zeros(mentions.num_targets, len(view), dtype=torch.float64, device=view.device)
        entities = torch.bincount(mentions.target, minlength=mentions.num_targets).clamp_min(1)
        cosine = self.transform(view.similarity(ENTITY))
        with suited_threads(cosine.numel()):
            return (mentions.backward @ cosine) / entities[:, None]
