"""Vectors of turns that come and go, and the turns nearest to a query: all of them, or by a compressed scan."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_SAMPLE = 2048
_TRAINING = 20_000


def cosines(rows: Floats, query: Floats) -> npt.NDArray[np.float64]:
    """Products of unit rows [n, d] with a query [d], float64 [n], on one thread.

    BLAS would take them all, and its threads spin for a while after each product: the model that embeds the next query
    then has to share its processors (100,000 turns on two cores: 33 instead of 24 ms a search).
    """
    return np.einsum("ij,j->i", rows, query).astype(np.float64)


class Dense:
    """Rows of unit vectors, of which old ones may lie in a memory-mapped file.

    Args:
        dim: d.
        base: float32 [n, d] of the first rows, or None.
    """

    def __init__(self, dim: int, base: Floats | None = None) -> None:
        self.dim = dim
        self._base = np.empty((0, dim), np.float32) if base is None else base
        self._tail = np.empty((64, dim), np.float32)
        self._tail_rows = 0
        self._scan: Any = None  # faiss's index of all rows, once it pays
        self._sample = np.empty(0, np.int64), np.empty((0, dim), np.float32)
        self._sampled = 0  # number of rows when the sample was taken

    def __len__(self) -> int:
        return len(self._base) + self._tail_rows

    def append(self, rows: Floats) -> None:
        """Add rows [m, d]."""
        need = self._tail_rows + len(rows)
        if need > len(self._tail):
            grown = np.empty((max(need, 2 * len(self._tail)), self.dim), np.float32)
            grown[: self._tail_rows] = self._tail[: self._tail_rows]
            self._tail = grown
        self._tail[self._tail_rows : need] = rows
        self._tail_rows = need
        if self._scan is not None and len(rows):
            self._scan.add(np.ascontiguousarray(rows, dtype=np.float32))

    def gather(self, rows: npt.NDArray[np.int64]) -> Floats:
        """Return rows [len(rows), d]."""
        out = np.empty((len(rows), self.dim), np.float32)
        old = rows < len(self._base)
        out[old] = self._base[rows[old]]
        out[~old] = self._tail[rows[~old] - len(self._base)]
        return out

    def everything(self) -> Floats:
        """All rows [n, d]; a copy if they lie in two places."""
        if not len(self._base):
            return self._tail[: self._tail_rows]
        return np.concatenate([self._base, self._tail[: self._tail_rows]])

    def scores(self, query: Floats) -> npt.NDArray[np.float64]:
        """Return the cosine of every row, float64 [n]."""
        parts = (cosines(self._base, query), cosines(self._tail[: self._tail_rows], query))
        return np.concatenate(parts)

    def nearest(self, query: Floats, k: int) -> npt.NDArray[np.int64] | None:
        """Return some k rows of high cosine by a compressed scan, in no order; None where there is no such index."""
        if self._scan is None:
            return None
        found = self._scan.search(query[None], min(k, len(self)))[1][0]
        return found[found >= 0].astype(np.int64)

    def sample(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Rows spread evenly, by which the spread of all cosines is estimated, and their vectors."""
        rows, vectors = self._sample
        if self._sampled != len(self):
            rows = np.arange(0, len(self), max(1, len(self) // _SAMPLE), dtype=np.int64)
            vectors = self.gather(rows)
            self._sample, self._sampled = (rows, vectors), len(self)
        return rows, vectors

    def compress(self, at_least: int) -> None:
        """Make the compressed index if there are rows enough and faiss is installed; it then grows by itself."""
        faiss = _faiss()
        if self._scan is not None or len(self) < at_least or faiss is None:
            return
        from memorai.index.nearest import default_spec  # loads torch, which a small store need not pay

        index = faiss.index_factory(self.dim, default_spec(len(self), self.dim), faiss.METRIC_INNER_PRODUCT)
        vectors = self.everything()
        # evenly spaced rather than drawn: the same vectors always make the same index
        index.train(np.ascontiguousarray(vectors[:: max(1, len(vectors) // _TRAINING)]))
        index.add(vectors)
        self._scan = index

    def scan_bytes(self) -> npt.NDArray[np.uint8] | None:
        """The compressed index as bytes, to be kept beside the vectors."""
        faiss = _faiss()
        return None if self._scan is None or faiss is None else faiss.serialize_index(self._scan)

    def restore_scan(self, data: npt.NDArray[np.uint8]) -> None:
        """Take the compressed index of `scan_bytes`."""
        faiss = _faiss()
        if faiss is not None:
            index = faiss.deserialize_index(data)
            if index.ntotal == len(self) and index.d == self.dim:
                self._scan = index


def _faiss() -> Any:
    try:
        return import_module("faiss")
    except ImportError:
        return None
