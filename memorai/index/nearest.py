"""The k rows nearest to a query among up to millions: exactly, or by a scan of compressed rows.

`ExactNearest` reads every vector. `ApproximateNearest` reads a compressed copy of every vector (faiss, optional extra
``local``), takes the best few hundred, and scores those by their own vectors. Both rank by inner product, which for
unit vectors is the cosine, and break ties by row.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, Protocol

import numpy as np
import torch

from memorai.errors import InputError
from memorai.index.vectors import top_k

_MOST_TRAINING_ROWS = 30_000
_FEWEST_QUANTISED_ROWS = 10_000
_ROWS_AT_ONCE = 65_536


class Nearest(Protocol):
    """Finds the rows of the highest inner product."""

    def __call__(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows int64 [Q, min(k, n)], best first, and their inner products float32, for queries [Q, d]."""
        ...


class ExactNearest:
    """Every vector times the query.

    Args:
        vectors: [n, d] float32 or float16; kept as they are in float32, copied once in bfloat16.
        dtype: ``float32``; ``bfloat16`` reads half the bytes and is faster where the processor multiplies it; the k
            best are then scored again in float32 among twice as many; ``auto`` takes bfloat16 on processors
            with AVX-512 BF16 or AMX.
    """

    def __init__(self, vectors: np.ndarray, dtype: Literal["auto", "float32", "bfloat16"] = "auto") -> None:
        if dtype not in ("auto", "float32", "bfloat16"):
            raise ValueError(f"dtype={dtype!r}; known: auto, float32, bfloat16")
        _check(vectors)
        self.dtype = ("bfloat16" if multiplies_bfloat16() else "float32") if dtype == "auto" else dtype
        self._vectors = vectors
        kind = torch.bfloat16 if self.dtype == "bfloat16" else torch.float32
        self._table = torch.empty(vectors.shape, dtype=kind)
        for start in range(0, len(vectors), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            self._table[rows] = torch.from_numpy(vectors[rows].astype(np.float32)).to(kind)

    def __call__(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows int64 [Q, min(k, n)], best first, and their inner products float32."""
        asked = _queries(queries, self._vectors.shape[1])
        k = min(k, len(self._vectors))
        if self.dtype == "float32":
            scores = (self._table @ torch.from_numpy(asked).T).numpy()
            rows = top_k(scores, k).T
            return rows, np.take_along_axis(scores.T, rows, axis=1)
        # one matrix-vector product a query: the product of two bfloat16 matrices takes another, slower path
        wide = min(2 * k + 16, len(self._vectors))
        products = (self._table @ query for query in torch.from_numpy(asked).bfloat16())
        found = np.stack([scores.topk(wide).indices.numpy() for scores in products]) if len(asked) else _none(wide)
        return rescore(self._vectors, asked, found, k)


class ApproximateNearest:
    """A scan of compressed vectors, then the best of them by their own vectors.

    Args:
        vectors: [n, d] float32 or float16, memory-mapped if need be; only ``candidates`` rows a query are read.
        spec: faiss's index factory string. None takes 4-bit product quantisation, one code for 4 dimensions, read by
            fast scan (Andre et al., "Quicker ADC", 2019), and plain vectors below 10,000 rows. A scan of all codes
            finds what graphs and inverted lists miss and needs no tuning: docs/pagerank-local.md.
        candidates: rows that are scored by their own vectors; more is more exact.
        threads: of faiss; None leaves its default.

    Raises:
        InputError: faiss is not installed.
    """

    def __init__(
        self, vectors: np.ndarray, spec: str | None = None, candidates: int = 400, threads: int | None = None
    ) -> None:
        if candidates < 1:
            raise ValueError(f"candidates={candidates} is not positive")
        _check(vectors)
        faiss = _faiss()
        if threads is not None:
            faiss.omp_set_num_threads(threads)
        self.candidates = candidates
        self._vectors = vectors
        self.spec = default_spec(*vectors.shape) if spec is None else spec
        self._index = faiss.index_factory(vectors.shape[1], self.spec, faiss.METRIC_INNER_PRODUCT)
        # evenly spaced rather than drawn: the same vectors always make the same index
        step = max(1, -(-len(vectors) // _MOST_TRAINING_ROWS))
        if len(vectors):
            self._index.train(np.ascontiguousarray(vectors[::step], dtype=np.float32))
        for start in range(0, len(vectors), _ROWS_AT_ONCE):
            self._index.add(np.ascontiguousarray(vectors[start : start + _ROWS_AT_ONCE], dtype=np.float32))

    def __call__(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows int64 [Q, min(k, n)], best first, and their inner products float32."""
        asked = _queries(queries, self._vectors.shape[1])
        k = min(k, len(self._vectors))
        wide = min(max(k, self.candidates), len(self._vectors))
        found = self._index.search(asked, wide)[1] if wide and len(asked) else np.empty((len(asked), wide), np.int64)
        return rescore(self._vectors, asked, found, k)


def default_spec(rows: int, dim: int) -> str:
    """The index that `ApproximateNearest` takes for vectors [rows, dim]."""
    return f"PQ{dim // 4}x4fs" if rows >= _FEWEST_QUANTISED_ROWS and dim % 4 == 0 else "Flat"


def rescore(vectors: np.ndarray, queries: np.ndarray, candidates: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best of each query's candidate rows [Q, C] by exact inner product; ties go to the smaller row."""
    candidates = np.sort(candidates, axis=1)
    scores = np.empty(candidates.shape, dtype=np.float32)
    for out, rows, query in zip(scores, candidates, queries, strict=True):
        out[:] = vectors[rows].astype(np.float32) @ query
    best = top_k(scores.T, k).T
    return np.take_along_axis(candidates, best, axis=1), np.take_along_axis(scores, best, axis=1)


def multiplies_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 in hardware."""
    capability: Any = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return bool(capability())


def _check(vectors: np.ndarray) -> None:
    if vectors.ndim != 2 or vectors.dtype not in (np.float32, np.float16):
        raise ValueError(f"vectors must be float32 or float16 [n, d], got {vectors.dtype} {vectors.shape}")


def _queries(queries: np.ndarray, dim: int) -> np.ndarray:
    if queries.ndim != 2 or queries.shape[1] != dim:
        raise ValueError(f"queries must be [Q, {dim}], got {queries.shape}")
    bad = ~np.isfinite(queries)
    if bad.any():
        first = tuple(np.argwhere(bad)[0].tolist())
        raise ValueError(f"query at {list(first)} is {queries[first]}; it must be finite")
    return np.ascontiguousarray(queries, dtype=np.float32)


def _none(width: int) -> np.ndarray:
    return np.empty((0, width), dtype=np.int64)


def _faiss() -> Any:
    try:
        return import_module("faiss")
    except ImportError:
        raise InputError("approximate search needs faiss: pip install faiss-cpu, or use ExactNearest") from None
