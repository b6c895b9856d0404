"""Which turns hold which items (index terms, entities): both directions, growing at the end.

The forward direction is one array. The backward direction is a list of sorted segments, as in a search engine: new rows
become a small segment, and neighbours of similar size are merged, so that a row is sorted again only some log(n) times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from memorai.recall.arrays import Growing, ragged

Ints: TypeAlias = npt.NDArray[Any]
#: two neighbours are merged unless the older is so many times as large
_RATIO = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows [first, last) by item: ``items`` sorted, the rows of item i at ``rows[starts[i]:starts[i + 1]]``."""

    first: int
    last: int
    items: Ints
    starts: Ints
    rows: Ints
    counts: Ints


class Incidence:
    """Rows and their items, each item once a row with a count.

    ``df`` [items] counts the rows that are in use; `drop` and `take` keep it.
    """

    def __init__(self) -> None:
        self._items, self._counts = Growing(np.int32), Growing(np.float32)
        self._starts = Growing(np.int64, [0])
        self._df = Growing(np.int64)
        self.segments: list[Segment] = []

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def df(self) -> Ints:
        """int64 [items]: rows in use that hold each item."""
        return self._df.view

    def append(self, sizes: Ints, items: Ints, counts: Ints, num_items: int) -> None:
        """Add rows: ``items`` and ``counts`` of all of them one after the other, ``sizes`` of each row."""
        self._items.extend(items)
        self._counts.extend(counts)
        self._starts.extend(self._starts.view[-1] + np.cumsum(sizes))
        self._df.extend(np.zeros(max(0, num_items - len(self._df)), dtype=np.int64))
        self._df.view[:] += np.bincount(items, minlength=len(self._df)) if len(items) else 0

    def settle(self) -> None:
        """Sort the rows that were added since, and merge segments."""
        first = self.segments[-1].last if self.segments else 0
        if first == len(self):
            return
        self.segments.append(self._sorted(first, len(self)))
        while len(self.segments) > 1:
            older, newer = self.segments[-2:]
            if older.rows.size > _RATIO * newer.rows.size + 64:
                break
            self.segments[-2:] = [self._sorted(older.first, newer.last)]

    def drop(self, rows: Ints) -> None:
        """Take rows out of the counts."""
        self._df.view[:] -= np.bincount(self.items_of(rows)[1], minlength=len(self._df))

    def take(self, rows: Ints) -> None:
        """Count rows again that were dropped."""
        self._df.view[:] += np.bincount(self.items_of(rows)[1], minlength=len(self._df))

    def items_of(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Return (place in ``rows``, item, count) of every item of the rows."""
        starts = self._starts.view
        owner, places = ragged(starts[rows], starts[np.asarray(rows) + 1] - starts[rows])
        return owner, self._items.view[places], self._counts.view[places]

    def rows_of(self, items: Ints) -> tuple[Ints, Ints, Ints]:
        """Return (place in ``items``, row, count) of every row of the items, rows out of use among them."""
        found: list[tuple[Ints, Ints, Ints]] = []
        for segment in self.segments:
            at = np.searchsorted(segment.items, items)
            at[at == segment.items.size] = 0
            there = np.flatnonzero(segment.items[at] == items) if segment.items.size else np.empty(0, np.int64)
            starts = segment.starts[at[there]]
            owner, places = ragged(starts, segment.starts[at[there] + 1] - starts)
            found.append((there[owner], segment.rows[places], segment.counts[places]))
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
        owners, rows, counts = zip(*found, strict=True)
        return np.concatenate(owners), np.concatenate(rows), np.concatenate(counts)

    def arrays(self) -> dict[str, Ints]:
        """What `restore` needs, merged into one segment."""
        self.settle()
        if len(self.segments) != 1:
            self.segments = [self._sorted(0, len(self))]
        only = self.segments[0]
        return {
            "items": self._items.view,
            "counts": self._counts.view,
            "starts": self._starts.view,
            "df": self._df.view,
            "sorted_items": only.items,
            "sorted_starts": only.starts,
            "sorted_rows": only.rows,
            "sorted_counts": only.counts,
        }

    @classmethod
    def restore(cls, arrays: dict[str, Ints]) -> Incidence:
        """The incidence of `arrays`."""
        made = cls()
        made._items, made._counts = Growing(np.int32, arrays["items"]), Growing(np.float32, arrays["counts"])
        made._starts, made._df = Growing(np.int64, arrays["starts"]), Growing(np.int64, arrays["df"])
        rows = len(made)
        keys = ("sorted_items", "sorted_starts", "sorted_rows", "sorted_counts")
        if rows:
            made.segments = [Segment(0, rows, *(arrays[key] for key in keys))]
        return made

    def _sorted(self, first: int, last: int) -> Segment:
        starts = self._starts.view
        part = slice(int(starts[first]), int(starts[last]))
        flat = self._items.view[part]
        rows = np.repeat(np.arange(first, last, dtype=np.int32), np.diff(starts[first : last + 1]))
        order = np.argsort(flat, kind="stable")  # rows of an item stay in order
        ordered = flat[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        return Segment(
            first, last, ordered[begins], np.append(begins, flat.size), rows[order], self._counts.view[part][order]
        )
