from __future__ import annotations

import numpy as np
import pytest

from memorai.learn.features import CANDIDATES, WALKS, Evidence
from memorai.models.cache import ByteCache
from memorai.retrieval.pagerank import pagerank
from memorai.retrieval.scores import Dense, Lexical, z_score
from memorai.retrieval.transforms import SoftmaxZ
from memorai.retrieval.weights import StaticWeights
from tests.toys import TURNS, toy_view

ASKED = ("Which city did Bob move to?", "What is Rex?")


def evidence(cache=False):
    return Evidence({"dense": Dense(), "bm25": Lexical()}, cache=cache)


def test_names_and_shape_agree():
    found = evidence()(toy_view(texts=ASKED))
    assert found.values.shape == (2, len(TURNS), len(found.names))
    assert len(set(found.names)) == len(found.names)
    assert np.isfinite(found.values).all()
    assert evidence()(toy_view(texts=())).values.shape == (0, len(TURNS), len(found.names))


def test_columns_hold_what_they_say():
    view = toy_view(texts=ASKED)
    found = evidence()(view)
    bm25 = z_score(view.lexical)
    fused = z_score(bm25 + z_score(view.similarity("turn")))
    assert found.column("match/bm25") == pytest.approx(bm25.T.numpy(), abs=1e-6)
    assert found.column("match/fused") == pytest.approx(fused.T.numpy(), abs=1e-6)
    # the turn before t2 is t1; before t4 a session begins
    assert found.column("near/bm25-1")[:, 1] == pytest.approx(bm25[0].numpy(), abs=1e-6)
    assert found.column("near/bm25-1")[:, 3].tolist() == [0, 0]
    assert found.column("session/fused")[:, 4] == pytest.approx(fused[3:].amax(0).numpy(), abs=1e-6)
    # "city", "move" (Bob is left out): t4 holds "moved"
    assert found.column("match/overlap")[0, 3] == pytest.approx(np.log1p(5) / (np.log1p(5) * 2), abs=1e-6)
    assert found.column("pair/speaker_named")[0].tolist() == [0, 1, 0, 1, 0]
    assert found.column("turn/asks")[1].tolist() == [0, 1, 0, 0, 0]


def test_a_walk_is_the_engine_s_pagerank():
    view = toy_view(texts=ASKED)
    found = evidence()(view)
    walk, restart = WALKS["all"], view.zeros()
    rows = view.graph.rows("turn")
    seeds = z_score(z_score(view.lexical) + z_score(view.similarity("turn")))
    restart[rows] = SoftmaxZ(walk.temperature)(seeds)
    mass = pagerank(StaticWeights(walk.types).weights(view, view.everything()), restart, walk.damping, max_iter=500)
    assert found.column(CANDIDATES) == pytest.approx(z_score(mass.scores[rows].log()).T.numpy(), abs=1e-4)


def test_the_cache_gives_back_half_precision_and_knows_the_texts(tmp_path):
    cache = ByteCache(tmp_path / "c.sqlite")
    first, again = evidence(cache)(toy_view(texts=ASKED)), evidence(cache)(toy_view(texts=ASKED))
    assert np.array_equal(first.values, again.values)
    assert first.values == pytest.approx(evidence()(toy_view(texts=ASKED)).values, abs=5e-3)
    other = evidence(cache)(toy_view(texts=("What does Rex love?", ASKED[1])))
    assert not np.array_equal(other.values[0], first.values[0])


def test_a_question_s_evidence_depends_on_no_other_question():
    both, alone = evidence()(toy_view(texts=ASKED)), evidence()(toy_view(texts=ASKED[:1]))
    assert both.values[0] == pytest.approx(alone.values[0], abs=1e-4)


def test_nothing_to_fuse():
    with pytest.raises(ValueError, match="at least one scorer"):
        Evidence({})
