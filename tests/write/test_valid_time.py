from __future__ import annotations

from datetime import datetime

from memorai.types import Turn
from memorai.write.extraction import Extraction, Mention, RelationMention
from memorai.write.valid_time import ValidTime


def said(*texts: str) -> tuple[Turn, ...]:
    return tuple(Turn(f"t{i}", "s", "Ann", text, datetime(2024, 1, i)) for i, text in enumerate(texts, 1))


def test_a_later_home_ends_the_earlier_one_and_a_second_liking_does_not():
    turns = said("I live in Rome.", "I like tea.", "I moved to Paris.", "I like rice.")
    stated = (("live in", "rome", "t1"), ("like", "tea", "t2"), ("moved to", "paris", "t3"), ("like", "rice", "t4"))
    relations = tuple(RelationMention("ann", text, target, (turn,)) for text, target, turn in stated)
    found = ValidTime()(Extraction((Mention("ann", "Ann", "t1"),), relations), turns).relations
    assert [(r.text, r.target) for r in found] == [(text, target) for text, target, _ in stated]
    assert [r.valid_from for r in found] == [turn.time for turn in turns]
    assert [r.valid_to for r in found] == [datetime(2024, 1, 3), None, None, None]


def test_the_same_home_said_twice_ends_nothing_and_the_past_ends_nothing():
    turns = said("I live in Rome.", "I live in Rome.", "I used to live in Oslo.")
    relations = (
        RelationMention("ann", "live in", "rome", ("t1",)),
        RelationMention("ann", "lives in", "rome", ("t2",)),
        RelationMention("ann", "used to live in", "oslo", ("t3",)),
    )
    assert [r.valid_to for r in ValidTime()(Extraction((), relations), turns).relations] == [None, None, None]


def test_another_resolver_goes_first():
    turns = said("I live in Rome.", "Annie lives in Paris.")
    relations = (
        RelationMention("ann", "live in", "rome", ("t1",)),
        RelationMention("annie", "lives in", "paris", ("t2",)),
    )

    def merge(extraction: Extraction, turns) -> Extraction:
        one = tuple(RelationMention("ann", r.text, r.target, r.turn_ids) for r in extraction.relations)
        return Extraction(extraction.mentions, one)

    ended = ValidTime(merge)(Extraction((), relations), turns).relations[0].valid_to
    assert ended == datetime(2024, 1, 2)
    assert ValidTime()(Extraction((), relations), turns).relations[0].valid_to is None
