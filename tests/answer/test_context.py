from __future__ import annotations

import pytest

from memorai.answer.context import FullContext, RankedContext, count_words, turn_line
from memorai.errors import InputError
from memorai.graph.schema import Relation, Snippet
from memorai.types import Turn
from tests.toys import TURNS

RELATIONS = (Relation("ann", "owns", "rex", ("t1", "t3")), Relation("bob", "lives in", "rome", ("t4",)))
SNIPPETS = (Snippet("s", "Ann has a dog.", ("t1", "t2", "t3")), Snippet("e", "", ("t4", "t5")))


def test_turns_in_time_order_then_only_relations_that_cite_them():
    context = RankedContext(turns=2).build(TURNS, ["t3", "t1", "t4"], RELATIONS, SNIPPETS)
    assert context.text.split("\n") == [
        "[t1] 2024-05-02 00:00 Ann: I adopted a puppy.",
        "[t3] 2024-05-02 00:00 Ann: He is called Rex.",
        "[t1, t3] 2024-05-02 00:00 Ann: ann owns rex",
    ]
    assert (context.ranked, [turn.id for turn in context.turns]) == (("t3", "t1"), ["t1", "t3"])
    assert context.tokens == sum(count_words(line) for line in context.text.split("\n"))


def test_turns_only_and_with_summaries():
    bare = RankedContext(relations=False).build(TURNS, ["t4", "t2"], RELATIONS, SNIPPETS).text
    assert bare == "[t2] 2024-05-02 00:00 Bob: What is its name?\n[t4] 2024-05-03 00:00 Bob: I moved to Rome."
    summed = RankedContext(relations=False, summaries=True).build(TURNS, ["t4", "t2"], RELATIONS, SNIPPETS).text
    assert summed == f"{bare}\n[t1, t2, t3] 2024-05-02 00:00 Bob: Ann has a dog."


def test_a_turn_too_long_is_passed_over_and_the_budget_is_kept():
    context = RankedContext(tokens=10, relations=True, count=lambda line: 6 if "t3" in line else 5).build(
        TURNS, ["t1", "t3", "t5"], RELATIONS
    )
    assert (context.ranked, context.tokens, context.left_out) == (("t1", "t5"), 10, 1)
    assert RankedContext(tokens=1).build(TURNS, ["t1"], RELATIONS).text == ""


def test_every_line_stays_one_line_and_shows_what_is_shared():
    assert turn_line(Turn("t", "s", "Ann", "a\n[t9] Bob: b", caption="c")) == "[t] Ann: a [t9] Bob: b [shares: c]"


def test_bad_input():
    with pytest.raises(InputError, match="t9"):
        RankedContext().build(TURNS, ["t9"])
    for options in ({"turns": 0}, {"tokens": 0}):
        with pytest.raises(InputError):
            RankedContext(**options)


def test_a_full_context_keeps_the_newest_turns_that_fit() -> None:
    turns = [Turn(f"t{i}", "s", "Ann", f"word{i}") for i in range(4)]
    whole = FullContext().build(turns, ["t2"])
    assert whole.turns == tuple(turns) and whole.ranked == ("t2",) and whole.left_out == 0
    cost = count_words(turn_line(turns[0]))
    cut = FullContext(tokens=2 * cost).build(turns, ["t0", "t3"])
    assert [turn.id for turn in cut.turns] == ["t2", "t3"] and cut.ranked == ("t3",)
    assert (cut.left_out, cut.tokens) == (2, 2 * cost) and cut.text == "[t2] Ann: word2\n[t3] Ann: word3"
    assert FullContext(tokens=1).build(turns, []).turns == ()
    with pytest.raises(InputError, match="at least 1 token"):
        FullContext(tokens=0)
