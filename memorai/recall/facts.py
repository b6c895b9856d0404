"""Relations in memory: which hold at a time, and what that means for the turns that state them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memorai.recall.arrays import Growing

_EVER, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as the walk needs it: entities, interval in microseconds, and whether time matters to it."""

    subject: int
    object: int
    valid_from: int | None
    valid_to: int | None
    temporal: bool


class FactTable:
    """Relations by number, and the turns that state them."""

    def __init__(self) -> None:
        self._place: dict[int, int] = {}
        self._subject, self._object = Growing(np.int64), Growing(np.int64)
        self._begin, self._end = Growing(np.int64), Growing(np.int64)
        self._temporal = Growing(np.bool_)
        self._source_row, self._source_edge = Growing(np.int64), Growing(np.int64)

    def __len__(self) -> int:
        return len(self._place)

    def put(self, relation: int, edge: Edge) -> None:
        """Enter a relation, or what it has become."""
        begin = _EVER if edge.valid_from is None else edge.valid_from
        end = _NEVER if edge.valid_to is None else edge.valid_to
        values = (edge.subject, edge.object, begin, end, edge.temporal)
        arrays = (self._subject, self._object, self._begin, self._end, self._temporal)
        place = self._place.setdefault(relation, len(self._subject))
        for array, value in zip(arrays, values, strict=True):
            if place == len(array):
                array.extend([value])
            else:
                array.view[place] = value

    def remove(self, relation: int) -> None:
        """Take a relation out: its place never holds."""
        place = self._place.pop(relation, None)
        if place is not None:
            self._begin.view[place], self._end.view[place], self._temporal.view[place] = _NEVER, _EVER, False

    def source(self, relation: int, row: int) -> None:
        """Enter a turn that states a relation."""
        place = self._place.get(relation)
        if place is not None:
            self._source_row.extend([row])
            self._source_edge.extend([place])

    def holding(self, at: int) -> tuple[Ints, Ints]:
        """Return subjects and objects of the relations that hold at a time, microseconds."""
        valid = self._valid(at)
        return self._subject.view[valid], self._object.view[valid]

    def factors(self, at: int, times: Ints, stale: float, later: float | None) -> npt.NDArray[np.float64] | None:
        """Return a factor for every turn, or None if all are 1.

        Args:
            at: the time asked for, microseconds.
            times: when each turn was said, microseconds.
            stale: factor of a turn that states facts in time, none of which holds.
            later: factor of a turn said after ``at`` that states none that holds; None = it does not matter.
        """
        timed = self._temporal.view[self._source_edge.view]
        if not timed.any() and later is None:
            return None
        rows, edges = self._source_row.view[timed], self._source_edge.view[timed]
        stated, true = np.zeros(times.size, bool), np.zeros(times.size, bool)
        stated[rows] = True
        true[rows[self._valid(at)[edges]]] = True
        out = np.ones(times.size)
        if later is not None:
            out[(times > at) & ~true] = later
        out[stated & ~true] = stale
        return out

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        relations = np.full(len(self._subject), -1, dtype=np.int64)
        relations[list(self._place.values())] = list(self._place)
        return {
            "relations": relations,
            "subject": self._subject.view,
            "object": self._object.view,
            "begin": self._begin.view,
            "end": self._end.view,
            "temporal": self._temporal.view,
            "source_row": self._source_row.view,
            "source_edge": self._source_edge.view,
        }

    @classmethod
    def restore(cls, arrays: dict[str, npt.NDArray[Any]]) -> FactTable:
        """The table of `arrays`."""
        made = cls()
        made._place = {n: place for place, n in enumerate(arrays["relations"].tolist()) if n >= 0}
        for name in ("subject", "object", "begin", "end", "source_row", "source_edge"):
            setattr(made, f"_{name}", Growing(np.int64, arrays[name]))
        made._temporal = Growing(np.bool_, arrays["temporal"])
        return made

    def _valid(self, at: int) -> npt.NDArray[np.bool_]:
        return (self._begin.view <= at) & (at < self._end.view)
