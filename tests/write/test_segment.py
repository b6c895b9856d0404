import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.graph.build import build_graph
from memorai.graph.schema import PART_OF
from memorai.types import Conversation, Session, Turn
from memorai.write.extraction import Extraction
from memorai.write.segment import SessionSegmenter, WindowSegmenter


def test_one_segment_a_session_covers_all_turns_in_order():
    first = (Turn("1", "a", "Ann", "Hi"), Turn("2", "a", "Bob", "Hello"))
    last = (Turn("3", "c", "Ann", "Bye"),)
    talk = Conversation("x", (Session("a", first), Session("b", ()), Session("c", last)))
    segments = SessionSegmenter().segment(talk)
    assert [(s.id, s.summary) for s in segments] == [("a", ""), ("c", "")]
    assert tuple(turn for s in segments for turn in s.turns) == talk.turns


def talk(*texts, session="a"):
    turns = tuple(Turn(f"{session}{i}", session, "Ann", text) for i, text in enumerate(texts))
    return Session(session, turns)


def windows(*sessions, **options):
    found = WindowSegmenter(**options).segment(Conversation("x", sessions))
    return [(s.id, [turn.id for turn in s.turns]) for s in found]


def test_windows_of_sentences_hold_whole_turns_and_overlap():
    session = talk("One. Two.", "Three.", "Four. Five.", "Six.")
    # sentences 1-3, 3-5, 5-6
    assert windows(session, size=3, overlap=1) == [
        ("a#w0", ["a0", "a1"]),
        ("a#w1", ["a1", "a2"]),
        ("a#w2", ["a2", "a3"]),
    ]


def test_a_window_that_adds_no_turn_is_left_out():
    assert windows(talk("1a. 1b. 1c. 1d. 1e. 1f. 1g.", "Two."), size=2, overlap=1) == [
        ("a#w0", ["a0"]),
        ("a#w1", ["a0", "a1"]),
    ]


def test_windows_of_turns_end_with_their_session():
    sessions = talk("1.", "2.", "3."), talk("", "5.", session="b")
    assert windows(*sessions, size=2, overlap=1, unit="turn") == [
        ("a#w0", ["a0", "a1"]),
        ("a#w1", ["a1", "a2"]),
        ("b#w0", ["b0", "b1"]),
    ]


def test_a_turn_is_part_of_each_of_its_windows():
    conversation = Conversation("x", (talk("1.", "2.", "3."),))
    segments = WindowSegmenter(2, 1, "turn").segment(conversation)
    graph = build_graph(conversation, segments, Extraction())
    assert graph.edges[PART_OF].index.T.tolist() == [[0, 0], [1, 0], [1, 1], [2, 1]]


@given(st.lists(st.sampled_from(["", "Hi.", "Hi. Ho.", "一。二。三。"]), max_size=12), st.integers(1, 5), st.data())
def test_windows_cover_every_turn_in_order_and_ids_are_unique(texts, size, data):
    session = talk(*texts)
    found = windows(session, size=size, overlap=data.draw(st.integers(0, size - 1)))
    assert list(dict.fromkeys(id_ for _, ids in found for id_ in ids)) == [turn.id for turn in session.turns]
    assert len({name for name, _ in found}) == len(found) == len({tuple(ids) for _, ids in found})


@pytest.mark.parametrize("options", [{"size": 0}, {"overlap": 6}, {"overlap": -1}, {"unit": "word"}])
def test_values_out_of_range_are_named(options):
    with pytest.raises(InputError, match=next(iter(options))):
        WindowSegmenter(**options)
