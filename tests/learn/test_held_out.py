from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memorai.datasets.demo import load_demo
from memorai.errors import InputError
from memorai.learn.gate import GateTrainer, label, leave_out
from memorai.learn.held_out import HeldOutGate
from memorai.models.embedders import HashingEmbedder
from memorai.write.gate import kept_ids
from memorai.write.segment import SessionSegmenter, WindowSegmenter

TRAINER = GateTrainer(penalties=(10.0,), vector_scales=(0.3,))
EMBEDDER = HashingEmbedder(dim=32)


def text(turn) -> str:
    return f"{turn.speaker}: {turn.text}"


@pytest.fixture(scope="module")
def demo():
    return load_demo()


@pytest.fixture(scope="module")
def gate(demo):
    built = HeldOutGate(EMBEDDER, text, TRAINER)
    built.learn(demo)
    return built


def test_each_conversation_is_scored_by_the_fold_that_left_it_out(gate, demo):
    data = label(demo, EMBEDDER, text, True)
    p, kept = leave_out(data, TRAINER, EMBEDDER.name, 64, True, 10)
    for number, conversation in enumerate(demo.conversations):
        own = data.group == number
        segments = SessionSegmenter().segment(conversation)
        ids = np.array([turn.id for turn in conversation.turns])
        assert kept_ids(gate, segments, conversation.language) == frozenset(ids[kept[own]])
        # a share goes by the probabilities alone: thresholds do not change their order
        order = np.argsort(p[own], kind="stable")
        assert kept_ids(gate, segments, conversation.language, 0.3) == frozenset(ids[order[int(0.3 * len(ids)) :]])


def test_a_conversations_own_labels_do_not_change_its_scores(gate, demo):
    first, *others = demo.conversations
    turned = replace(first, questions=first.questions[:3])
    other = HeldOutGate(EMBEDDER, text, TRAINER)
    other.learn(replace(demo, conversations=(turned, *others)))
    segments = SessionSegmenter().segment(first)
    assert other.score(segments) == gate.score(segments)
    segments = SessionSegmenter().segment(others[0])
    assert other.score(segments) != gate.score(segments)


def test_the_segmentation_does_not_matter(gate, demo):
    conversation = demo.conversations[0]
    found = [gate.score(s.segment(conversation)) for s in (SessionSegmenter(), WindowSegmenter())]
    assert found[0] == found[1]


def test_it_knows_no_other_conversation(gate, demo):
    part = replace(demo.conversations[0], sessions=demo.conversations[0].sessions[:2])
    with pytest.raises(InputError, match="whole conversations"):
        gate.score(SessionSegmenter().segment(part))


def test_an_unknown_language_is_kept_whole(demo):
    english = HashingEmbedder(dim=32)
    english.languages = ("en",)
    built = HeldOutGate(english, text, TRAINER)
    segments = SessionSegmenter().segment(demo.conversations[-1])
    assert set(built.score(segments, "zh").values()) == {1.0}
