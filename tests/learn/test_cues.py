from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from memorai.learn.cues import (
    PAIR_CUES,
    QUERY_CUES,
    TURN_CUES,
    PairCues,
    asked_months,
    query_cues,
    turn_cues,
    without_names,
)
from memorai.retrieval.neighbours import Sessions
from memorai.types import Query, Turn

TURNS = (
    Turn("1", "s1", "Ann Lee", "Where were you?", datetime(2024, 5, 1)),
    Turn("2", "s1", "Bob", "In Rome, two days ago.", datetime(2024, 5, 1), caption="a square"),
    Turn("3", "s2", "Bob", "It may rain.", datetime(2024, 6, 2)),
)


def column(table, names, name):
    return table[..., names.index(name)]


def test_turn_cues():
    table = turn_cues(TURNS, Sessions.of(TURNS))
    assert table.shape == (3, len(TURN_CUES))
    for name, expected in (
        ("asks", [1, 0, 0]),
        ("follows_asking", [0, 1, 0]),
        ("captioned", [0, 1, 0]),
        ("first", [1, 0, 1]),
        ("last", [0, 1, 1]),
        ("dated", [0, 1, 1]),  # "may" counts: a turn's case says little
    ):
        assert column(table, TURN_CUES, name).tolist() == expected, name
    assert column(table, TURN_CUES, "length") == pytest.approx(np.log1p([3, 5, 3]) / 4)


def test_pair_cues():
    asked = [Query("a", "When was Bob in Rome in May?"), Query("b", "How many days did Ann wait?"), Query("c", "Who?")]
    table = PairCues(TURNS)(asked)
    assert column(table, PAIR_CUES, "speaker_named").T.tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert column(table, PAIR_CUES, "other_named").T.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert column(table, PAIR_CUES, "when_dated").T.tolist() == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert column(table, PAIR_CUES, "many_digits").T.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert column(table, PAIR_CUES, "month").T.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_roles_are_named_by_pronouns():
    turns = (Turn("1", "s", "User", "Hi", role="user"), Turn("2", "s", "Assistant", "Hi", role="assistant"))
    asked = [Query("a", "What is my job?"), Query("b", "Which book did you recommend?")]
    assert column(PairCues(turns)(asked), PAIR_CUES, "speaker_named").T.tolist() == [[1, 0], [0, 1]]


def test_query_cues_months_and_names():
    table = query_cues([Query("a", "When could it be?"), Query("b", "How often?")], [4, 8])
    assert table.tolist() == [[1, 0, 1, 0.5], [0, 1, 0, 1]]
    assert query_cues([], []).shape == (0, len(QUERY_CUES))
    assert asked_months("may it be June, or may it be MAY?") == [6]
    asked = without_names("What did ANN's dog eat, Ann?", ["Ann Lee", "Bob"])
    assert asked.split() == ["What", "did", "dog", "eat,", "?"]
    assert without_names("Nobody", []) == "Nobody"
