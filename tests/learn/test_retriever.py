from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.learn.checkpoint import Checkpoint, Source
from memorai.learn.examples import digest_of
from memorai.learn.features import Evidence
from memorai.learn.fit import Fitted, Settings
from memorai.learn.retriever import LearnedRetriever, models_of
from memorai.learn.scorer import EvidenceScorer
from memorai.retrieval.scores import Dense, Lexical
from tests.toys import TURNS, toy_view

EVIDENCE = Evidence({"dense": Dense(), "bm25": Lexical()}, cache=False)


def write(path, features=("match/bm25",), digest="other", models=None, seed=0):
    import torch

    model = EvidenceScorer(torch.zeros(len(features)), torch.ones(len(features))).eval()
    model.linear.weight.data.fill_(2.0)
    source = Source("toy", "v1", "abc", {"toy": digest})
    fitted = Fitted(model, Settings(hidden=0), 1, ())
    Checkpoint.of(fitted, features, models or models_of(EVIDENCE), seed, "loco", [source]).write(path)
    return str(path)


def test_scores_are_the_model_s(tmp_path):
    view = toy_view(texts=("Which city did Bob move to?", "What is Rex?"))
    retriever = LearnedRetriever(EVIDENCE, write(tmp_path / "c", ("match/bm25", "near/dense-1")))
    found = retriever.retrieve(view)
    evidence = EVIDENCE(view)
    expected = 2 * (evidence.column("match/bm25") + evidence.column("near/dense-1"))
    assert found.scores.T.numpy() == pytest.approx(expected, abs=1e-5)
    assert len(found.info) == 2


def test_a_checkpoint_is_refused_on_what_it_was_trained_on(tmp_path):
    seen = write(tmp_path / "folds" / "a", digest=digest_of(TURNS), seed=1)
    with pytest.raises(InputError, match="was trained on conversation toy"):
        LearnedRetriever(EVIDENCE, seen).retrieve(toy_view())
    # of a folder of folds, the one that has not seen it
    write(tmp_path / "folds" / "b", seed=2)
    found = LearnedRetriever(EVIDENCE, str(tmp_path / "folds")).retrieve(toy_view())
    assert found.info[0] == {"checkpoint_seed": 2}


def test_what_does_not_fit(tmp_path):
    for arguments, says in (
        ({"features": ("match/late",)}, "needs evidence match/late"),
        ({"models": {"dense": "Dense(other)"}}, "another model for dense"),
    ):
        with pytest.raises(InputError, match=says):
            LearnedRetriever(EVIDENCE, write(tmp_path / says.split("/")[0], **arguments))
    other = write(tmp_path / "other", models={"index": "minilm"})
    with pytest.raises(InputError, match="with embedder minilm, not hashing"):
        LearnedRetriever(EVIDENCE, other).retrieve(toy_view())
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="without any"):
        LearnedRetriever(EVIDENCE, str(tmp_path / "empty"))
    with pytest.raises(InputError, match="no such checkpoint"):
        LearnedRetriever(EVIDENCE, "nothing")
