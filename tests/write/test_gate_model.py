from __future__ import annotations

import json

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models.embedders import HashingEmbedder
from memorai.write.gate_features import FEATURES, inputs
from memorai.write.gate_model import GateModel, LearnedGate
from memorai.write.segment import SessionSegmenter
from tests.toys import CONVERSATION


def text(turn):
    return turn.text


@pytest.fixture
def stored(tmp_path):
    rng = np.random.default_rng(0)
    weights = rng.normal(size=2 * 16 + len(FEATURES)).astype(np.float32)
    model = GateModel(weights, 0.5, (2.0, -1.0), "hashing", True, ("demo",), 0.25)
    return model, model.write(tmp_path / "gate.npz")


def test_what_is_written_is_read_again(stored):
    model, path = stored
    read = GateModel.read(path)
    assert np.array_equal(read.weights, model.weights)
    fields = ("bias", "platt", "embedder", "previous_vectors", "trained_on", "threshold")
    assert [getattr(read, f) for f in fields] == [getattr(model, f) for f in fields]


def test_scores_are_the_calibrated_sum(stored):
    model, path = stored
    embedder = HashingEmbedder(dim=16)
    scores = LearnedGate(embedder, text, str(path)).score(SessionSegmenter().segment(CONVERSATION))
    x = inputs(CONVERSATION.turns, embedder.embed([t.text for t in CONVERSATION.turns]), True)
    for turn, row in zip(CONVERSATION.turns, x, strict=True):
        z = sum(float(a) * float(b) for a, b in zip(row, model.weights, strict=True)) + 0.5
        assert scores[turn.id] == pytest.approx(1 / (1 + np.exp(-(2 * z - 1))))


def test_an_unknown_language_keeps_everything(stored):
    embedder = HashingEmbedder(dim=16)
    embedder.languages = ("en",)
    gate = LearnedGate(embedder, text, str(stored[1]))
    segments = SessionSegmenter().segment(CONVERSATION)
    assert set(gate.score(segments, "zh").values()) == {1.0}
    assert set(gate.score(segments, "en").values()) != {1.0}
    assert gate.score((), "en") == {}


def test_bad_files_and_values_are_named(stored, tmp_path):
    with pytest.raises(InputError, match="no such gate"):
        GateModel.read(tmp_path / "none.npz")
    (tmp_path / "bad.npz").write_bytes(b"not an archive")
    with pytest.raises(InputError, match="not a gate"):
        GateModel.read(tmp_path / "bad.npz")
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    with pytest.raises(InputError, match="not a gate"):
        GateModel.read(tmp_path / "other.npz")
    with pytest.raises(InputError, match=r"threshold=1\.5"):
        LearnedGate(HashingEmbedder(dim=16), text, str(stored[1]), threshold=1.5)
    with np.load(stored[1]) as archive:
        parts = {name: archive[name] for name in archive.files}
    about = json.loads(bytes(parts["about"])) | {"features": ["other"]}
    parts["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(tmp_path / "old.npz", **parts)
    with pytest.raises(InputError, match="features of another version"):
        GateModel.read(tmp_path / "old.npz")


def test_the_shipped_model_is_trained_on_free_data_and_refuses_another_embedder():
    model = GateModel.read()
    assert set(model.trained_on) <= {"longmemeval_oracle", "longmemeval_s", "demo"}
    assert len(model.weights) == 2 * 384 + len(FEATURES)
    assert 0 < model.threshold < 1
    with pytest.raises(InputError, match="trained on all-MiniLM-L6-v2, not on hashing"):
        LearnedGate(HashingEmbedder(dim=16), text)
