from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memorai.answer.context import RankedContext
from memorai.answer.llm_reader import LLMReader
from memorai.answer.types import Answer, Context
from memorai.errors import InputError
from memorai.graph.schema import Relation
from memorai.metrics.answer import f1_locomo
from memorai.models.llm import Accounting, Reply
from memorai.types import Query
from tests import chat_server
from tests.chat_server import ChatServer, asked, refused, said
from tests.scripted_llm import FAILURES, ScriptedLLM
from tests.toys import TURNS

CONTEXT = RankedContext().build(TURNS, ["t4", "t1"], [Relation("rex", "lives in", "rome", ("t4", "t5"))])
WHERE = Query("q0", "Where did\nBob move?", datetime(2024, 6, 1, 9))


def read(*replies: Any, context: Context = CONTEXT, **options: Any) -> list[Answer]:
    reader = LLMReader(ScriptedLLM(list(replies)), **options)
    return reader.read([WHERE] * len(replies), [context] * len(replies))


def test_the_prompt_holds_context_question_and_date() -> None:
    llm = ScriptedLLM(["Rome", "Rome"])
    LLMReader(llm).read([WHERE, Query("q1", "Who?")], [CONTEXT, Context("")])
    first, second = llm.prompts
    assert "[t4] 2024-05-03 00:00 Bob: I moved to Rome." in first.user.splitlines()
    assert "Asked on 2024-06-01 09:00: Where did Bob move?" in first.user.splitlines()
    assert first.user.endswith("Answer:")
    assert "No information available" in first.user
    assert "Asked on unknown date: Who?" in second.user and "(none)" in second.user
    assert llm.stages == ["answer", "answer"]


def test_a_reply_is_cleaned_and_its_citations_are_the_answers_turns() -> None:
    reply = Reply('<think>t1?</think>**Answer:** "Rome" [t4, t5]\n\nHe says so.', prompt_tokens=9, completion_tokens=4)
    assert read(reply) == [Answer("Rome", turn_ids=("t4", "t5"), info={"prompt_tokens": 9, "completion_tokens": 4})]


def test_of_a_copied_line_what_was_said_is_the_answer() -> None:
    (answer,) = read("[t4] 2024-05-03 00:00 Bob: I moved to Rome.")
    assert (answer.text, answer.turn_ids) == ("I moved to Rome.", ("t4",))


def test_ids_that_only_look_like_the_contexts_are_reported() -> None:
    (answer,) = read("Rome [t77]")
    assert (answer.text, answer.turn_ids, answer.info["invented"]) == ("Rome", (), ["t77"])


@pytest.mark.parametrize(
    ("reply", "text", "words"),
    [
        ("No information available", "No information available", None),
        ("No information available.", "No information available.", None),
        ("Not mentioned", "Not mentioned", None),
        (
            "The information provided is not enough.",
            "No information available",
            "The information provided is not enough.",
        ),
        ("I don't know", "No information available", "I don't know"),
    ],
)
def test_an_abstention_scores_as_one_whatever_its_words(reply: str, text: str, words: str | None) -> None:
    (answer,) = read(reply)
    assert (answer.text, answer.abstained, answer.info.get("said"), answer.error) == (text, True, words, "")
    assert f1_locomo(answer.text, None, "adversarial") == 1


def test_an_answer_is_no_abstention() -> None:
    assert not read("Rome")[0].abstained


def test_an_overlong_answer_is_cut_and_says_so() -> None:
    sentence, word = read("Bob moved. He moved to Rome in May", "to Rome in May", max_words=3)
    assert (sentence.text, sentence.info["cut"]) == ("Bob moved.", "sentence")
    assert (word.text, word.info["cut"]) == ("to Rome in", "word")
    (runaway,) = read("Rome and " * 5000)
    assert len(runaway.text.split()) == 100 and runaway.info["cut"] == "word"


def test_a_truncated_reply_is_kept_as_far_as_it_goes() -> None:
    (answer,) = read(Reply("Rome, becau", truncated=True))
    assert (answer.text, answer.error, answer.info["truncated"]) == ("Rome, becau", "", True)
    with pytest.warns(UserWarning, match="truncated 1"):
        (answer,) = read(Reply("<think>Rome", truncated=True))
    assert (answer.text, answer.error) == ("", "truncated")


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        *((failure, failure.error) for failure in FAILURES),
        ("", "empty"),
        ("...", "empty"),
        ("<think>Rome?</think>", "empty"),
        ("[t4]", "empty"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("As an AI, I have no friends.", "refusal"),
        ("很抱歉，我无法提供。", "refusal"),
    ],
    ids=str,
)
@pytest.mark.parametrize("notes", [False, True])
def test_a_failed_question_costs_no_other(bad: Any, error: str, notes: bool) -> None:
    llm = ScriptedLLM(["Answer: Rome", bad, "Answer: Paris"])
    with pytest.warns(UserWarning, match="answer: 1 of 3 calls gave nothing usable .* counts as a wrong one"):
        answers = LLMReader(llm, notes=notes).read([WHERE] * 3, [CONTEXT] * 3)
    assert [(answer.text, answer.error) for answer in answers] == [("Rome", ""), ("", error), ("Paris", "")]
    assert not answers[1].abstained and answers[1].info["detail"]
    assert llm.accounting.uses()[0].failed == 1
    json.dumps([dict(answer.info) for answer in answers])


