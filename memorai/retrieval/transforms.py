"""From cosines in [-1, 1] to weights >= 0. The paper leaves negative cosines open; `Clip` is this project's reading."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from memorai.retrieval.scores import z_score


class Transform(Protocol):
    """Maps scores [n, Q] to weights >= 0 of the same shape, column by column."""

    def __call__(self, scores: Tensor) -> Tensor:
        """Return the weights."""
        ...


class Clip:
    """max(x, 0)."""

    def __call__(self, scores: Tensor) -> Tensor:
        """Return scores with negatives at 0."""
        return scores.clamp_min(0)


class Floor:
    """max(x, floor): no edge ever closes.

    Args:
        floor: least value, >= 0.
    """

    def __init__(self, floor: float = 0.05) -> None:
        if floor < 0:
            raise ValueError(f"floor={floor} is negative; weights are >= 0")
        self.floor = floor

    def __call__(self, scores: Tensor) -> Tensor:
        """Return scores, at least the floor."""
        return scores.clamp_min(self.floor)


class Shift:
    """(1 + x) / 2: keeps the order of negative cosines."""

    def __call__(self, scores: Tensor) -> Tensor:
        """Return shifted scores in [0, 1]."""
        return ((1 + scores) / 2).clamp_min(0)


class Softmax:
    """exp((x - max x) / temperature): the out-normalisation of the walk completes the softmax.

    Args:
        temperature: > 0; the smaller, the more goes to the best.
    """

    def __init__(self, temperature: float = 0.1) -> None:
        self.temperature = _positive(temperature)

    def __call__(self, scores: Tensor) -> Tensor:
        """Return weights in (0, 1], 1 at the maximum of each column."""
        top = scores.amax(0) if scores.shape[0] else scores.sum(0)
        return torch.exp((scores - top) / self.temperature)


class SoftmaxZ:
    """Softmax of z-scores: a temperature that means the same for cosines, BM25 and their sums.

    Args:
        temperature: > 0, in standard deviations of the scores; the smaller, the more goes to the best.
    """

    def __init__(self, temperature: float = 1.0) -> None:
        self.softmax = Softmax(temperature)

    def __call__(self, scores: Tensor) -> Tensor:
        """Return weights in (0, 1], 1 at the maximum of each column."""
        return self.softmax(z_score(scores))


class MinMax:
    """(x - min) / (max - min), as HippoRAG weights its passages; a constant column becomes 1."""

    def __call__(self, scores: Tensor) -> Tensor:
        """Return weights in [0, 1]."""
        if not scores.shape[0]:
            return scores
        low, high = scores.amin(0), scores.amax(0)
        return torch.where(high > low, (scores - low) / torch.where(high > low, high - low, 1), 1.0)


def _positive(temperature: float) -> float:
    number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    if not number or not 0 < temperature < float("inf"):
        raise ValueError(f"temperature={temperature} is not a positive number")
    return float(temperature)
