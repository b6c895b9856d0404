import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.summarize import summarize, with_summaries


def turns(*texts):
    return [Turn(str(i), "s", "AB"[i % 2], text) for i, text in enumerate(texts)]


def test_the_shared_topic_wins_and_order_stays():
    talk = turns("Hello there!", "The charity race was long.", "A charity race!", "My cat slept.")
    assert summarize(talk, sentences=2) == "B: The charity race was long. A: A charity race!"


def test_repeats_are_taken_once_and_short_segments_whole():
    assert summarize(turns("Tea is good.", "Tea is good.", "Bye now.")) == "A: Tea is good. A: Bye now."
    assert summarize([]) == ""


def test_chinese_pairs():
    talk = turns("我买了苹果。", "苹果很甜。", "今天下雨。")
    assert summarize(talk, sentences=1) == "B: 苹果很甜。"


@pytest.mark.parametrize("options", [{"sentences": 0}, {"max_words": 0}])
def test_limits_are_checked(options):
    with pytest.raises(InputError, match=next(iter(options))):
        summarize([], **options)


@settings(deadline=None)
@given(st.lists(st.text(st.characters())))
def test_any_text_is_deterministic(texts):
    assert summarize(turns(*texts)) == summarize(turns(*texts))


class Batch:
    """Summarises by the number of turns, many segments at once."""

    def __init__(self):
        self.asked = []

    def __call__(self, turns):
        raise AssertionError("one by one")

    def many(self, segments):
        self.asked.append([len(turns) for turns in segments])
        return [f"{len(turns)} turns" for turns in segments]


def test_segments_without_a_summary_get_one_all_at_once_where_that_is_possible():
    talk = tuple(turns("a", "b", "c"))
    segments = (Segment("s#0", talk[:1]), Segment("s#1", talk[:2], "known"), Segment("s#2", talk))
    expected = ["1 turns", "known", "3 turns"]
    batch = Batch()
    assert [segment.summary for segment in with_summaries(segments, batch)] == expected
    assert batch.asked == [[1, 3]]
    one_by_one = with_summaries(segments, lambda turns: f"{len(turns)} turns")
    assert [segment.summary for segment in one_by_one] == expected
    assert [segment.turns for segment in one_by_one] == [segment.turns for segment in segments]
