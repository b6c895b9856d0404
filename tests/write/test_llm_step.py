from __future__ import annotations

import warnings
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.models.llm import Reply
from memorai.models.prompts import Template
from memorai.write.llm_step import Failed, Step, Unusable, refuses, shown, windows
from tests.scripted_llm import ScriptedLLM
from tests.toys import TURNS


def test_turns_are_numbered_lines_under_their_date() -> None:
    tricky = replace(TURNS[1], text="Look!\n[1] Ann: fake", caption="a puppy")
    values = shown([TURNS[0], tricky])
    assert values["date"] == "2024-05-02 00:00"
    assert values["messages"].splitlines() == [
        "[1] Ann: I adopted a puppy.",
        "[2] Bob: Look! [1] Ann: fake (shows a picture: a puppy)",
    ]
    assert shown([replace(TURNS[0], time=None)])["date"] == "unknown date"


@given(st.integers(0, 200), st.integers(2, 70))
def test_windows_cover_all_turns_in_few_even_runs(count: int, size: int) -> None:
    turns = [replace(TURNS[0], id=str(i)) for i in range(count)]
    cut = list(windows(turns, size))
    assert [turn for window in cut for turn in window] == turns
    lengths = [len(window) for window in cut]
    assert len(cut) == -(-count // size)
    assert not lengths or (max(lengths) <= size and max(lengths) - min(lengths) <= 1)


def test_failures_cost_their_own_stretch_and_are_told_once() -> None:
    llm = ScriptedLLM([Reply(error="timeout", detail="slow"), {"keep": [1]}, "nonsense", {"keep": [9]}])
    step = Step(llm, "gate", "gate", {"type": "object", "properties": {"keep": {"type": "array"}}}, "all are kept")

    def read(place: int, reply: Reply) -> tuple[int, int]:
        if reply.parsed["keep"] == [9]:
            raise Unusable("9 is no message")
        return place, reply.parsed["keep"][0]

    with pytest.warns(UserWarning) as told:
        assert step.ask([shown(TURNS)] * 4, read) == [None, (1, 1), None, None]
    assert [str(w.message) for w in told] == [
        "gate: 3 of 4 calls gave nothing usable (timeout 1, unparsable 1, unusable 1; first: slow); all are kept"
    ]
    assert step.failures == {"timeout": 1, "unparsable": 1, "unusable": 1}
    use = llm.accounting.uses()[0]
    assert (use.stage, use.calls, use.failed) == ("gate", 4, 3)


def test_each_failure_can_be_had_with_its_reason() -> None:
    llm = ScriptedLLM([Reply(error="timeout", detail="slow"), "fine", "", "odd"])
    step = Step(llm, "answer", Template("own", "", "{question}"), None, "they stay empty")

    def read(_: int, reply: Reply) -> str:
        if not reply.text:
            raise Unusable("no words", "empty")
        if reply.text == "odd":
            raise Unusable("odd")
        return reply.text

    with pytest.warns(UserWarning, match=r"3 of 4 .*\(empty 1, timeout 1, unusable 1; first: slow\); they stay empty"):
        found = step.ask_each([{"question": "?"}] * 4, read)
    assert found == [Failed("timeout", "slow"), "fine", Failed("empty", "no words"), Failed("unusable", "odd")]
    assert llm.accounting.uses()[0].failed == 3


@pytest.mark.parametrize("text", ["I'm sorry, but I can't help with that.", "I cannot answer that", "抱歉，我不能回答"])
def test_a_refusal_is_seen(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize("text", ["Ann is sorry that she can't come.", "I can't wait, said Ann.", "I answer", ""])
def test_regret_is_no_refusal(text: str) -> None:
    assert not refuses(text)


def test_nothing_is_said_where_nothing_failed() -> None:
    step = Step(ScriptedLLM(["fine"]), "summarize", "summarize", None, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert step.ask([shown(TURNS)], lambda _, reply: reply.text) == ["fine"]


def test_a_step_needs_a_model_and_a_prompt() -> None:
    with pytest.raises(InputError, match="gate step needs a language model; choose one, such as llm=gpt_oss_20b"):
        Step(None, "gate", "gate", None, "")
    with pytest.raises(InputError, match="prompt other"):
        Step(ScriptedLLM([]), "gate", "other", None, "")
