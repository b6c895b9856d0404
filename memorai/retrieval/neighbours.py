"""Values of turns moved along their session or pooled over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memorai.types import Turn


@dataclass(frozen=True)
class Sessions:
    """Which turns are of one session.

    Args:
        number: int [n], the session of each turn, counted in order.
        place: int [n], the turn's place in its session.
        starts: int [S], the first turn of each session.
    """

    number: np.ndarray
    place: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> Sessions:
        """Take the sessions of turns in conversation order, where those of a session stand together.

        Example:
            >>> a, b = Turn("1", "s1", "Ann", "Hi"), Turn("2", "s2", "Bob", "Hi")
            >>> Sessions.of([a, a, b]).place.tolist()
            [0, 1, 0]
        """
        ids = [turn.session_id for turn in turns]
        begins = np.array([i == 0 or ids[i - 1] != name for i, name in enumerate(ids)], dtype=bool)
        number, starts = np.cumsum(begins) - 1, np.flatnonzero(begins)
        return cls(number, np.arange(len(ids)) - starts[number], starts)

    def shifted(self, values: np.ndarray, by: int, outside: float = 0.0) -> np.ndarray:
        """Return the values [n, ...] of the turn ``by`` places later in the session (earlier if negative).

        Where there is none the value is ``outside``.
        """
        n = len(values)
        out = np.full_like(values, outside)
        here = np.arange(max(0, -by), max(0, min(n, n - by)))
        here = here[self.number[here] == self.number[here + by]]
        out[here] = values[here + by]
        return out

    def maximum(self, values: np.ndarray) -> np.ndarray:
        """Return the session's maximum at every turn: [n, ...]."""
        return np.maximum.reduceat(values, self.starts, axis=0)[self.number] if len(values) else values

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the session's mean at every turn: [n, ...]."""
        if not len(values):
            return values
        size = np.diff(np.append(self.starts, len(values))).reshape(-1, *[1] * (values.ndim - 1))
        return (np.add.reduceat(values, self.starts, axis=0) / size)[self.number]
