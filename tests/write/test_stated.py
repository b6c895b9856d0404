from datetime import datetime

import numpy as np

from memorai.types import Turn
from memorai.write.extraction import RelationMention
from memorai.write.relations import Statement
from memorai.write.stated import Stated

TEA, CAT = Statement("ann", "likes", "tea"), Statement("ann", "has", "cat")
NUMBERS = {"ann": 0, "tea": 1, "cat": 2}
TURNS = [Turn(name, "s", "Ann", "x") for name in "abc"]
MAY, JUNE = datetime(2023, 5, 1), datetime(2023, 6, 1)


def relations(stated, allowed=(True, True, True)):
    found, ends = stated.relations(TURNS, np.array(allowed))
    return [(r.text, r.turn_ids, r.valid_from) for r in found], ends.tolist()


def test_statements_gather_turns_and_keep_their_first_date():
    stated = Stated(NUMBERS.__getitem__)
    assert relations(stated) == ([], [[], []])
    stated.put(0, [TEA], {})
    stated.put(1, [CAT, TEA], {TEA: JUNE})
    assert relations(stated) == ([("likes", ("a", "b"), JUNE), ("has", ("b",), None)], [[0, 0], [1, 2]])
    stated.put(2, [CAT], {TEA: MAY, CAT: MAY})
    assert relations(stated)[0] == [("likes", ("a", "b"), JUNE), ("has", ("b", "c"), MAY)]
    assert relations(stated, (True, True, False)) == ([("likes", ("a", "b"), JUNE)], [[0], [1]])


def test_an_earlier_turn_that_states_something_else():
    stated = Stated(NUMBERS.__getitem__)
    stated.put(0, [TEA], {TEA: MAY})
    stated.put(1, [CAT], {})
    stated.put(2, [TEA], {TEA: JUNE})
    stated.put(0, [], {})
    assert relations(stated) == ([("has", ("b",), None), ("likes", ("c",), JUNE)], [[0, 0], [2, 1]])


def test_what_has_not_changed_is_the_same_object():
    stated = Stated(NUMBERS.__getitem__)
    stated.put(0, [TEA, CAT], {})
    tea, cat = stated.relations(TURNS, np.ones(3, bool))[0]
    stated.put(1, [CAT], {})
    again = stated.relations(TURNS, np.ones(3, bool))[0]
    assert again[0] is tea
    assert again[1] == RelationMention("ann", "has", "cat", ("a", "b")) != cat
