from __future__ import annotations

import math

import pytest

from memorai.errors import InputError
from memorai.models.llm import Reply
from memorai.write.extraction import Segment
from memorai.write.llm_gate import LLMGate, LLMLogitGate, fit_threshold, yes_probability
from memorai.write.llm_step import Unusable
from memorai.write.segment import SessionSegmenter
from tests.scripted_llm import FAILURES, ScriptedLLM
from tests.toys import CONVERSATION, TURNS

SEGMENTS = SessionSegmenter().segment(CONVERSATION)


def test_listed_messages_are_kept() -> None:
    scores = LLMGate(ScriptedLLM([{"keep": [1, 3]}, {"keep": []}])).score(SEGMENTS)
    assert scores == {"t1": 1.0, "t2": 0.0, "t3": 1.0, "t4": 0.0, "t5": 0.0}


@pytest.mark.parametrize("bad", [*FAILURES, {"keep": [0, 44]}, {"keep": ["all"]}], ids=str)
def test_a_failed_segment_keeps_all_its_turns(bad: object) -> None:
    with pytest.warns(UserWarning, match="gate: 1 of 2 calls .* kept"):
        scores = LLMGate(ScriptedLLM([bad, {"keep": [2]}])).score(SEGMENTS)
    assert scores == {"t1": 1.0, "t2": 1.0, "t3": 1.0, "t4": 0.0, "t5": 1.0}


@pytest.mark.parametrize(
    ("listed", "kept"), [([], ["t1", "t2", "t3"]), ([2], ["t2", "t3"]), ([3], ["t3"]), ([3, 1], ["t1", "t3"])]
)
def test_a_list_that_was_cut_off_says_nothing_of_what_comes_after(listed: list[int], kept: list[str]) -> None:
    scores = LLMGate(ScriptedLLM([Reply("x", {"keep": listed}, truncated=True)])).score(SEGMENTS[:1])
    assert [id_ for id_, score in scores.items() if score] == kept


def test_of_overlapping_segments_the_higher_score_holds() -> None:
    overlapping = [Segment("a", TURNS[:3]), Segment("b", TURNS[1:4])]
    scores = LLMGate(ScriptedLLM([{"keep": [2]}, {"keep": [2]}])).score(overlapping)
    assert scores == {"t1": 0.0, "t2": 1.0, "t3": 1.0, "t4": 0.0}


def test_long_segments_are_shown_in_windows() -> None:
    llm = ScriptedLLM([{"keep": [1]}, {"keep": [1]}, {"keep": [2]}])  # of two, one and two turns
    scores = LLMGate(llm, max_turns=2).score([Segment("a", TURNS)])
    assert [id_ for id_, score in scores.items() if score] == ["t1", "t3", "t5"]


def said(yes: float, no: float) -> Reply:
    return Reply("", logprobs={"Yes": math.log(yes), "No": math.log(no)})


def test_the_odds_of_yes_are_the_score_and_each_turn_sees_those_before() -> None:
    llm = ScriptedLLM([said(0.6, 0.2), said(0.1, 0.3), said(0.5, 0.5), said(0.2, 0.0001), said(0.4, 0.1)])
    scores = LLMLogitGate(llm, context=1).score(SEGMENTS)
    assert scores["t1"] == pytest.approx(0.75) and scores["t2"] == pytest.approx(0.25)
    assert list(scores) == ["t1", "t2", "t3", "t4", "t5"]
    assert "(none)" in llm.prompts[0].user and "Ann: I adopted a puppy." not in llm.prompts[2].user
    assert "Bob: What is its name?" in llm.prompts[2].user


def test_a_turn_without_yes_or_no_is_kept() -> None:
    answers = [
        said(0.1, 0.9),
        Reply("", logprobs={"Maybe": -0.1}),
        Reply(error="timeout"),
        said(0.1, 0.9),
        said(1, 0.1),
    ]
    with pytest.warns(UserWarning, match="2 of 5 calls"):
        scores = LLMLogitGate(ScriptedLLM(answers)).score(SEGMENTS)
    assert [scores[t] > 0.5 for t in ("t1", "t2", "t3", "t4", "t5")] == [False, True, True, False, True]


def test_ways_to_write_yes_are_summed() -> None:
    odds = yes_probability({"Yes": math.log(0.2), " yes": math.log(0.1), "NO": math.log(0.1), "the": math.log(0.5)})
    assert odds == pytest.approx(0.75)
    with pytest.raises(Unusable):
        yes_probability({"the": -0.1})


@pytest.mark.parametrize(
    ("max_fnr", "expected"),
    [(0.0, 0.1), (0.24, 0.1), (0.25, 0.3), (0.5, 0.6), (0.75, 0.9)],
)
def test_a_threshold_loses_no_more_gold_than_allowed(max_fnr: float, expected: float) -> None:
    scores, gold = [0.9, 0.2, 0.1, 0.6, 0.95, 0.3], [True, False, True, True, False, True]
    threshold = fit_threshold(scores, gold, max_fnr)
    assert threshold == expected
    lost = sum(g and s < threshold for s, g in zip(scores, gold, strict=True)) / sum(gold)
    assert lost <= max_fnr


def test_values_are_checked() -> None:
    with pytest.raises(InputError, match="threshold=2"):
        LLMLogitGate(ScriptedLLM([]), threshold=2)
    with pytest.raises(InputError, match="0 gold turns"):
        fit_threshold([0.5], [False])
    with pytest.raises(InputError, match="max_turns=0"):
        LLMGate(ScriptedLLM([]), max_turns=0)
