"""BM25 over turns that come and go; the formula and the parameters are those of `memorai.index.lexical`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from memorai.recall.arrays import Growing
from memorai.recall.incidence import Incidence


class Words:
    """Index terms of turns, as 64-bit hashes: for BM25 with date and speaker, for the walk without them.

    Args:
        k1, b: as for `memorai.index.lexical.BM25`, method ``lucene``.
    """

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        self.k1, self.b = k1, b
        self._ids: dict[int, int] = {}
        self.all, self.own = Incidence(), Incidence()
        self._lengths = Growing(np.float32)
        self._known = Growing(np.uint64)
        self.total_length = 0.0

    def append(self, terms: list[npt.NDArray[np.uint64]], bodies: list[int]) -> None:
        """Add turns: hashes of their terms, and how many of the last are their own words."""
        numbers = self._number(terms)
        starts = np.cumsum([0, *(len(part) for part in terms)])
        parts = [numbers[a:b] for a, b in pairwise(starts.tolist())]
        for incidence, rows in (
            (self.all, parts),
            (self.own, [part[len(part) - body :] for part, body in zip(parts, bodies, strict=True)]),
        ):
            incidence.append(*_counted(rows), len(self._ids))
        lengths = [len(part) for part in terms]
        self._lengths.extend(lengths)
        self.total_length += sum(lengths)

    def settle(self) -> None:
        """Make what was appended searchable."""
        self.all.settle()
        self.own.settle()

    def drop(self, rows: npt.NDArray[np.int64]) -> None:
        """Take turns out of all statistics."""
        self.all.drop(rows)
        self.own.drop(rows)
        self.total_length -= float(self._lengths.view[rows].sum())

    def take(self, rows: npt.NDArray[np.int64]) -> None:
        """Bring turns back."""
        self.all.take(rows)
        self.own.take(rows)
        self.total_length += float(self._lengths.view[rows].sum())

    def scores(self, terms: npt.NDArray[np.uint64], in_use: int) -> npt.NDArray[np.float64]:
        """Return float64 [rows]; rows out of use have scores, too, that mean nothing.

        Args:
            terms: hashes of the query's terms, repeats counted.
            in_use: number of turns that are in use.
        """
        out = np.zeros(len(self._lengths))
        known = [self._ids[term] for term in terms.tolist() if term in self._ids]
        if not known or not in_use:
            return out
        items, repeats = np.unique(np.array(known, dtype=np.int32), return_counts=True)
        df = self.all.df[items]
        items, repeats, df = items[df > 0], repeats[df > 0], df[df > 0]
        idf = np.log1p((in_use - df + 0.5) / (df + 0.5)) * repeats
        owner, rows, counts = self.all.rows_of(items)
        if not rows.size:
            return out
        average = max(self.total_length / in_use, 1e-9)
        saturation = self.k1 * (1 - self.b + self.b * self._lengths.view[rows] / average)
        weights = idf[owner] * counts / (counts + saturation)
        return np.bincount(rows, weights=weights, minlength=out.size).astype(np.float64, copy=False)

    def word_of(self, item: int) -> int:
        """The hash of an item of either incidence."""
        return int(self._known.view[item])

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """What `restore` needs."""
        out: dict[str, npt.NDArray[np.generic]] = {"lengths": self._lengths.view, "known": self._known.view}
        for name, incidence in (("all", self.all), ("own", self.own)):
            out |= {f"{name}.{key}": array for key, array in incidence.arrays().items()}
        return out

    def restore(self, arrays: dict[str, npt.NDArray[np.generic]], in_use: npt.NDArray[np.bool_]) -> None:
        """Take the state of `arrays`, of which the rows ``in_use`` count."""
        self._lengths, self._known = Growing(np.float32, arrays["lengths"]), Growing(np.uint64, arrays["known"])
        self._ids = {term: i for i, term in enumerate(self._known.view.tolist())}
        self.total_length = float(self._lengths.view[in_use].sum(dtype=np.float64))
        for name in ("all", "own"):
            prefix = f"{name}."
            part = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
            setattr(self, name, Incidence.restore(part))

    def _number(self, terms: list[npt.NDArray[np.uint64]]) -> npt.NDArray[np.int32]:
        flat = np.concatenate(terms) if terms else np.empty(0, np.uint64)
        distinct, inverse = np.unique(flat, return_inverse=True)
        ids = self._ids
        before = len(ids)
        numbers = [ids.setdefault(term, len(ids)) for term in distinct.tolist()]
        fresh = np.array(numbers, dtype=np.int64) >= before
        self._known.extend(distinct[fresh])
        return np.array(numbers, dtype=np.int32)[inverse]


def _counted(
    rows: list[npt.NDArray[np.int32]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Sizes, items and counts of rows in which every item stands once."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    flat = np.concatenate(rows).astype(np.int64) if rows else np.empty(0, np.int64)
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    pairs, counts = np.unique((owner << 32) | flat, return_counts=True)
    sizes = np.bincount(pairs >> 32, minlength=len(rows)).astype(np.int64)
    return sizes, (pairs & 0xFFFFFFFF).astype(np.int32), counts
