from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.gate import KeepAll, RuleGate, gate_name, kept_ids, turns_of, without_dropped


def said(text: str, speaker: str = "Ann", id: str = "t", **more) -> Turn:
    return Turn(id, "s", speaker, text, **more)


class Fixed:
    threshold = 0.5

    def __init__(self, **scores: float) -> None:
        self.scores = scores

    def score(self, segments, language="en"):
        return self.scores


SEGMENTS = tuple(
    Segment(f"g{i}", tuple(Turn(t, "s", "Ann", t) for t in ids), f"summary {i}")
    for i, ids in enumerate(["ab", "c", "de"])
)


@pytest.mark.parametrize(
    "text",
    [
        *("Hi!", "Hey there, good morning!", "Thank you so much!", "Wow, that's great!", "Haha 😂", "👍", "I see."),
        *(
            "You're welcome, have a great day!",
            "Ok",
            "Yes!",
            "Sounds good. Talk to you later!",
            "谢谢你！",
            "好的",
            "早上好",
        ),
        "<relevant-memories>\n- Ann has a dog called Rex\n</relevant-memories>",
        "[Recalled memory] User lives in Rome.",
        "## Relevant memories\nAnn was born in 1990.",
        "You are a helpful personal assistant. Answer in one line.",
    ],
)
def test_rules_drop_greetings_acknowledgements_and_recalled_text(text):
    assert RuleGate().drops(said(text))


@pytest.mark.parametrize(
    "text",
    [
        *("Hi, I'm Ann.", "Thanks, I got the job!", "I have to see you one day.", "Great, 7 then.", "Rex is great."),
        *("No milk for me.", "我喜欢猫", "小明住在上海", "Remember the memory of Rome?", "Context matters to me."),
    ],
)
def test_rules_keep_what_may_be_a_fact(text):
    assert not RuleGate().drops(said(text))


def test_an_answer_is_kept_only_after_another_speakers_question():
    gate, yes = RuleGate(), said("Yes, absolutely!")
    assert not gate.drops(yes, said("Did you get the job?", "Bob"))
    assert not gate.drops(said("好的"), said("你喜欢猫吗？", "Bob"))
    assert gate.drops(yes, said("I got the job.", "Bob"))
    assert gate.drops(yes, said("Did I get it?", "Ann"))
    assert gate.drops(said("Thank you!"), said("Did you get the job?", "Bob"))


def test_a_question_of_another_session_is_no_context():
    question, yes = Turn("q", "s1", "Bob", "Did you?"), Turn("a", "s2", "Ann", "Yes!")
    assert RuleGate().score([Segment("g", (question, yes))]) == {"q": 1.0, "a": 0.0}
    near = Turn("a", "s1", "Ann", "Yes!")
    assert RuleGate().score([Segment("g", (question,)), Segment("h", (near,))]) == {"q": 1.0, "a": 1.0}


def test_pictures_and_both_roles_are_kept():
    assert not RuleGate().drops(said("Wow!", caption="a red kite"))
    for role in ("user", "assistant"):
        assert not RuleGate().drops(said("I moved to Rome.", role=role))
        assert RuleGate().drops(said("Hello!", role=role))


def test_recalled_text_can_be_left_alone():
    assert not RuleGate(recalled=False).drops(said("[Recalled memory] User lives in Rome."))
    with pytest.raises(InputError, match="max_words=0"):
        RuleGate(max_words=0)


def test_a_threshold_keeps_what_reaches_it():
    gate = Fixed(a=0.5, b=0.49, c=1.0, d=0.0, e=0.7)
    assert kept_ids(gate, SEGMENTS) == {"a", "c", "e"}
    assert kept_ids(KeepAll(), SEGMENTS) == set("abcde")


def test_a_share_drops_the_lowest_and_of_equals_the_earlier():
    gate = Fixed(a=0.9, b=0.1, c=0.1, d=0.1, e=0.8)
    assert kept_ids(gate, SEGMENTS, drop_share=0.4) == {"a", "d", "e"}
    assert kept_ids(gate, SEGMENTS, drop_share=0.0) == set("abcde")
    with pytest.raises(InputError, match="drop_share=1"):
        kept_ids(gate, SEGMENTS, drop_share=1)


def test_a_gate_must_score_every_turn():
    with pytest.raises(ValueError, match="no score to turn b"):
        kept_ids(Fixed(a=1.0), SEGMENTS)


def test_segments_lose_turns_but_not_summaries():
    left = without_dropped(SEGMENTS, {"b", "d", "e"})
    assert [(s.id, [t.id for t in s.turns], s.summary) for s in left] == [
        ("g0", ["b"], "summary 0"),
        ("g2", ["d", "e"], "summary 2"),
    ]


def test_a_turn_of_two_windows_counts_once():
    assert [t.id for t in turns_of([SEGMENTS[0], SEGMENTS[0], SEGMENTS[1]])] == ["a", "b", "c"]


def test_names():
    assert [gate_name(g) for g in (None, KeepAll(), RuleGate(), Fixed())] == ["none", "none", "rules", "fixed"]
