from __future__ import annotations

import pytest

from memorai.models.llm import Reply
from memorai.write.llm_summarize import LLMSummarizer
from tests.scripted_llm import FAILURES, ScriptedLLM
from tests.toys import TURNS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann has a puppy.", "Ann has a puppy."),
        ("  Ann has\na puppy.\n", "Ann has a puppy."),
        ("<think>Hm.</think>\nAnn has a puppy.", "Ann has a puppy."),
        ('{"summary": "Ann has a puppy."}', "Ann has a puppy."),
        ('```json\n{"summary": "Ann has a puppy."}\n```', "Ann has a puppy."),
        ("```\nAnn has a puppy.\n```", "Ann has a puppy."),
        ("安养了一只小狗。", "安养了一只小狗。"),
    ],
)
def test_the_summary_is_what_is_left_of_the_reply(text: str, expected: str) -> None:
    assert LLMSummarizer(ScriptedLLM([text]))(TURNS[:3]) == expected


def test_a_summary_has_a_limit() -> None:
    assert LLMSummarizer(ScriptedLLM(["one two three four"]), max_words=2)(TURNS) == "one two …"


@pytest.mark.parametrize(
    "bad",
    [*FAILURES, "...", "<think>Hm.", "I'm sorry, but I can't help with that.", "很抱歉，我无法总结。", "As an AI, no."],
    ids=str,
)
def test_a_failed_segment_falls_back_and_the_others_do_not(bad: object) -> None:
    summarizer = LLMSummarizer(ScriptedLLM(["good", bad, "fine"]), fallback=lambda turns: f"{len(turns)} turns")
    with pytest.warns(UserWarning, match="summarize: 1 of 3 calls .* summarised extractively"):
        assert summarizer.many([TURNS[:1], TURNS[:2], TURNS[:3]]) == ["good", "2 turns", "fine"]


def test_without_a_fallback_the_summary_stays_empty() -> None:
    with pytest.warns(UserWarning, match="stay empty"):
        assert LLMSummarizer(ScriptedLLM([Reply(error="timeout")]))(TURNS) == ""


@pytest.mark.parametrize("text", ["Ann is sorry that she can't come.", "I can't wait, said Ann.", "抱歉，安说她会来。"])
def test_a_summary_may_speak_of_regret(text: str) -> None:
    assert LLMSummarizer(ScriptedLLM([text]))(TURNS[:3]) == text
