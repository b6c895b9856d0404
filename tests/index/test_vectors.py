from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.index import vectors
from memorai.index.vectors import cosine, top_k


def test_cosine_by_hand() -> None:
    out = cosine(np.array([[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 5.0]]))
    np.testing.assert_allclose(out, [[0.6, 0.8], [0, 0], [-1, 0]], atol=1e-7)
    assert out.dtype == np.float32


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    documents, queries = rng.standard_normal((23, 5)), rng.standard_normal((4, 5))
    expected = (documents / np.linalg.norm(documents, axis=1, keepdims=True)) @ (
        queries / np.linalg.norm(queries, axis=1, keepdims=True)
    ).T
    monkeypatch.setattr(vectors, "_CHUNK_BYTES", 4 * 9 * 5)  # five rows
    np.testing.assert_allclose(cosine(documents, queries), expected, atol=1e-6)


def test_read_only_and_empty_inputs() -> None:
    stored = np.frombuffer(np.ones(6, dtype="<f4").tobytes(), dtype="<f4").reshape(2, 3)
    np.testing.assert_allclose(cosine(stored, stored), np.ones((2, 2)), rtol=1e-6)
    assert cosine(np.empty((0, 3)), stored).shape == (0, 2)
    assert cosine(stored, np.empty((0, 3))).shape == (2, 0)
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(2, 2\)"):
        cosine(stored, np.ones((2, 2)))


def test_ties_go_to_the_smaller_row() -> None:
    scores = np.array([[1, 0], [2, -np.inf], [2, 0], [1, -np.inf], [2, 0]], dtype=np.float32)
    assert top_k(scores, 4).T.tolist() == [[1, 2, 4, 0], [0, 2, 4, 1]]
    assert top_k(scores, 2).T.tolist() == [[1, 2], [0, 2]]
    assert top_k(scores, 9).shape == (5, 2)
    assert top_k(scores, 0).shape == (0, 2) and top_k(scores[:0], 3).shape == (0, 2)
    with pytest.raises(ValueError, match="k >= 0"):
        top_k(scores, -1)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(0, 40))
def test_agrees_with_sorting(column: list[int], k: int) -> None:
    expected = sorted(range(len(column)), key=lambda i: (-column[i], i))[:k]
    assert top_k(np.array(column, dtype=np.float32)[:, None], k)[:, 0].tolist() == expected
