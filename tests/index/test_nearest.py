from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.graph.synthetic import memory_vectors
from memorai.index import nearest
from memorai.index.nearest import ApproximateNearest, ExactNearest, rescore

VECTORS = memory_vectors(3000, 64, seed=1, topic_rows=30)
QUERIES = memory_vectors(5, 64, seed=2, topic_rows=1)


def brute(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    scores = queries @ vectors.astype(np.float32).T
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("stored", [np.float32, np.float16])
def test_exact_is_sorting_by_inner_product(dtype, stored) -> None:
    vectors = VECTORS.astype(stored)
    rows, scores = ExactNearest(vectors, dtype)(QUERIES, 20)
    np.testing.assert_array_equal(rows, brute(vectors, QUERIES, 20))
    expected = np.take_along_axis(QUERIES @ vectors.astype(np.float32).T, rows, axis=1)
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_ties_go_to_the_smaller_row() -> None:
    vectors = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], dtype=np.float32)
    for dtype in ("float32", "bfloat16"):
        rows, _ = ExactNearest(vectors, dtype)(vectors[:1], 2)
        assert rows.tolist() == [[0, 2]]
    rows, scores = rescore(vectors, vectors[:1], np.array([[3, 1, 0, 2]]), 3)
    assert rows.tolist() == [[0, 2, 3]] and scores.tolist() == [[1, 1, 1]]


@pytest.mark.parametrize("k", [0, 1, 9])
def test_k_and_sizes_at_their_ends(k: int) -> None:
    for dtype in ("float32", "bfloat16"):
        rows, scores = ExactNearest(VECTORS[:4], dtype)(QUERIES, k)
        assert rows.shape == scores.shape == (5, min(k, 4))
        assert ExactNearest(VECTORS[:0], dtype)(QUERIES, k)[0].shape == (5, 0)
        assert ExactNearest(VECTORS, dtype)(QUERIES[:0], k)[0].shape == (0, k)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"float32 or float16 \[n, d\]"):
        ExactNearest(VECTORS.astype(np.float64))
    with pytest.raises(ValueError, match="dtype='int8'"):
        ExactNearest(VECTORS, "int8")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"queries must be \[Q, 64\]"):
        ExactNearest(VECTORS)(QUERIES[:, :5], 3)
    broken = QUERIES.copy()
    broken[2, 7] = np.nan
    with pytest.raises(ValueError, match=r"query at \[2, 7\] is nan"):
        ExactNearest(VECTORS)(broken, 3)


def test_approximate_finds_nearly_all_and_all_when_everything_is_scored(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    stored = np.memmap(tmp_path / "vectors", dtype=np.float16, mode="w+", shape=VECTORS.shape)
    stored[:] = VECTORS
    exact = brute(stored, QUERIES, 10)
    for spec in (None, "PQ16x4fs"):
        rows, _ = ApproximateNearest(stored, spec, candidates=3000)(QUERIES, 10)
        np.testing.assert_array_equal(rows, exact)
    index = ApproximateNearest(stored, "PQ16x4fs", candidates=600)
    rows, scores = index(QUERIES, 10)
    assert np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(rows, exact, strict=True)]) >= 0.95
    assert (np.diff(scores, axis=1) <= 0).all()
    np.testing.assert_array_equal(rows, ApproximateNearest(stored, "PQ16x4fs", candidates=600)(QUERIES, 10)[0])


def test_few_rows_are_not_quantised() -> None:
    assert nearest.default_spec(9_999, 384) == "Flat"
    assert nearest.default_spec(10_000, 384) == "PQ96x4fs"
    assert nearest.default_spec(10_000, 33) == "Flat"


def test_approximate_at_its_ends() -> None:
    pytest.importorskip("faiss")
    assert ApproximateNearest(VECTORS[:3])(QUERIES, 9)[0].shape == (5, 3)
    assert ApproximateNearest(VECTORS[:0])(QUERIES, 9)[0].shape == (5, 0)
    assert ApproximateNearest(VECTORS)(QUERIES[:0], 9)[0].shape == (0, 9)
    with pytest.raises(ValueError, match="candidates=0"):
        ApproximateNearest(VECTORS, candidates=0)


def test_without_faiss_the_message_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match="pip install faiss-cpu, or use ExactNearest"):
        ApproximateNearest(VECTORS)


def test_auto_follows_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    for able, dtype in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(nearest, "multiplies_bfloat16", lambda able=able: able)
        assert ExactNearest(VECTORS[:9]).dtype == dtype
