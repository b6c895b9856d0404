"""Relations in memory: which hold at a time, and what that means for the turns that state them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from memorai.recall.arrays import Growing

_EVER, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as the walk needs it: entities, interval in microseconds, and whether time matters to it."""

    subject: int
    object: int
    valid_from: int | None
    valid_to: int | None
    temporal: bool
    kind: int = -1  # in `memorai.write.predicates.KINDS`, -1 for none


@dataclass(frozen=True, slots=True)
class Focus:
    """What facts of the kind asked for say: what holds, what does not, and who states what holds.

    Args:
        objects: entities that facts name which hold at the time asked for.
        others: entities that only other facts name.
        rows: turns that state what holds.
    """

    objects: Ints
    others: Ints
    rows: Ints


class FactTable:
    """Relations by number, and the turns that state them."""

    def __init__(self) -> None:
        self._place: dict[int, int] = {}
        self._subject, self._object = Growing(np.int64), Growing(np.int64)
        self._begin, self._end = Growing(np.int64), Growing(np.int64)
        self._temporal, self._kind = Growing(np.bool_), Growing(np.int8)
        self._source_row, self._source_edge = Growing(np.int64), Growing(np.int64)
        self._timed: tuple[Ints, Ints] | None = None  # rows and edges to which time matters; None = to be made

    def __len__(self) -> int:
        return len(self._place)

    def put(self, relation: int, edge: Edge) -> None:
        """Enter a relation, or what it has become."""
        self._timed = None
        begin = _EVER if edge.valid_from is None else edge.valid_from
        end = _NEVER if edge.valid_to is None else edge.valid_to
        values = (edge.subject, edge.object, begin, end, edge.temporal, edge.kind)
        arrays = (self._subject, self._object, self._begin, self._end, self._temporal, self._kind)
        place = self._place.setdefault(relation, len(self._subject))
        for array, value in zip(arrays, values, strict=True):
            if place == len(array):
                array.extend([value])
            else:
                array.view[place] = value

    def remove(self, relation: int) -> None:
        """Take a relation out: its place never holds."""
        self._timed = None
        place = self._place.pop(relation, None)
        if place is not None:
            self._begin.view[place], self._end.view[place], self._temporal.view[place] = _NEVER, _EVER, False
            self._kind.view[place] = -1

    def source(self, relation: int, row: int) -> None:
        """Enter a turn that states a relation."""
        self._timed = None
        place = self._place.get(relation)
        if place is not None:
            self._source_row.extend([row])
            self._source_edge.extend([place])

    def holding(self, at: int, among: Ints) -> tuple[Ints, Ints]:
        """Return subjects and objects of the relations between different entities of some that hold at a time."""
        subject, object_ = self._subject.view, self._object.view
        if not among.size or not subject.size:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        present = np.zeros(1 + max(int(ends.max()) for ends in (among, subject, object_)), dtype=bool)
        present[among] = True
        places = np.flatnonzero(present[subject] & present[object_])
        valid = (self._begin.view[places] <= at) & (at < self._end.view[places])
        places = places[valid & (subject[places] != object_[places])]
        return subject[places], object_[places]

    def focus(self, kinds: Sequence[int], subjects: Ints, at: int, most: int) -> Focus | None:
        """Return what the facts of some kinds and subjects say at a time; None if nothing holds, or more than ``most``.

        Args:
            kinds: places in `KINDS`.
            subjects: entities; where none of them has such a fact, every subject counts.
            at: microseconds.
            most: with so many answers the question was not about one of them.
        """
        asked = np.flatnonzero(np.isin(self._kind.view, kinds))
        own = asked[np.isin(self._subject.view[asked], subjects)]
        chosen = own if own.size else asked
        valid = self._valid(at)[chosen]
        if not valid.any() or valid.sum() > most:
            return None
        true = chosen[valid]
        objects = np.unique(self._object.view[true])
        others = np.setdiff1d(self._object.view[chosen[~valid]], np.concatenate([objects, subjects]))
        rows = self._source_row.view[np.isin(self._source_edge.view, true)]
        return Focus(objects, others, np.unique(rows))

    def factors(self, at: int, times: Ints, stale: float, later: float | None) -> npt.NDArray[np.float64] | None:
        """Return a factor for every turn, or None if all are 1.

        Args:
            at: the time asked for, microseconds.
            times: when each turn was said, microseconds.
            stale: factor of a turn that states facts in time, none of which holds.
            later: factor of a turn said after ``at`` that states none that holds; None = it does not matter.
        """
        if self._timed is None:
            timed = self._temporal.view[self._source_edge.view]
            self._timed = self._source_row.view[timed], self._source_edge.view[timed]
        rows, edges = self._timed
        if not rows.size and later is None:
            return None
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
            "kind": self._kind.view,
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
        made._temporal, made._kind = Growing(np.bool_, arrays["temporal"]), Growing(np.int8, arrays["kind"])
        return made

    def _valid(self, at: int) -> npt.NDArray[np.bool_]:
        return (self._begin.view <= at) & (at < self._end.view)
