"""Associations between memories by a Gaussian mixture over similarities (MemGAS, Xu et al. 2025)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ITERATIONS = 100
_LEAST_VARIANCE = 1e-6


def accepted(scores: Floats) -> npt.NDArray[np.bool_]:
    """Split each row of scores by a mixture of two Gaussians, and return which belong to the one of larger mean.

    Expectation-maximisation from the row's least and largest score, all rows at once; a constant row is accepted whole.

    Args:
        scores: [m, c] finite.

    Example:
        >>> accepted(np.array([[0.9, 0.88, 0.2, 0.21, 0.19]])).tolist()
        [[True, True, False, False, False]]
    """
    low, high = scores.min(1, keepdims=True), scores.max(1, keepdims=True)
    mean = np.concatenate([low, high], 1)[:, :, None]  # [m, 2, 1]
    spread = np.maximum(scores.var(1), _LEAST_VARIANCE)
    variance = np.repeat(spread[:, None, None], 2, 1)
    share = np.full_like(mean, 0.5)
    x = scores[:, None, :]
    for _ in range(_ITERATIONS):
        log = np.log(share) - 0.5 * (np.log(variance) + (x - mean) ** 2 / variance)
        log -= log.max(1, keepdims=True)
        weight = np.exp(log)
        weight /= weight.sum(1, keepdims=True)  # [m, 2, c]
        total = weight.sum(2, keepdims=True) + 1e-12
        before = mean
        mean = (weight * x).sum(2, keepdims=True) / total
        variance = np.maximum((weight * (x - mean) ** 2).sum(2, keepdims=True) / total, _LEAST_VARIANCE)
        share = np.maximum(total / x.shape[2], 1e-9)
        if np.abs(mean - before).max() < 1e-6:
            break
    log = np.log(share) - 0.5 * (np.log(variance) + (x - mean) ** 2 / variance)
    upper = mean[:, 1, 0] >= mean[:, 0, 0]
    better = np.where(upper[:, None], log[:, 1] >= log[:, 0], log[:, 0] > log[:, 1])
    return better | (low == high)


def associate(vectors: npt.NDArray[np.float32], groups: Sequence[int], candidates: int = 30) -> npt.NDArray[np.int64]:
    """Link each memory with those of earlier groups that the mixture accepts among its nearest.

    Args:
        vectors: [n, d] unit rows.
        groups: [n] never decreasing, the session of each memory.
        candidates: how many nearest earlier memories are looked at; MemGAS looks at 30.

    Returns:
        int64 [2, E], each pair (later, earlier) once, ordered.
    """
    number = np.asarray(groups)
    found: list[npt.NDArray[np.int64]] = []
    for group in np.unique(number)[1:]:
        own = np.flatnonzero(number == group)
        earlier = int(np.searchsorted(number, group))
        cosine = vectors[own].astype(np.float64) @ vectors[:earlier].T.astype(np.float64)
        best = np.argsort(-cosine, axis=1, kind="stable")[:, :candidates]
        kept = accepted(np.take_along_axis(cosine, best, 1))
        row, column = np.nonzero(kept)
        pairs = np.stack([own[row], best[row, column]])
        found.append(pairs[:, np.lexsort((pairs[1], pairs[0]))])
    return np.concatenate(found, 1) if found else np.zeros((2, 0), np.int64)
