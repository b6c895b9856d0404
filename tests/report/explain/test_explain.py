from __future__ import annotations

import pytest

from memorai.datasets.demo import load_demo
from memorai.errors import InputError
from memorai.harness.load import load_system
from memorai.report.explain.explain import explain, find_question
from memorai.types import Dataset, Question
from memorai.write.gate import Gate
from tests.toys import CONVERSATION

DEMO = load_demo()


def test_an_unknown_question_names_close_ids():
    with pytest.raises(InputError, match=r"^question=demo-en:q99: demo has no such id; close are .*demo-en:q9"):
        find_question(DEMO, "demo-en:q99")
    with pytest.raises(InputError, match=r"^question=zzz: .* close are demo-en:q0, "):
        find_question(DEMO, "zzz")
    with pytest.raises(InputError, match=r"^question: give an id of demo, such as demo-en:q0$"):
        find_question(DEMO, None)
    with pytest.raises(InputError, match="no questions"):
        find_question(Dataset("x", "", "", ()), "q")


@pytest.mark.parametrize("name", ["memorai", "memorai_plus", "bm25", "dense", "oracle", "hipporag", "fast_graphrag"])
def test_the_list_is_the_systems_ranking_with_gold_marked(name):
    question = CONVERSATION.questions[1]
    system = load_system(name, "embedder=hashing")
    found = explain(name, system, CONVERSATION, question, k=3)
    (ranking,) = system.index(CONVERSATION).search([question.query], 5)
    assert [(r.id, r.score) for r in found.ranked] == list(zip(ranking.ids, ranking.scores, strict=True))[:3]
    assert [r.gold for r in found.ranked] == [r.id in question.evidence for r in found.ranked]
    assert [found.nodes[r.node].id for r in found.ranked] == [r.id for r in found.ranked]
    ranks = {id_: rank for rank, id_ in enumerate(ranking.ids, 1)}
    assert [(g.id, g.rank) for g in found.gold] == [(id_, ranks.get(id_)) for id_ in question.evidence]
    assert (found.walk is None) == (name in ("bm25", "dense", "oracle")) == any("not walk" in n for n in found.notes)
    assert any("ThroughRelations" in n for n in found.notes) == (name == "fast_graphrag")
    if name in ("memorai", "memorai_plus", "hipporag"):
        scores = dict(found.rerank())
        assert {r.id: r.score for r in found.ranked} == pytest.approx(
            {r.id: scores[r.id] for r in found.ranked}, abs=1e-5
        )


def test_a_gold_turn_that_the_gate_dropped_says_so():
    class Drops(Gate):
        threshold = 0.5

        def score(self, segments, language):
            return {turn.id: float(turn.id != "t1") for segment in segments for turn in segment.turns}

    system = load_system("memorai", "embedder=hashing", "share_indexes=false")
    system.gate = Drops()
    found = explain("memorai", system, CONVERSATION, CONVERSATION.questions[1])
    assert next((g.id, g.rank, g.node, g.missing) for g in found.gold) == ("t1", None, None, "the gate dropped it")


def test_gold_outside_the_subgraph_says_so():
    system = load_system("memorai", "embedder=hashing")
    system.retriever.subgraph.facets.k_snippet = system.retriever.subgraph.facets.k_relation = 0
    system.retriever.subgraph.facets.k_entity = 1
    found = explain("memorai", system, CONVERSATION, Question("toy:x", "Rex", tuple(t.id for t in CONVERSATION.turns)))
    missing = [g for g in found.gold if g.rank is None]
    assert missing and {g.missing for g in missing} == {"it lies outside the query's subgraph"}
    assert {g.id for g in missing}.isdisjoint(node.id for node in found.nodes)


def test_a_language_that_the_embedder_lacks_is_said():
    system = load_system("memorai_plus")  # the bundled English model; the toy is small
    conversation, question = find_question(DEMO, "demo-zh:q0")
    small = type(conversation)(conversation.id, conversation.sessions[:1], (), "zh")
    found = explain("memorai_plus", system, small, Question("x", question.text))
    assert any("does not know the language 'zh'" in note for note in found.notes)
