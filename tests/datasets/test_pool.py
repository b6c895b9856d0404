from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memorai.datasets.pool import load_pooled_longmemeval, pooled
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Question, Session, Turn


def session(name, day, text="hello"):
    time = datetime(2024, 1, day)
    return Session(name, (Turn(f"{name}_1", name, "user", text, time),), time)


def haystack(name, *sessions, evidence=True):
    gold = (sessions[0].turns[0].id,) if evidence else ()
    return Conversation(name, sessions, (Question(f"{name}:q0", "?", gold, (sessions[0].id,) if evidence else ()),))


A = haystack("a", session("s1", 5), session("s2", 1))
B = haystack("b", session("s3", 3))
C = haystack("c", session("s2", 2), session("s4", 4))
NONE = haystack("n", session("s5", 1), evidence=False)
DATA = Dataset("d", "1", "0" * 64, (A, B, NONE, C), ("all",))


def test_pools_merge_sessions_by_time_and_keep_a_shared_one_once():
    found = pooled(DATA, 2)
    # three questions with evidence make two pools, dealt in turn: a, c and b
    assert [(c.id, [q.id for q in c.questions]) for c in found.conversations] == [
        ("pool0", ["a:q0", "c:q0"]),
        ("pool1", ["b:q0"]),
    ]
    first = found.conversations[0]
    assert [(s.id, s.time.day) for s in first.sessions] == [("s2", 1), ("s4", 4), ("s1", 5)]
    assert [q.evidence for q in first.questions] == [("s1_1",), ("s2_1",)]
    assert (found.name, found.sha256, found.counts["scored"]) == ("d_pooled", DATA.sha256, 3)


def test_what_cannot_be_pooled():
    other = haystack("x", session("s1", 5, "something else"))
    for dataset, questions, says in (
        (replace(DATA, conversations=(A, other)), 2, "session s1 says different things"),
        (replace(DATA, conversations=(NONE,)), 2, "no question has evidence"),
        (DATA, 0, "questions=0"),
        (DATA, True, "questions=True"),
    ):
        with pytest.raises(InputError, match=says):
            pooled(dataset, questions)


def test_it_reads_the_official_format(write, longmemeval_records):
    found = load_pooled_longmemeval(write(longmemeval_records, "data.json"))
    assert found.name == "longmemeval_oracle_pooled" and len(found.conversations) == 1
    ids = {turn.id for turn in found.conversations[0].turns}
    assert all(set(question.evidence) <= ids for question in found.conversations[0].questions)
