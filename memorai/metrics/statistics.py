"""Means with bootstrap intervals, and paired tests, for questions that are clustered by conversation.

Questions of one conversation share its turns, so they are not independent draws. Both the bootstrap and the permutation
test therefore draw whole conversations: resampling (or sign-flipping) single questions would make intervals too narrow.
With few conversations (LoCoMo has 10) a percentile interval is still somewhat narrow: read it as a lower bound.

If all values come from one conversation there is nothing to resample between, and questions are drawn instead; such an
interval speaks of that conversation only. If every conversation has one question (LongMemEval) the two coincide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

MACRO = "macro"
WEIGHTED = "weighted"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over n questions with its interval; lo and hi are None where no resampling was asked for."""

    category: str
    value: float
    lo: float | None
    hi: float | None
    n: int


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Result of `paired_permutation`: mean of a - b, two-sided p, how many units were flipped, exact or sampled."""

    difference: float
    p_value: float
    units: int
    exact: bool


def aggregate(
    values: Sequence[float] | Floats,
    categories: Sequence[str],
    clusters: Sequence[str],
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    order: Sequence[str] = (),
) -> list[Estimate]:
    """Average per question values within and over categories, with percentile bootstrap intervals.

    `macro` is the mean of the category means, `weighted` the mean over questions. A category that no drawn conversation
    holds is left out of that resample's macro mean. A category that lives in one conversation only gets its own
    interval by drawing its questions, since drawing conversations would give it no width. The same seed and number of
    conversations give the same draws, so that systems are compared on the same resamples.

    Args:
        values: [Q] finite.
        categories: [Q] category of each question.
        clusters: [Q] conversation of each question.
        n_resamples: bootstrap draws; 0 for no intervals.
        seed: of the draws.
        confidence: coverage of the interval, in (0, 1).
        order: categories in the order wanted; those not named follow sorted.

    Returns:
        One estimate a category, then ``macro``, then ``weighted``.

    Raises:
        ValueError: lengths differ, no value, a value that is not finite, or a category called macro or weighted.
    """
    numbers, names = _checked(values, categories, clusters, order)
    if n_resamples < 0 or not 0.0 < confidence < 1.0:
        raise ValueError(f"n_resamples must be >= 0 and confidence in (0, 1): {n_resamples}, {confidence}")
    column = {name: index for index, name in enumerate(names)}
    kinds = np.array([column[name] for name in categories])
    units, n_units = _units(clusters)

    sums, counts = _tables(numbers, units, kinds, n_units, len(names))  # [U, C] each
    means = sums.sum(0) / counts.sum(0)
    totals = counts.sum(0).astype(int)
    points = [*means, means.mean(), numbers.mean()]
    sizes = [*totals, totals.sum(), totals.sum()]
    labels = [*names, MACRO, WEIGHTED]
    if n_resamples == 0:
        return [Estimate(a, float(v), None, None, int(n)) for a, v, n in zip(labels, points, sizes, strict=True)]

    drawn = _draws(n_units, n_resamples, seed)  # [B, U]
    resampled = _resampled_means(drawn @ sums, drawn @ counts)  # [B, C + 2]
    for index in range(len(names)):
        if n_units > 1 and np.count_nonzero(counts[:, index]) == 1:
            own = numbers[kinds == index]
            resampled[:, index] = _draws(len(own), n_resamples, seed) @ own / len(own)
    tail = 50.0 * (1.0 - confidence)
    estimates = []
    for label, value, size, column_values in zip(labels, points, sizes, resampled.T, strict=True):
        seen = column_values[~np.isnan(column_values)]
        lo, hi = np.percentile(seen, [tail, 100.0 - tail]) if len(seen) else (None, None)  # never drawn: no interval
        estimates.append(Estimate(label, float(value), _float(lo), _float(hi), int(size)))
    return estimates


def paired_permutation(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Sequence[str],
    *,
    categories: Sequence[str] | None = None,
    n: int = 10_000,
    seed: int = 0,
) -> PairedTest:
    """Test whether two systems differ on the same questions, by flipping the sign of whole conversations.

    Under the null hypothesis a conversation's two scores could be swapped. With U conversations there are 2^U swaps:
    all are tried if that is no more than n, else n random ones (p then counts the observed one in, so it is never 0).
    The smallest p that 10 conversations can give is 2 / 1024. One conversation only: questions are swapped instead.

    Args:
        a: [Q] values of one system.
        b: [Q] values of the other, in the same order of questions.
        clusters: [Q] conversation of each question.
        categories: [Q] to test the macro difference (mean of category means); None for the mean over questions.
        n: most permutations to evaluate, >= 1.
        seed: of the random ones.

    Raises:
        ValueError: as for `aggregate`.
    """
    first, names = _checked(a, categories if categories is not None else ["all"] * len(a), clusters, ())
    second, _ = _checked(b, ["all"] * len(b), clusters, ())
    if n < 1:
        raise ValueError(f"n must be at least 1: {n}")
    weight = np.full(len(first), 1.0 / len(first))
    if categories is not None:
        sizes = {name: sum(kind == name for kind in categories) for name in names}
        weight = np.array([1.0 / (len(names) * sizes[kind]) for kind in categories])
    units, n_units = _units(clusters)
    parts = np.bincount(units, weights=weight * (first - second), minlength=n_units)  # [U], sums to the difference
    observed = parts.sum()
    exact = n_units < 63 and 2**n_units <= n
    if exact:
        signs = 1.0 - 2.0 * ((np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1)
    else:
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, n_units))
    # swaps that equal the observed difference but for rounding must count
    extreme = np.count_nonzero(np.abs(signs @ parts) >= abs(observed) - 1e-12 * np.abs(parts).sum())
    p_value = extreme / len(signs) if exact else (extreme + 1) / (n + 1)
    return PairedTest(float(observed), float(p_value), n_units, exact)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method (Holm 1979), in the order given.

    Raises:
        ValueError: a p-value outside [0, 1].
    """
    if not all(0.0 <= p <= 1.0 for p in p_values):
        raise ValueError(f"p-values must lie in [0, 1]: {list(p_values)}")
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def _checked(
    values: Sequence[float] | Floats, categories: Sequence[str], clusters: Sequence[str], order: Sequence[str]
) -> tuple[Floats, list[str]]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) == len(categories) == len(clusters):
        raise ValueError(
            f"lengths differ: {numbers.shape} values, {len(categories)} categories, {len(clusters)} clusters"
        )
    if not len(numbers):
        raise ValueError("nothing to average: no value")
    if not np.isfinite(numbers).all():
        raise ValueError("values must be finite")
    present = set(categories)
    if present & {MACRO, WEIGHTED}:
        raise ValueError(f"{MACRO!r} and {WEIGHTED!r} are names of averages, not of categories")
    return numbers, [*(name for name in dict.fromkeys(order) if name in present), *sorted(present.difference(order))]


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _units(clusters: Sequence[str]) -> tuple[npt.NDArray[np.int64], int]:
    """Number the units that are drawn: conversations, or questions if there is one conversation."""
    number = {name: index for index, name in enumerate(sorted(set(clusters)))}
    if len(number) == 1:
        return np.arange(len(clusters)), len(clusters)
    return np.array([number[cluster] for cluster in clusters], dtype=np.int64), len(number)


def _tables(
    values: Floats, units: npt.NDArray[np.int64], kinds: npt.NDArray[np.int64], n_units: int, n_kinds: int
) -> tuple[Floats, Floats]:
    cells, size = units * n_kinds + kinds, n_units * n_kinds
    sums = np.bincount(cells, weights=values, minlength=size).reshape(n_units, n_kinds)
    counts = np.bincount(cells, minlength=size).reshape(n_units, n_kinds)
    return sums.astype(np.float64), counts.astype(np.float64)


def _resampled_means(sums: Floats, counts: Floats) -> Floats:
    """[B, C] sums and counts -> [B, C + 2] category means (NaN where absent), macro mean, weighted mean."""
    present = counts > 0
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=present)
    macro = means.sum(1) / present.sum(1)
    weighted = sums.sum(1) / counts.sum(1)
    return np.column_stack([np.where(present, means, np.nan), macro, weighted])


@lru_cache(maxsize=32)
def _draws(n_units: int, n_resamples: int, seed: int) -> Floats:
    """[B, U] how often each unit is drawn; cached since every metric of every system uses the same draws."""
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(n_units, np.full(n_units, 1.0 / n_units), size=n_resamples).astype(np.float64)
    draws.setflags(write=False)
    return draws
