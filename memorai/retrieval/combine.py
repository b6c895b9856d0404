"""Scores made of scores: a weighted sum on a common scale, a product."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from memorai.retrieval.indexed import QueryView
from memorai.retrieval.scores import TurnScorer, check_mixture
from memorai.retrieval.transforms import MinMax


class MinMaxSum:
    """Weighted sum of scores, each scaled to [0, 1] a query.

    Args:
        scorers: what to fuse; they find every turn.
        weights: one a scorer; default 1 each.
    """

    def __init__(self, scorers: Sequence[TurnScorer], weights: Sequence[float] | None = None) -> None:
        self.scorers = list(scorers)
        self.weights = check_mixture([1.0] * len(self.scorers) if weights is None else weights, self.scorers, "scorers")

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]."""
        total = torch.zeros(len(view.graph.turns), len(view), dtype=torch.float64, device=view.device)
        for scorer, weight in zip(self.scorers, self.weights, strict=True):
            total += weight * MinMax()(scorer.score(view))
        return total


class ScoreProduct:
    """The product of scores >= 0.

    Args:
        scorers: at least one.
    """

    def __init__(self, scorers: Sequence[TurnScorer]) -> None:
        self.scorers = list(scorers)
        if not self.scorers:
            raise ValueError("scorers is empty; a product needs at least one")

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]."""
        total = self.scorers[0].score(view).clone()
        for scorer in self.scorers[1:]:
            total *= scorer.score(view)
        return total
