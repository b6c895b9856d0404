from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.models.llm import Reply
from memorai.types import Conversation, Session
from memorai.write.llm_segment import LLMSegmenter
from tests.scripted_llm import FAILURES, ScriptedLLM
from tests.toys import CONVERSATION, turn


def cut(*answers: object, conversation: Conversation = CONVERSATION, **options: int) -> list[tuple[str, list[str]]]:
    segmenter = LLMSegmenter(ScriptedLLM(list(answers)), **options)
    return [(s.id, [t.id for t in s.turns]) for s in segmenter.segment(conversation)]


def test_topics_begin_where_the_model_says() -> None:
    assert cut({"starts": [1, 3]}, {"starts": [1]}) == [
        ("s1#0", ["t1", "t2"]),
        ("s1#1", ["t3"]),
        ("s2#0", ["t4", "t5"]),
    ]
    assert cut([2], {"starts": []}) == [("s1#0", ["t1"]), ("s1#1", ["t2", "t3"]), ("s2#0", ["t4", "t5"])]


@pytest.mark.parametrize("bad", [*FAILURES, {"starts": [0, 17]}], ids=lambda bad: getattr(bad, "error", "range"))
def test_a_failed_session_is_one_segment_and_the_others_are_cut(bad: object) -> None:
    with pytest.warns(UserWarning, match="segment: 1 of 2 calls"):
        found = cut(bad, {"starts": [1, 2]})
    assert found == [("s1#0", ["t1", "t2", "t3"]), ("s2#0", ["t4"]), ("s2#1", ["t5"])]


def test_indices_out_of_range_beside_good_ones_are_ignored() -> None:
    assert cut({"starts": [1, 3, 99]}, {"starts": [1]})[:2] == [("s1#0", ["t1", "t2"]), ("s1#1", ["t3"])]


def test_a_single_turn_is_not_asked_about_and_an_empty_session_is_left_out() -> None:
    lone = (turn("t6", "s3", "Ann", "Hi."),)
    conversation = replace(CONVERSATION, sessions=(Session("s0", ()), Session("s3", lone)))
    assert cut(conversation=conversation) == [("s3#0", ["t6"])]


def test_a_long_session_is_shown_in_windows() -> None:
    turns = tuple(turn(f"t{i}", "s1", "Ann", f"text {i}") for i in range(7))
    conversation = Conversation("c", (Session("s1", turns),))
    llm = ScriptedLLM([{"starts": [1, 3]}, {"starts": [1]}])
    segments = LLMSegmenter(llm, max_turns=4).segment(conversation)
    assert [[t.id for t in s.turns] for s in segments] == [["t0", "t1"], ["t2", "t3"], ["t4", "t5", "t6"]]
    assert [s.id for s in segments] == ["s1#0", "s1#1", "s1#2"]
    assert "[1] Ann: text 4" in llm.prompts[1].user and "text 3" not in llm.prompts[1].user


def test_appending_a_session_changes_no_earlier_segment() -> None:
    def script(user: str, _: int) -> Reply | dict:
        return {"starts": [1, 2]}

    first = replace(CONVERSATION, sessions=CONVERSATION.sessions[:1])
    before = LLMSegmenter(ScriptedLLM(script)).segment(first)
    assert LLMSegmenter(ScriptedLLM(script)).segment(CONVERSATION)[: len(before)] == before


def test_values_are_checked() -> None:
    with pytest.raises(InputError, match="max_turns=1"):
        LLMSegmenter(ScriptedLLM([]), max_turns=1)
