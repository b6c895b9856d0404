from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorai.answer.judge import LocomoJudge, LongMemEvalJudge
from memorai.answer.types import Answer, Judge, Verdict
from memorai.datasets.longmemeval import CATEGORIES
from memorai.errors import InputError
from memorai.models.llm import Accounting, Reply
from memorai.types import Question
from tests import chat_server
from tests.chat_server import ChatServer, asked, refused, said
from tests.scripted_llm import FAILURES, ScriptedLLM

RIGHT, WRONG = {"label": "CORRECT"}, {"label": "WRONG"}


def question(category: str = "single_hop", gold: str | None = "Rome", answerable: bool = True) -> Question:
    return Question("q", "Where does Bob live?", category=category, answer=gold, answerable=answerable)


def judged(judge: Judge, count: int) -> list[Verdict]:
    return judge.judge([question() for _ in range(count)], [Answer("in Rome") for _ in range(count)])


def test_locomo_asks_for_a_label() -> None:
    llm = ScriptedLLM([RIGHT, WRONG])
    assert judged(LocomoJudge(llm), 2) == [Verdict(True), Verdict(False)]
    lines = llm.prompts[0].user.splitlines()
    assert [line for line in lines if line.endswith(("live?", " Rome"))] == [
        "Question: Where does Bob live?",
        "Right answer: Rome",
        "Answer given: in Rome",
    ]
    assert llm.stages == ["judge_locomo"] * 2


@pytest.mark.parametrize("judge", [LocomoJudge, LongMemEvalJudge])
def test_what_is_not_asked(judge: type) -> None:
    llm = ScriptedLLM([])
    answers = [Answer("", error="timeout"), Answer("kept", error="timeout"), Answer(" "), Answer("Rome")]
    questions = [question(), question(), question(), question(gold=None)]
    assert judge(llm).judge(questions, answers) == [*[Verdict(False, "no_answer")] * 3, Verdict(None, "not_judged")]
    assert judge(llm).judge([], []) == [] and not llm.prompts


def test_locomo_leaves_adversarial_questions_to_the_abstentions() -> None:
    llm = ScriptedLLM([RIGHT])
    questions = [question("adversarial", answerable=False), question("adversarial"), question("temporal")]
    verdicts = LocomoJudge(llm).judge(questions, [Answer("x"), Answer("", error="empty"), Answer("y")])
    assert verdicts == [Verdict(None, "not_judged"), Verdict(None, "not_judged"), Verdict(True)]


@pytest.mark.parametrize(
    ("category", "answerable", "kind"),
    [
        ("single-session-user", True, "default"),
        ("single-session-assistant", True, "default"),
        ("single-session-preference", True, "preference"),
        ("multi-session", True, "default"),
        ("temporal-reasoning", True, "temporal"),
        ("knowledge-update", True, "update"),
        ("knowledge-update", False, "abstention"),
        ("single_hop", True, "default"),
        ("adversarial", False, "abstention"),
    ],
)
def test_longmemeval_has_a_prompt_a_kind(tmp_path: Path, category: str, answerable: bool, kind: str) -> None:
    prompts = {}
    for name in LongMemEvalJudge.PROMPTS:
        path = tmp_path / f"{name}.txt"
        path.write_text(f"{name}: {{}} {{}} {{}}", encoding="utf-8")
        prompts[name] = str(path)
    llm = ScriptedLLM(["yes"])
    judge = LongMemEvalJudge(llm, prompts)
    assert judge.judge([question(category, answerable=answerable)], [Answer("in Rome")]) == [Verdict(True)]
    assert llm.prompts[0].user == f"{kind}: Where does Bob live? Rome in Rome"
    assert not llm.prompts[0].system


def test_its_kinds_are_for_categories_that_there_are() -> None:
    assert set(LongMemEvalJudge.KINDS) < set(CATEGORIES)


def test_longmemeval_keeps_the_order_across_kinds() -> None:
    def script(user: str, _: int) -> str:
        return "yes" if "off by one" in user or "Explanation: The chats do not tell." in user else "no"

    questions = [
        question(),
        question("temporal-reasoning"),
        question(gold=None, answerable=False),
        question("knowledge-update"),
        question("temporal-reasoning"),
        question("single-session-preference", gold=None),
    ]
    verdicts = LongMemEvalJudge(ScriptedLLM(script)).judge(questions, [Answer("Rome")] * 6)
    assert [verdict.correct for verdict in verdicts] == [False, True, True, False, True, None]


@pytest.mark.parametrize(
    "bad",
    [
        *((failure, failure.error) for failure in FAILURES),
        ("CORRECT", "unparsable"),
        ("yes", "unparsable"),
        ({"verdict": "CORRECT"}, "unparsable"),
        ({"label": "INCORRECT"}, "unusable"),
        ({"label": "not correct"}, "unusable"),
        ({"label": "CORRECT and WRONG"}, "unusable"),
        ({"label": True}, "unusable"),
        ('{"label": "CORRECT"} or {"label": "WRONG"}?', "unusable"),
    ],
    ids=str,
)
def test_an_unreadable_label_is_neither_right_nor_wrong(bad: tuple[Any, str]) -> None:
    llm = ScriptedLLM([RIGHT, bad[0], WRONG])
    with pytest.warns(UserWarning, match="judge_locomo: 1 of 3 calls .* these answers have no verdict"):
        assert judged(LocomoJudge(llm), 3) == [Verdict(True), Verdict(None, bad[1]), Verdict(False)]
    assert llm.accounting.uses()[0].failed == 1


