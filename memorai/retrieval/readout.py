"""From the walk's scores of all nodes to scores of turns."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from memorai.graph.schema import ENTITY, TURN
from memorai.retrieval.facts import FactIndex, Triples
from memorai.retrieval.indexed import QueryView


class Readout(Protocol):
    """Reads turn scores off a walk."""

    def turns(self, view: QueryView, scores: Tensor, mask: Tensor) -> Tensor:
        """Return [n_turn, Q] from node scores [N, Q] and the subgraph's mask [N, Q]; -inf is not found."""
        ...


class TurnNodes:
    """A turn's own score, where it lies in the subgraph."""

    def turns(self, view: QueryView, scores: Tensor, mask: Tensor) -> Tensor:
        """Return the turn rows."""
        rows = view.graph.rows(TURN)
        return scores[rows].masked_fill(~mask[rows], float("-inf"))


class ThroughRelations:
    """fast-graphrag's: a relation scores the sum of its ends, a turn the sum of the relations that it states.

    Entities below the threshold count nothing; turns without a scored relation are not found.

    Args:
        entity_threshold: least score of an entity, fast-graphrag's 0.005.
        k_relations: only so many best relations count, fast-graphrag's 64.
    """

    def __init__(self, entity_threshold: float = 0.005, k_relations: int = 64) -> None:
        self.entity_threshold, self.k_relations = entity_threshold, k_relations

    def turns(self, view: QueryView, scores: Tensor, mask: Tensor) -> Tensor:
        """Return the sums of relation scores."""
        facts = FactIndex.of(view.indexed, Triples())
        nothing = scores.new_full((len(view.graph.turns), len(view)), float("-inf"))
        if not len(facts):
            return nothing
        entities = scores[view.graph.rows(ENTITY)]
        relations = facts.about @ entities.masked_fill(entities < self.entity_threshold, 0.0)
        if len(facts) > self.k_relations:
            best = torch.sort(relations, dim=0, descending=True, stable=True).indices[: self.k_relations]
            relations = relations.new_zeros(relations.shape).scatter_(0, best, relations.gather(0, best))
        fact, turn = facts.stated
        sums = scores.new_zeros(nothing.shape).index_add_(0, turn, relations[fact])
        return sums.masked_fill(sums <= 0, float("-inf"))
