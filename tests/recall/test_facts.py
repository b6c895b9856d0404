from __future__ import annotations

import numpy as np

from memorai.recall.facts import Edge, FactTable


def table() -> FactTable:
    """1 -> 2 until 10, 1 -> 3 from 10, 2 -> 3 always and without a time, 3 -> 3; stated by turns 0, 1, 2, 3."""
    made = FactTable()
    edges = (Edge(1, 2, None, 10, True), Edge(1, 3, 10, None, True), Edge(2, 3, None, None, False))
    for number, edge in enumerate((*edges, Edge(3, 3, None, None, False)), 1):
        made.put(number, edge)
        made.source(number, number - 1)
    return made


def between(facts: FactTable, at: int, *among: int) -> list[tuple[int, int]]:
    return list(zip(*(ends.tolist() for ends in facts.holding(at, np.array(among, np.int64))), strict=True))


def test_what_holds_between_some_entities():
    facts = table()
    assert between(facts, 9, 1, 2, 3) == [(1, 2), (2, 3)]
    assert between(facts, 10, 1, 2, 3) == [(1, 3), (2, 3)]
    assert between(facts, 9, 1, 3) == between(facts, 9) == between(FactTable(), 9, 1) == []
    assert between(facts, 9, 1, 2, 999) == [(1, 2)]
    facts.remove(3)
    assert between(facts, 9, 1, 2, 3) == [(1, 2)]


def test_turns_whose_facts_do_not_hold_are_lowered():
    facts, times = table(), np.array([0, 11, 5, 6])
    assert facts.factors(9, times, 0.1, None).tolist() == [1.0, 0.1, 1.0, 1.0]
    assert facts.factors(10, times, 0.1, None).tolist() == [0.1, 1.0, 1.0, 1.0]
    assert facts.factors(5, times, 0.1, 0.3).tolist() == [1.0, 0.1, 1.0, 0.3]
    facts.put(1, Edge(1, 2, None, None, True))  # what the index learns after a query counts in the next
    assert facts.factors(10, times, 0.1, None).tolist() == [1.0, 1.0, 1.0, 1.0]
    facts.source(2, 3)
    assert facts.factors(9, times, 0.1, None).tolist() == [1.0, 0.1, 1.0, 0.1]
    again = FactTable.restore(facts.arrays())
    assert again.factors(9, times, 0.1, None).tolist() == [1.0, 0.1, 1.0, 0.1]
    assert FactTable().factors(9, times, 0.1, None) is None