@pytest.mark.parametrize(
    "bad",
    [
        *((failure, failure.error) for failure in FAILURES),
        ("", "empty"),
        ("<think>yes</think>", "empty"),
        ("yes and no", "unusable"),
        ("Yes, it is not correct.", "unusable"),
        (Reply("The response says", truncated=True), "unusable"),
    ],
    ids=str,
)
def test_an_unreadable_yes_or_no_is_neither_right_nor_wrong(bad: tuple[Any, str]) -> None:
    llm = ScriptedLLM(["Yes.", bad[0], "No."])
    with pytest.warns(UserWarning, match="judge_longmemeval: 1 of 3 calls .* these answers have no verdict"):
        assert judged(LongMemEvalJudge(llm), 3) == [Verdict(True), Verdict(None, bad[1]), Verdict(False)]
    assert llm.accounting.uses()[0].failed == 1


NAMED = 'Q={question} G={gold_answer} A={generated_answer} {{"label": "CORRECT"}}'


@pytest.mark.parametrize("text", [NAMED, NAMED.replace("{question}", "{}")[:4] + ' G={} A={} {{"label": "CORRECT"}}'])
def test_a_published_prompt_is_taken_as_it_stands(tmp_path: Path, text: str) -> None:
    path = tmp_path / "official.txt"
    path.write_text(text, encoding="utf-8")
    llm = ScriptedLLM([RIGHT])
    asked_of = Question("q", "Is {} or {gold_answer} a name?", answer="no")
    assert LocomoJudge(llm, str(path)).judge([asked_of], [Answer("{question}")]) == [Verdict(True)]
    assert llm.prompts[0].user == 'Q=Is {} or {gold_answer} a name? G=no A={question} {{"label": "CORRECT"}}'


def test_own_prompts_and_no_model_are_checked_before_anything_is_asked(tmp_path: Path) -> None:
    def named(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    llm = ScriptedLLM([])
    for judge in (LocomoJudge, LongMemEvalJudge):
        with pytest.raises(InputError, match="needs a language model"):
            judge(None)
    with pytest.raises(InputError, match=r"has 2 unnamed {}; give 3, for question, gold_answer, generated_answer"):
        LocomoJudge(llm, named("two.txt", "{} {}"))
    with pytest.raises(InputError, match=r"must hold {generated_answer}, {gold_answer}"):
        LocomoJudge(llm, named("part.md", "---\n{question}"))
    with pytest.raises(InputError, match=r"no value for {response}"):
        LocomoJudge(llm, named("other.txt", "{question} {gold_answer} {generated_answer} {response}"))
    with pytest.raises(InputError, match="no kind date, time; there are default, temporal"):
        LongMemEvalJudge(llm, {"time": "gate"}, {"single_hop": "date"})


def test_labels_tell_prompts_apart(tmp_path: Path) -> None:
    llm = ScriptedLLM([])
    own = tmp_path / "own.txt"
    own.write_text("{} {} {}", encoding="utf-8")
    labels = [
        LocomoJudge(llm).labels(),
        LocomoJudge(llm, str(own)).labels(),
        LongMemEvalJudge(llm).labels(),
        *(LongMemEvalJudge(llm, {kind: str(own)}).labels() for kind in LongMemEvalJudge.PROMPTS),
    ]
    assert {label["judge"] for label in labels} == {"scripted"}
    hashes = [label["prompt_sha256"] for label in labels]
    assert len(set(hashes)) == 8 and all(len(each) == 12 and int(each, 16) >= 0 for each in hashes)
    # sha256 of "\n---\n{question} {gold_answer} {generated_answer}"
    assert hashes[1] == "68532b5c2477"


@pytest.mark.filterwarnings("ignore:judge_:UserWarning")
@pytest.mark.parametrize(
    ("judge", "good", "overlong", "verdict"),
    [
        (LocomoJudge, '{"label": "CORRECT"}', '{"label": "CORRECT' + " CORRECT" * 3000, "unusable"),
        (LongMemEvalJudge, "yes", "yes " * 3000, "unusable"),
    ],
)
def test_over_http_each_bad_answer_costs_its_own_verdict(judge: type, good: str, overlong: str, verdict: str) -> None:
    pytest.importorskip("openai")
    from memorai.models.llm_openai import OpenAIClient

    answers = {
        "good": (said(good), ""),
        "not json": (chat_server.Answer("<html>busy</html>"), "server"),
        "no message": (chat_server.Answer({"choices": [{"finish_reason": "stop"}]}), "server"),
        "empty": (said(None), "empty"),
        "refusing": (said(None, refusal="I will not."), "refusal"),
        "rejected": (refused(401, "no such key"), "request"),
        "dropped": (chat_server.Answer("", drop=True), "connection"),
        "overlong": (said(overlong, finish="length"), verdict),
    }

    def script(body: dict[str, Any], _: int) -> chat_server.Answer:
        return next(answer for name, (answer, _) in answers.items() if f": {name}?" in asked(body))

    with ChatServer(script) as server:
        llm = OpenAIClient("m", server.base_url, cache=False, accounting=Accounting(), max_retries=0, progress=False)
        questions = [Question(name, f"{name}?", answer="Rome") for name in answers]
        verdicts = judge(llm).judge(questions, [Answer("Rome")] * len(questions))
        structured = ["response_format" in body for body in server.requests]
    assert dict(zip(answers, verdicts, strict=True)) == {
        name: Verdict(None, error) if error else Verdict(True) for name, (_, error) in answers.items()
    }
    assert any(structured) == (judge is LocomoJudge)
