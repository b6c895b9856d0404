"""How good scores of a yes-or-no decision are: ranking (AUC), calibration (Brier, ECE), decisions at a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def auc(scores: Sequence[float] | Floats, gold: Sequence[bool] | Bools) -> float:
    """Return the area under the ROC curve: how often a positive scores above a negative, ties counting half.

    Raises:
        ValueError: one of the two classes is empty.
    """
    values, positive = np.asarray(scores, float), np.asarray(gold, bool)
    n, total = int(positive.sum()), len(positive)
    if not 0 < n < total:
        raise ValueError(f"the AUC needs both classes, not {n} positives of {total}")
    ranks = rankdata(values)
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (total - n)))


def brier(probabilities: Sequence[float] | Floats, gold: Sequence[bool] | Bools) -> float:
    """Return the mean squared error of probabilities (Brier 1950); 0 is best."""
    return float(np.mean((np.asarray(probabilities, float) - np.asarray(gold, float)) ** 2))


def expected_calibration_error(
    probabilities: Sequence[float] | Floats, gold: Sequence[bool] | Bools, bins: int = 10
) -> float:
    """Return the gap between mean probability and share of positives, averaged over bins of equal width by size.

    Naeini et al., AAAI 2015. A probability of 1 falls into the last bin.
    """
    p, y = np.asarray(probabilities, float), np.asarray(gold, float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    gaps = np.bincount(place, weights=p - y, minlength=bins)
    return float(np.abs(gaps).sum() / len(p))


def precision_recall_f1(kept: Sequence[bool] | Bools, gold: Sequence[bool] | Bools) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a decision; a value whose denominator is 0 is 0."""
    k, y = np.asarray(kept, bool), np.asarray(gold, bool)
    hit = int((k & y).sum())
    precision = hit / int(k.sum()) if k.any() else 0.0
    recall = hit / int(y.sum()) if y.any() else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hit else 0.0
