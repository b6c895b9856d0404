"""Where the walk restarts: mass [N, Q] >= 0 inside the query's subgraph. The engine scales each column to sum 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from memorai.graph.schema import ENTITY, MENTIONED_IN, NODE_TYPES, RELATION, TURN
from memorai.retrieval.indexed import RELATION_KIND, QueryView
from memorai.retrieval.scores import TurnScorer, check_mixture
from memorai.retrieval.subgraph import FacetSeeds
from memorai.retrieval.transforms import Clip, MinMax, Transform


class Restart(Protocol):
    """Gives each query its restart mass."""

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return float64 [N, Q] >= 0, zero outside the mask [N, Q]."""
        ...


class CosineRestart:
    """The paper's restart: every node of the subgraph by the cosine of its own text.

    Args:
        transform: what becomes of negative cosines, which the paper leaves open.
        node_types: which types restart; the paper says every node.
    """

    def __init__(self, transform: Transform | None = None, node_types: Sequence[str] = NODE_TYPES) -> None:
        self.transform: Transform = transform or Clip()
        self.node_types = list(node_types)
        for name in self.node_types:
            if name not in NODE_TYPES:
                raise ValueError(f"node_types={node_types}: known are {', '.join(NODE_TYPES)}")

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return transformed cosines [N, Q] inside the mask."""
        restart = view.zeros()
        for node_type in self.node_types:
            if view.graph.sizes[node_type]:
                restart[view.graph.rows(node_type)] = self.transform(view.similarity(node_type))
        return restart * mask


class FacetRestart:
    """All mass on the k seeds of each facet, by clipped cosine of the seed's text: as reviewers describe the paper."""

    def __init__(self, facets: FacetSeeds) -> None:
        self.facets = facets
        self.cosine = CosineRestart(Clip())

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return clipped cosines [N, Q] on seeds, zero elsewhere."""
        return self.cosine.mass(view, mask & self.facets.seeds(view))


class TurnRestart:
    """Mass on turns by any scorer: dense, BM25 or a fusion.

    Args:
        scorer: scores [n_turn, Q].
        transform: makes them weights, e.g. `SoftmaxZ`.
    """

    def __init__(self, scorer: TurnScorer, transform: Transform) -> None:
        self.scorer, self.transform = scorer, transform

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return the turns' weights, zero on other nodes: [N, Q]."""
        restart = view.zeros()
        restart[view.graph.rows(TURN)] = self.transform(self.scorer.score(view))
        return restart * mask


class UniformRestart:
    """The same mass on every node of the subgraph: PageRank without personalisation, the ablation's zero."""

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return 1 inside the mask: [N, Q]."""
        return mask.double()


class FactRestart:
    """HippoRAG 2's restart (Gutierrez et al., 2025): the best facts seed their entities, passages get a little each.

    An entity's mass is the mean score of the chosen facts that name it, divided by the number of turns that mention it;
    passages get ``passage_weight`` times their min-max scaled dense score. Facts are not filtered by an LLM here.

    Args:
        k_facts: facts that seed.
        passage_weight: HippoRAG's 0.05.
    """

    def __init__(self, k_facts: int = 5, passage_weight: float = 0.05) -> None:
        self.facts = FacetSeeds(k_snippet=0, k_entity=0, k_relation=k_facts)
        if isinstance(passage_weight, bool) or not isinstance(passage_weight, int | float):
            raise ValueError(f"passage_weight={passage_weight} is not a number")
        if not 0 <= passage_weight < float("inf"):
            raise ValueError(f"passage_weight={passage_weight} is not finite and >= 0")
        self.k_facts, self.passage_weight = k_facts, passage_weight

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return entity and turn mass [N, Q] inside the mask."""
        restart = view.zeros()
        graph = view.graph
        if graph.relations and self.k_facts:
            restart[graph.rows(ENTITY)] = self._entities(view)
        if graph.sizes[TURN]:
            passages = MinMax()(view.similarity(TURN))
            restart[graph.rows(TURN)] = self.passage_weight * passages
        return restart * mask

    def _entities(self, view: QueryView) -> Tensor:
        similarity = view.similarity(RELATION_KIND)
        order = torch.sort(similarity, dim=0, descending=True, stable=True).indices[: self.k_facts]
        chosen = torch.zeros_like(similarity).scatter_(0, order, 1.0)
        scores = MinMax()(similarity) * chosen
        block = view.indexed.block(RELATION, static=False)
        total = similarity.new_zeros(view.graph.sizes[ENTITY], len(view))
        count = torch.zeros_like(total)
        for ends in (block.source, block.target):
            total.index_add_(0, ends, scores)
            count.index_add_(0, ends, chosen)
        mentions = view.indexed.block(MENTIONED_IN, static=False)
        turns = torch.bincount(mentions.source, minlength=view.graph.sizes[ENTITY]).clamp_min(1)
        return total / count.clamp_min(1) / turns[:, None]


class RestartSum:
    """Weighted sum of restarts, each scaled to sum 1 a column first."""

    def __init__(self, restarts: Sequence[Restart], weights: Sequence[float]) -> None:
        self.restarts, self.weights = list(restarts), check_mixture(weights, restarts, "restarts")
        if min(self.weights, default=0.0) < 0:
            raise ValueError(f"weights {self.weights} of the restarts are not all >= 0")

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return the mixture [N, Q]."""
        total = view.zeros()
        for restart, weight in zip(self.restarts, self.weights, strict=True):
            mass = restart.mass(view, mask)
            column = mass.sum(0)
            total += weight * mass / torch.where(column > 0, column, 1)
        return total
