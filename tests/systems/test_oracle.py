from __future__ import annotations

from memorai.systems.oracle import OracleSystem
from tests.toys import CONVERSATION


def test_evidence_first_then_the_turns_in_order():
    oracle = OracleSystem(embedder=None, device="cpu")
    oracle.reveal(CONVERSATION.questions)
    found = oracle.index(CONVERSATION).search([q.query for q in CONVERSATION.questions], 5)
    assert [r.ids for r in found] == [
        ("t4", "t1", "t2", "t3", "t5"),
        ("t1", "t3", "t2", "t4", "t5"),
        ("t1", "t2", "t3", "t4", "t5"),
    ]
    assert found[1].scores == (1.0, 1.0, 0.0, 0.0, 0.0)


def test_a_query_holds_no_gold():
    assert set(CONVERSATION.questions[0].query.__slots__) == {"id", "text", "time"}


def test_the_evidence_alone():
    oracle = OracleSystem(only=True)
    oracle.reveal(CONVERSATION.questions)
    found = oracle.index(CONVERSATION).search([q.query for q in CONVERSATION.questions], 5)
    assert [r.ids for r in found] == [("t4",), ("t1", "t3"), ()]
