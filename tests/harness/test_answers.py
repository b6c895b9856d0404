from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from memorai.answer.context import RankedContext
from memorai.answer.types import Answer
from memorai.errors import InputError
from memorai.harness.answers import run_readers, stratified
from memorai.models.llm import ACCOUNTING, Reply
from memorai.systems.oracle import OracleSystem
from memorai.types import Conversation, Dataset, Question, Session, Turn
from tests.toys import CONVERSATION, toy_graph

OTHER = replace(
    CONVERSATION,
    id="other",
    questions=tuple(replace(q, id=q.id.replace("toy", "other")) for q in CONVERSATION.questions),
)
DATASET = Dataset("toys", "1", "", (CONVERSATION, OTHER))


class Counting:
    """Answers with the ids of the context's turns, and counts one call a question."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def read(self, questions, contexts):
        for question in questions:
            self.seen.append(question.id)
            assert not hasattr(question, "answer")  # no gold
            ACCOUNTING.add("answer", [Reply("x")], 0.5)
        return [Answer(" ".join(turn.id for turn in context.turns) or "none") for context in contexts]


class Failing:
    def read(self, questions, contexts):
        if questions[0].id.startswith("other"):
            raise RuntimeError("out of\nmemory")
        return [Answer("fine") for _ in questions]


class Short:
    def read(self, questions, contexts):
        return [Answer("only one")]


class Picky:
    def read(self, questions, contexts):
        raise InputError("no model")


class WithGraph(OracleSystem):
    """The oracle with the toy graph behind it, and an error on request."""

    def index(self, conversation):
        index = super().index(conversation)

        class Index:
            indexed = type("Indexed", (), {"graph": toy_graph()})()
            search, statistics, seconds = index.search, index.statistics, index.seconds

        return Index()


class Broken(OracleSystem):
    def index(self, conversation):
        raise RuntimeError("no index")


def run(readers, systems=None, builder=None, questions=None):
    given = stratified(DATASET, None) if questions is None else questions
    return run_readers(
        DATASET, systems or {"gold": OracleSystem(only=True)}, builder or RankedContext(), readers, given, 3, False
    )


def test_every_question_of_every_system_reaches_every_reader() -> None:
    reader = Counting()
    outcomes, answered = run({"a": reader, "b": reader}, {"gold": OracleSystem(only=True), "all": OracleSystem()})
    assert [one.name for one in answered] == ["gold + a", "gold + b", "all + a", "all + b"]
    assert answered[0].answers["toy:q1"].text == "t1 t3" and answered[0].held["toy:q1"] == ("t1", "t3")
    assert answered[0].answers["toy:q2"].text == "none"  # without evidence the ideal context is empty
    assert len(answered[2].answers["toy:q2"].text.split()) == 5
    assert set(outcomes[0].rankings) == {q.id for c in DATASET.conversations for q in c.questions}
    assert len(answered[0].milliseconds) == 6 and Counter(reader.seen)["toy:q0"] == 4
    (use,) = answered[3].costs.uses()
    assert (use.stage, use.calls, use.seconds) == ("answer", 6, 3.0)


def test_contexts_hold_the_relations_of_a_system_s_graph() -> None:
    class Lines:
        def read(self, questions, contexts):
            return [Answer(context.text.splitlines()[-1]) for context in contexts]

    _, (answered,) = run({"lines": Lines()}, {"graph": WithGraph()})
    assert answered.answers["toy:q0"].text == "[t5] 2024-05-03 00:00 Ann: rex loves rome"


def test_a_reader_that_raises_loses_one_conversation() -> None:
    _, (bad, good) = run({"bad": Failing(), "good": Counting()})
    assert bad.answers["toy:q0"].text == "fine"
    assert bad.answers["other:q0"] == Answer("", error="raised")
    (failure,) = bad.failures
    assert (failure.system, failure.conversation) == ("gold + bad", "other")
    assert failure.error == "RuntimeError: out of memory"
    assert good.answers["other:q0"].text == "t4"


def test_a_system_that_raises_leaves_its_readers_with_nothing_to_read() -> None:
    outcomes, (answered,) = run({"r": Counting()}, {"broken": Broken()})
    assert len(outcomes[0].failures) == 2
    assert {answer.text for answer in answered.answers.values()} == {"none"}


def test_what_the_user_has_to_mend_ends_the_run() -> None:
    with pytest.raises(InputError, match="no model"):
        run({"picky": Picky()})
    with pytest.raises(InputError, match="no question to answer"):
        run({"a": Counting()}, questions={})
    with pytest.raises(ValueError, match="1 answers to 3 questions"):
        run({"short": Short()})


def _asked(counts: dict[str, int]) -> Dataset:
    questions = tuple(
        Question(f"c:q{i}", "?", category=name)
        for i, name in enumerate(name for name, count in counts.items() for _ in range(count))
    )
    return Dataset("d", "1", "", (Conversation("c", (Session("s", (Turn("t", "s", "A", "x"),)),), questions),))


def test_a_sample_keeps_the_categories_shares() -> None:
    dataset = _asked({"a": 50, "b": 30, "c": 20})
    drawn = stratified(dataset, 10, seed=3)["c"]
    assert Counter(question.category for question in drawn) == {"a": 5, "b": 3, "c": 2}
    assert drawn == stratified(dataset, 10, seed=3)["c"] != stratified(dataset, 10, seed=4)["c"]
    assert [int(q.id[3:]) for q in drawn] == sorted(int(q.id[3:]) for q in drawn)
    # 7 of 10: 3.5, 2.1, 1.4 -> 3, 2, 1 and the largest remainder one more
    assert Counter(q.category for q in stratified(_asked({"a": 5, "b": 3, "c": 2}), 7)["c"]) == {"a": 4, "b": 2, "c": 1}


def test_a_sample_as_large_as_the_data_is_the_data() -> None:
    dataset = _asked({"a": 3})
    assert stratified(dataset, 5) == stratified(dataset, None) == {"c": list(dataset.conversations[0].questions)}


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "200"])
def test_a_size_that_is_none(size) -> None:
    with pytest.raises(InputError, match=r"answers\.sample"):
        stratified(_asked({"a": 3}), size)
