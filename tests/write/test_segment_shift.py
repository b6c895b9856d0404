import numpy as np
import pytest

from memorai.errors import InputError
from memorai.types import Conversation, Session, Turn
from memorai.write.segment_shift import ShiftSegmenter, depth_scores, gap_similarities
from tests.toys import TableEmbedder

VECTORS = {"tea": (1.0, 0.0), "dog": (0.0, 1.0)}


def talk(words, session="s"):
    turns = tuple(Turn(f"{session}{i}", session, "Ann", word) for i, word in enumerate(words.split()))
    return Session(session, turns)


def segments(*sessions, **options):
    segmenter = ShiftSegmenter(**{"window": 2, "min_turns": 2} | options)
    segmenter.prepare(TableEmbedder(VECTORS), lambda turn: turn.text)
    found = segmenter.segment(Conversation("x", sessions))
    return [(s.id, " ".join(turn.text for turn in s.turns)) for s in found]


def test_gap_similarities_by_hand():
    tea, dog = VECTORS["tea"], VECTORS["dog"]
    # windows of two: (tea | tea dog), (tea tea | dog dog), (tea dog | dog)
    found = gap_similarities(np.array([tea, tea, dog, dog]), 2)
    assert found == pytest.approx([1 / np.sqrt(2), 0.0, 1 / np.sqrt(2)])
    assert gap_similarities(np.zeros((3, 2)), 2).tolist() == [0.0, 0.0]
    assert gap_similarities(np.ones((1, 2)), 2).shape == (0,)


def test_depth_climbs_to_the_peaks_on_both_sides():
    assert depth_scores(np.array([0.5, 0.9, 0.2, 0.6, 0.7, 0.1])) == pytest.approx([0.4, 0.0, 1.2, 0.1, 0.0, 0.6])


def test_a_session_is_cut_where_its_topic_shifts():
    assert segments(talk("tea tea tea dog dog dog tea tea")) == [
        ("s#0", "tea tea tea"),
        ("s#1", "dog dog dog"),
        ("s#2", "tea tea"),
    ]


def test_one_topic_and_one_turn_stay_whole():
    assert segments(talk("tea tea tea tea"), talk("dog", "t"), talk("", "u")) == [
        ("s#0", "tea tea tea tea"),
        ("t#0", "dog"),
    ]


def test_no_segment_is_shorter_than_asked():
    assert [text for _, text in segments(talk("tea dog dog dog tea"), min_turns=2)] == ["tea dog dog dog tea"]


def test_a_later_session_changes_no_earlier_segment():
    first, later = talk("tea tea dog dog"), talk("dog tea tea dog", "t")
    assert segments(first, later)[: len(segments(first))] == segments(first)


def test_an_embedder_of_its_own_stays():
    own = TableEmbedder(VECTORS)
    segmenter = ShiftSegmenter(embedder=own)
    segmenter.prepare(TableEmbedder({}), str)
    assert segmenter.embedder is own and segmenter.text_format is str


def test_errors():
    with pytest.raises(InputError, match="no embedder"):
        ShiftSegmenter().segment(Conversation("x", (talk("tea"),)))
    with pytest.raises(InputError, match="window=0"):
        ShiftSegmenter(window=0)