def test_notes_come_first_and_their_ids_stand_in_for_the_answers() -> None:
    notes = "Notes:\n[t4] 3 May: he moved to Rome\nAnswer: unclear"
    llm = ScriptedLLM([f"{notes}\n**Answer:** Rome", "Notes:\nnone [t1]\nAnswer: Rome [t5]", "He moved.\n\nto Rome"])
    with_notes, cites, unmarked = LLMReader(llm, "answer_notes", notes=True).read([WHERE] * 3, [CONTEXT] * 3)
    assert (with_notes.text, with_notes.turn_ids, with_notes.info["notes"]) == ("Rome", ("t4",), notes)
    assert (cites.text, cites.turn_ids) == ("Rome", ("t5",))
    assert (unmarked.text, unmarked.info["unmarked"]) == ("to Rome", True)
    assert "Notes:" in llm.prompts[0].user


def test_notes_that_were_cut_off_hold_no_answer() -> None:
    with pytest.warns(UserWarning, match="truncated 1; .*among its notes"):
        (answer,) = read(Reply("Notes:\n[t4] he moved\n\nto", truncated=True), notes=True)
    assert (answer.text, answer.error) == ("", "truncated")


def test_the_prompt_may_be_a_file_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("{context}\nQ {question}", encoding="utf-8")
    llm = ScriptedLLM(["Rome"])
    reader = LLMReader(llm, str(own))
    reader.read([WHERE], [Context("[t4] {question}")])
    assert (llm.prompts[0].system, llm.prompts[0].user) == ("", "[t4] {question}\nQ Where did Bob move?")
    labels = reader.labels()
    assert labels["reader"] == "scripted" and len(labels["prompt_sha256"]) == 12
    assert labels != LLMReader(llm).labels() != LLMReader(llm, "answer_notes").labels()


def test_what_cannot_be_asked_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs a language model"):
        LLMReader(None)
    with pytest.raises(InputError, match="max_words=0"):
        LLMReader(ScriptedLLM([]), max_words=0)
    with pytest.raises(InputError, match=r"gate: no value for {messages}; there are context, date, question"):
        LLMReader(ScriptedLLM([]), "gate")
    own = tmp_path / "own.md"
    own.write_text("---\n{question}", encoding="utf-8")
    with pytest.raises(InputError, match=r"it must hold {context}"):
        LLMReader(ScriptedLLM([]), str(own))


@pytest.mark.filterwarnings("ignore:answer. 6 of 8:UserWarning")
def test_over_http_each_bad_answer_costs_its_own_question() -> None:
    pytest.importorskip("openai")
    from memorai.models.llm_openai import OpenAIClient

    answers = {
        "good": said("Rome [t4]"),
        "not json": chat_server.Answer("<html>busy</html>"),
        "no choices": chat_server.Answer({"choices": []}),
        "empty": said(None),
        "refusing": said(None, refusal="I will not."),
        "overflow": refused(400, "maximum context length is 10 tokens"),
        "dropped": chat_server.Answer("", drop=True),
        "overlong": said("Rome, " * 3000, finish="length"),
    }
    names = list(answers)

    def script(body: dict[str, Any], _: int) -> chat_server.Answer:
        return answers[next(name for name in names if f": {name}?" in asked(body))]

    with ChatServer(script) as server:
        llm = OpenAIClient("m", server.base_url, cache=False, accounting=Accounting(), max_retries=0, progress=False)
        found = LLMReader(llm).read([Query(name, f"{name}?") for name in names], [CONTEXT] * len(names))
    errors = {name: answer.error for name, answer in zip(names, found, strict=True)}
    assert errors == {
        "good": "",
        "not json": "server",
        "no choices": "server",
        "empty": "empty",
        "refusing": "refusal",
        "overflow": "context_overflow",
        "dropped": "connection",
        "overlong": "",
    }
    assert (found[0].text, found[0].turn_ids, found[0].info["prompt_tokens"]) == ("Rome", ("t4",), 7)
    assert found[-1].text.count("Rome") == 100 and found[-1].info["truncated"]
    assert [(use.stage, use.calls, use.failed) for use in llm.accounting.uses()] == [("answer", 8, 6)]
