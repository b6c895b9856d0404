import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.metrics import retrieval as r
from memorai.types import Question, Ranking

LOG3 = 1 / math.log2(3)  # 0.6309

ranked_lists = st.lists(st.integers(0, 30).map(str), unique=True, max_size=20)
golds = st.sets(st.integers(0, 30).map(str), min_size=1, max_size=6).map(sorted)


@pytest.mark.parametrize(
    ("rank", "standard", "official", "reciprocal"),
    [(1, 1.0, 1.0, 1.0), (2, LOG3, 1.0, 0.5), (3, 0.5, LOG3, 1 / 3), (4, 1 / math.log2(5), 0.5, 0.25)],
)
def test_a_single_gold_by_rank(rank, standard, official, reciprocal):
    ranked = [*(f"x{i}" for i in range(rank - 1)), "gold", "y"]
    assert r.ndcg(ranked, ["gold"], 10) == pytest.approx(standard)
    assert r.ndcg_longmemeval(ranked, ["gold"], 10) == pytest.approx(official)
    assert r.mrr(ranked, ["gold"]) == pytest.approx(reciprocal)
    assert r.mrr(ranked, ["gold"], rank) == pytest.approx(reciprocal)
    if rank > 1:
        assert r.mrr(ranked, ["gold"], rank - 1) == 0.0
        assert r.ndcg(ranked, ["gold"], rank - 1) == 0.0


def test_two_gold_turns_worked_by_hand():
    ranked, gold = ["a", "x", "b", "y"], ["b", "a"]
    assert r.recall(ranked, gold, 1) == 0.5
    assert r.recall(ranked, gold, 3) == 1.0
    assert (r.recall_any(ranked, gold, 1), r.recall_all(ranked, gold, 1)) == (1.0, 0.0)
    assert (r.recall_any(ranked, gold, 3), r.recall_all(ranked, gold, 3)) == (1.0, 1.0)
    assert r.ndcg(ranked, gold, 10) == pytest.approx(1.5 / (1 + LOG3))
    assert r.ndcg_longmemeval(ranked, gold, 10) == pytest.approx((1 + LOG3) / 2)


def test_the_ideal_is_cut_at_k():
    assert r.ndcg(["a"], ["a", "b", "c"], 1) == 1.0
    assert r.ndcg_longmemeval(["a", "b"], ["a", "b", "c"], 2) == 1.0


def test_gold_that_a_gate_dropped_counts_as_missed():
    ranked, gold = ["a", "x"], ["a", "dropped"]
    assert r.recall(ranked, gold, 50) == 0.5
    assert r.recall_all(ranked, gold, 50) == 0.0
    assert r.ndcg(ranked, gold, 50) == pytest.approx(1 / (1 + LOG3))
    assert r.ndcg_longmemeval(ranked, gold, 50) == 0.5
    assert r.mrr([], gold, 10) == r.recall_any([], gold, 10) == 0.0


def test_gold_named_twice_counts_once():
    assert r.recall(["a"], ["a", "a"], 1) == r.ndcg(["a"], ["a", "a"], 5) == 1.0


@pytest.mark.parametrize("metric", [r.recall, r.recall_any, r.recall_all, r.ndcg, r.mrr])
def test_empty_gold_is_an_error_but_for_the_official_formula(metric):
    with pytest.raises(ValueError, match="cannot be scored"):
        metric(["a"], [], 5)
    assert r.ndcg_longmemeval(["a"], [], 5) == 0.0


def test_k_below_one_is_an_error():
    with pytest.raises(ValueError, match="at least 1"):
        r.recall(["a"], ["a"], 0)
    with pytest.raises(ValueError, match="at least 1"):
        r.mrr(["a"], ["a"], 0)


