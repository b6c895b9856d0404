"""Arrays that grow at the end at constant cost, and gathers of ragged rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class Growing:
    """An array that doubles when it is full.

    Args:
        dtype: of its items.
        start: what it holds at first.
    """

    def __init__(self, dtype: npt.DTypeLike, start: npt.ArrayLike = ()) -> None:
        first = np.asarray(start, dtype=dtype)
        self._array = first.copy() if first.size else np.empty(16, dtype=dtype)
        self._size = first.size

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> npt.NDArray[Any]:
        """What it holds; a view that later growth may leave behind."""
        return self._array[: self._size]

    def extend(self, values: npt.ArrayLike) -> None:
        """Append values."""
        new = np.asarray(values, dtype=self._array.dtype)
        need = self._size + new.size
        if need > self._array.size:
            grown = np.empty(max(need, 2 * self._array.size), dtype=self._array.dtype)
            grown[: self._size] = self.view
            self._array = grown
        self._array[self._size : need] = new
        self._size = need


def ragged(starts: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which row each place belongs to, and the places ``starts[i] .. starts[i] + sizes[i]`` of all rows.

    Example:
        >>> [array.tolist() for array in ragged(np.array([5, 0]), np.array([2, 1]))]
        [[0, 0, 1], [5, 6, 0]]
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    owner = np.repeat(np.arange(sizes.size), sizes)
    within = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return owner, np.asarray(starts, dtype=np.int64)[owner] + within


def top(scores: npt.NDArray[Any], k: int) -> npt.NDArray[np.int64]:
    """Return the places of the k highest scores, best first; ties go to the smaller place, -inf is left out."""
    k = min(k, scores.size)
    if k <= 0:
        return np.empty(0, dtype=np.int64)
    least = np.partition(scores, scores.size - k)[scores.size - k]
    above = np.flatnonzero(scores > least)
    # often the least is zero and shared by nearly all: only what is returned is sorted
    places = np.concatenate([above, np.flatnonzero(scores == least)[: k - above.size]])
    places = places[np.argsort(-scores[places], kind="stable")]
    return places[scores[places] > -np.inf]


def top_positive(scores: npt.NDArray[Any], k: int) -> npt.NDArray[np.int64]:
    """Return `top` of the scores above 0, which are few."""
    places = np.flatnonzero(scores > 0)
    return places[top(scores[places], k)]
