from __future__ import annotations

from dataclasses import replace

from memorai.learn.examples import collect, digest_of
from memorai.learn.features import Evidence
from memorai.retrieval.scores import Lexical
from memorai.types import Dataset
from tests.toys import CONVERSATION, TURNS, toy_view


class Spy:
    """Indexes nothing anew, and remembers what it was shown."""

    def __init__(self):
        self.shown = []

    def index(self, conversation):
        self.shown.append(conversation)
        self.indexed = toy_view().indexed
        return self


def test_groups_hold_scored_questions_and_the_system_sees_none():
    system = Spy()
    data = Dataset("toy", "v1", "abc", (CONVERSATION, replace(CONVERSATION, id="empty", questions=())))
    (group,) = collect(data, system, Evidence({"bm25": Lexical()}, cache=False), progress=False)
    assert [c.questions for c in system.shown] == [()]
    assert [q.id for q in group.questions] == ["toy:q0", "toy:q1"]
    assert group.gold.tolist() == [[False, False, False, True, False], [True, False, True, False, False]]
    assert group.features.values.shape[:2] == (2, 5)
    part = group.keep(["walk/all", "match/bm25"])
    assert part.features.names == ("walk/all", "match/bm25")
    assert (part.features.column("match/bm25") == group.features.column("match/bm25")).all()


def test_a_digest_is_of_what_was_said():
    assert digest_of(TURNS) == digest_of([replace(turn, id="x", session_id="y", time=None) for turn in TURNS])
    assert digest_of(TURNS) != digest_of(TURNS[:-1])