@given(ranked_lists, golds, st.integers(1, 25))
def test_metrics_agree_with_a_plain_reference(ranked, gold, k):
    gains = [float(item in gold) for item in ranked[:k]]
    ideal = [1.0] * min(len(gold), k)

    def dcg(values):
        return sum(gain / math.log2(place + 2) for place, gain in enumerate(values))

    def official(values):
        return sum(gain / (math.log2(place + 1) if place else 1.0) for place, gain in enumerate(values))

    assert r.ndcg(ranked, gold, k) == pytest.approx(dcg(gains) / dcg(ideal))
    assert r.ndcg_longmemeval(ranked, gold, k) == pytest.approx(official(gains) / official(ideal))
    assert r.recall(ranked, gold, k) == pytest.approx(sum(gains) / len(gold))
    assert r.recall_any(ranked, gold, k) == max(gains, default=0.0)
    assert r.recall_all(ranked, gold, k) == float(set(gold) <= set(ranked[:k]))
    assert r.mrr(ranked, gold, k) == (1 / (gains.index(1.0) + 1) if 1.0 in gains else 0.0)


@given(ranked_lists, golds, st.integers(1, 25), st.randoms())
def test_the_order_of_gold_and_the_ranking_below_k_do_not_matter(ranked, gold, k, random):
    shuffled, tail = list(gold), ranked[k:]
    random.shuffle(shuffled)
    random.shuffle(tail)
    for metric in (r.recall, r.recall_any, r.recall_all, r.ndcg, r.ndcg_longmemeval, r.mrr):
        assert metric(ranked, gold, k) == metric(ranked[:k] + tail, shuffled, k)


SESSION_OF = {"D1:1": "s1", "D1:2": "s1", "D2:1": "s2", "D3:1": "s3"}


def _scores(ids, question, ks=(1, 2)):
    ranking = Ranking(question.id, tuple(ids), tuple(float(-i) for i in range(len(ids))))
    return {(m, u, k): v for m, u, k, v in r.score_question(ranking, question, ks, SESSION_OF)}


def test_sessions_rank_by_their_first_turn():
    question = Question("c:q0", "?", ("D2:1",), ("s2",))
    scores = _scores(["D1:2", "D1:1", "D2:1", "D3:1"], question)
    assert len(scores) == 6 * 2 * 2
    assert scores["recall", "turn", 2] == 0.0
    assert scores["recall", "session", 2] == 1.0
    assert scores["ndcg", "session", 2] == pytest.approx(LOG3)
    assert scores["ndcg_longmemeval", "session", 2] == 1.0
    assert scores["mrr", "session", 2] == 0.5
    assert scores["mrr", "session", 1] == 0.0


@given(st.permutations(list(SESSION_OF)), st.integers(1, 6))
def test_score_question_equals_the_single_functions(ids, k):
    question = Question("c:q0", "?", ("D1:2", "D3:1"), ("s1", "s3"))
    scores = _scores(ids, question, (k,))
    sessions = list(dict.fromkeys(SESSION_OF[i] for i in ids))
    for unit, ranked, gold in (("turn", ids, question.evidence), ("session", sessions, question.evidence_sessions)):
        for name in r.METRICS:
            assert scores[name, unit, k] == getattr(r, name)(ranked, gold, k)


def test_a_unit_without_gold_is_left_out():
    scores = _scores(["D1:1"], Question("c:q0", "?", (), ("s1",)))
    assert {unit for _, unit, _ in scores} == {"session"}


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(ValueError, match="no evidence"):
        _scores(["D1:1"], Question("c:q0", "?"))
    with pytest.raises(ValueError, match="at least 1"):
        _scores(["D1:1"], Question("c:q0", "?", ("D1:1",)), (0,))
    with pytest.raises(ValueError, match="scored against"):
        r.score_question(Ranking("other", (), ()), Question("c:q0", "?", ("D1:1",)), (1,), SESSION_OF)


def test_saturation():
    assert r.saturated(10, 10) and not r.saturated(10, 11)
    assert r.count_saturated([5, 10, 400], (1, 10, 50)) == {1: 0, 10: 2, 50: 2}
