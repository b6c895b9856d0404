import datetime as dt
from dataclasses import replace

import pytest

from memorai.datasets.checks import (
    RESERVED_CATEGORIES,
    category_order,
    check_conversation,
    check_ids,
    count,
    scalar_text,
)
from memorai.errors import InputError
from memorai.metrics import statistics
from memorai.types import Conversation, Question, Session, Turn

T1 = Turn("t1", "s1", "Ann", "Hi.")
T2 = Turn("t2", "s1", "Bob", "", caption="a cat")
T3 = Turn("t3", "s2", "Ann", "Bye.")
Q0 = Question("c:q0", "Who?", evidence=("t1", "t3"), evidence_sessions=("s1", "s2"), category="a")
Q1 = Question("c:q1", "What?", category="b")
GOOD = Conversation("c", (Session("s1", (T1, T2)), Session("s2", (T3,))), (Q0, Q1))


def with_turn(turn):
    return replace(GOOD, sessions=(Session("s1", (T1, turn)), Session("s2", (T3,))))


def with_question(**changes):
    return replace(GOOD, questions=(replace(Q0, **changes),))


def test_a_good_conversation_passes():
    check_conversation(GOOD, "f")


@pytest.mark.parametrize(
    ("conversation", "message"),
    [
        (replace(GOOD, sessions=()), "has no turns"),
        (with_turn(replace(T2, id="t1")), "turn id 't1' occurs twice"),
        (with_turn(replace(T2, id="t3")), "turn id 't3' occurs twice"),
        (replace(GOOD, sessions=(Session("s1", (T1,)), Session("s1", (T2,)))), "session id 's1' occurs twice"),
        (replace(GOOD, sessions=(*GOOD.sessions, Session("s3", ()))), "session 's3' has no turns"),
        (with_turn(replace(T2, session_id="s9")), "says session 's9'"),
        (with_turn(replace(T2, text=" ", caption=" ")), "neither text nor caption"),
        (with_question(text=" \n"), "is blank"),
        (with_question(category=""), "question 'c:q0': the category is blank; name it"),
        (with_question(category="macro"), "question 'c:q0': category 'macro' is the name of a mean"),
        (with_question(category="weighted"), "category 'weighted' is the name of a mean .*; call it otherwise"),
        (with_question(evidence=("t9",)), "evidence turn 't9' does not exist"),
        (with_question(evidence_sessions=("s9",)), "evidence session 's9' does not exist"),
        (with_question(evidence=("t1", "t1")), "'t1' occurs twice"),
        (
            replace(
                with_turn(replace(T2, time=dt.datetime(2024, 1, 1))),
                questions=(replace(Q0, time=dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),),
            ),
            "offset from UTC",
        ),
    ],
)
def test_each_fault_is_named(conversation, message):
    with pytest.raises(InputError, match=message) as caught:
        check_conversation(conversation, "f.json")
    assert str(caught.value).startswith("f.json: conversation 'c'")
    assert "\n" not in str(caught.value)


def test_ids_are_unique_in_a_data_set():
    with pytest.raises(InputError, match="conversation id 'c' occurs twice"):
        check_ids([GOOD, GOOD], "f")
    with pytest.raises(InputError, match="question id 'c:q0' occurs twice"):
        check_ids([GOOD, replace(GOOD, id="d")], "f")


def test_counts():
    assert count([GOOD], ("a", "b")) == {
        "conversations": 1, "sessions": 2, "turns": 3, "captions": 1, "questions": 2, "scored": 1,
        "questions/a": 1, "scored/a": 1, "questions/b": 1, "scored/b": 0,
    }  # fmt: skip


def test_category_order():
    assert category_order([GOOD], ("z", "b")) == ("b", "a")


def test_answers_become_text():
    assert [scalar_text(value, "x") for value in (None, "a", 3, 2.5)] == [None, "a", "3", "2.5"]
    with pytest.raises(InputError, match="not a list; write it as text"):
        scalar_text([1], "x")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_an_answer_that_is_no_number(value):
    with pytest.raises(InputError, match=r"^x: an answer must be text or a finite number, not -?(nan|inf); write"):
        scalar_text(value, "x")


def test_the_reserved_categories_are_those_of_the_statistics():
    assert (statistics.MACRO, statistics.WEIGHTED) == RESERVED_CATEGORIES
