from memorai.types import Conversation, Session, Turn
from memorai.write.segment import SessionSegmenter


def test_one_segment_a_session_covers_all_turns_in_order():
    first = (Turn("1", "a", "Ann", "Hi"), Turn("2", "a", "Bob", "Hello"))
    last = (Turn("3", "c", "Ann", "Bye"),)
    talk = Conversation("x", (Session("a", first), Session("b", ()), Session("c", last)))
    segments = SessionSegmenter().segment(talk)
    assert [(s.id, s.summary) for s in segments] == [("a", ""), ("c", "")]
    assert tuple(turn for s in segments for turn in s.turns) == talk.turns
