import pytest

from memorai.datasets.leakage import OverlapRow, overlap_rows, question_overlap
from memorai.types import Conversation, Dataset, Question, Session, Turn

TURNS = (
    Turn("t1", "s", "Ann", "my red boat sank"),
    Turn("t2", "s", "Bob", "oh no", caption="a green canoe"),
)
QUESTIONS = (
    Question("c:q0", "red boat colour when", ("t1",), category="b"),  # red, boat of 4
    Question("c:q1", "Red red canoe", ("t1", "t2"), category="a"),  # both distinct words
    Question("c:q2", "ann", ("t1",), category="a"),  # the speaker does not count
    Question("c:q3", "red boat", (), category="a"),  # no evidence
    Question("c:q4", "", ("t1",), category="a"),  # no words
)
DATASET = Dataset("d", "v", "", (Conversation("c", (Session("s", TURNS),), QUESTIONS, "xx"),), categories=("a", "b"))


def tokenize(text, language):
    assert language == "xx"
    return text.lower().split()


def test_overlap():
    assert question_overlap(DATASET, tokenize) == {"c:q0": 0.5, "c:q1": 1.0, "c:q2": 0.0}


def test_rows():
    rows = overlap_rows(DATASET, question_overlap(DATASET, tokenize))
    assert rows == [
        OverlapRow("a", 2, 0.5, 0.5, 0.5),
        OverlapRow("b", 1, 0.5, 0.5, 0.0),
        OverlapRow("all", 3, 0.5, 0.5, pytest.approx(1 / 3)),
    ]
    assert overlap_rows(DATASET, {}) == []
