from __future__ import annotations

from datetime import datetime

import pytest

from memorai.errors import InputError
from memorai.retrieval.pair_text import PairFormat
from memorai.types import Turn
from tests.toys import TURNS


def test_writes_date_turn_and_neighbours() -> None:
    everything = PairFormat("{date} | {previous} | {turn} | {next}", after=1)
    assert everything(TURNS, 1) == (
        "02 May 2024 | Ann: I adopted a puppy. | Bob: What is its name? | Ann: He is called Rex."
    )
    assert PairFormat("{turn}")(TURNS, 1) == "Bob: What is its name?"
    assert PairFormat("{previous} {turn}", before=2)(TURNS, 2) == (
        "Ann: I adopted a puppy. Bob: What is its name? Ann: He is called Rex."
    )


def test_neighbours_stay_inside_the_session() -> None:
    both = PairFormat("{previous} {turn} {next}", before=3, after=3)
    assert both(TURNS, 3) == "Bob: I moved to Rome. Ann: Rex loves Rome."
    assert both(TURNS, 2) == "Ann: I adopted a puppy. Bob: What is its name? Ann: He is called Rex."


def test_neighbours_keep_the_words_closest_to_the_turn() -> None:
    short = PairFormat("{previous} / {turn} / {next}", after=1, context_words=2, turn_words=3)
    assert short(TURNS, 1) == "Ann: a puppy. / Bob: What is its / Ann: He is"


def test_what_is_absent_leaves_no_trace() -> None:
    turns = [
        Turn("a", "s", " Ann ", " look\n here ", None, " a  kite "),
        Turn("b", "s", "Bob", "", datetime(2024, 1, 2)),
    ]
    assert PairFormat()(turns, 0) == "Ann: look here [a kite]"
    assert PairFormat()(turns, 1) == "02 January 2024 Bob: Ann: look here [a kite]"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"template": "{date}"}, "use {turn}"),
        ({"template": "{turn} {mood}"}, "no field but"),
        ({"template": "{turn"}, "template"),
        ({"template": None}, "template"),
        ({"before": -1}, "before=-1"),
        ({"after": True}, "after=True"),
        ({"context_words": 0}, "context_words=0"),
        ({"turn_words": 0}, "turn_words=0"),
        ({"date_format": "%Q"}, "unknown directive"),
    ],
)
def test_bad_values_are_told_at_once(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PairFormat(**options)
