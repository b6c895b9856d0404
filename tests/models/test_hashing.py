from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.models.hashing import HashingEmbedder, features


def test_features_by_hand() -> None:
    assert dict(features("Ab")) == {"w:ab": 1.0, **dict.fromkeys(("c:<a", "c:ab", "c:b>", "c:<ab", "c:ab>"), 0.2)}


def test_one_word_is_a_signed_sum_of_its_features() -> None:
    embedder = HashingEmbedder(dim=1 << 20)  # so large that the six features do not collide
    values = np.abs(embedder.embed(["ab"])[0])
    expected = np.array([1.0, *[0.2] * 5]) / np.sqrt(1 + 5 * 0.04)
    np.testing.assert_allclose(np.sort(values[values > 0])[::-1], expected, rtol=1e-6)


def test_texts_that_share_words_are_closer() -> None:
    near, base, far = HashingEmbedder(dim=1024).embed(["the cats sat there", "the cat sat", "profits rose 苹果"])
    assert base @ near > 0.5 > 0.2 > abs(base @ far)


@given(st.text())
def test_rows_are_unit_unless_the_text_is_blank(text: str) -> None:
    norm = np.linalg.norm(HashingEmbedder(dim=64).embed([text])[0])
    assert abs(norm - 1) < 1e-5 or (norm == 0 and len(list(features(text))) < 8)


def test_scripts_and_emoji_have_features() -> None:
    rows = HashingEmbedder(dim=4096).embed(["苹果", "香蕉", "🎉", "تفاحة", "caf\u00e9", "cafe\u0301", "\ud83d", "  "])
    np.testing.assert_array_equal(rows[4], rows[5])
    assert rows[0] @ rows[1] < 0.5
    assert np.linalg.norm(rows, axis=1).round(5).tolist() == [1, 1, 1, 1, 1, 1, 1, 0]


def test_the_seed_and_nothing_else_changes_the_hash() -> None:
    code = (
        "from memorai.models.hashing import *; print(HashingEmbedder(16, 3).embed(['a cat', '苹果']).tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert outputs == {HashingEmbedder(16, 3).embed(["a cat", "苹果"]).tobytes().hex()}
    assert HashingEmbedder(16, 4).embed(["a cat", "苹果"]).tobytes().hex() not in outputs
    assert HashingEmbedder(16, 4).model_id != HashingEmbedder(16, 3).model_id != HashingEmbedder(32, 3).model_id


def test_no_texts_and_bad_sizes() -> None:
    assert HashingEmbedder(dim=8).embed([]).shape == (0, 8)
    with pytest.raises(InputError, match="dim=0"):
        HashingEmbedder(dim=0)
