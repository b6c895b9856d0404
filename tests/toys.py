"""A conversation small enough to work out by hand, and embedders whose vectors the test chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from memorai.graph.build import build_graph
from memorai.graph.schema import MemoryGraph
from memorai.index.lexical import BM25
from memorai.index.tokenize import Tokenizer
from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.types import Conversation, Query, Question, Session, Turn
from memorai.write.extraction import Extraction, Mention, RelationMention
from memorai.write.segment import SessionSegmenter


def turn(id: str, session: str, speaker: str, text: str) -> Turn:
    return Turn(id, session, speaker, text, datetime(2024, 5, 1 + int(session[1:])))


TURNS = (
    turn("t1", "s1", "Ann", "I adopted a puppy."),
    turn("t2", "s1", "Bob", "What is its name?"),
    turn("t3", "s1", "Ann", "He is called Rex."),
    turn("t4", "s2", "Bob", "I moved to Rome."),
    turn("t5", "s2", "Ann", "Rex loves Rome."),
)
CONVERSATION = Conversation(
    "toy",
    (Session("s1", TURNS[:3], TURNS[0].time), Session("s2", TURNS[3:], TURNS[3].time)),
    (
        Question("toy:q0", "Which city did Bob move to?", ("t4",), ("s2",), "single_hop"),
        Question("toy:q1", "What is Ann's dog called?", ("t1", "t3"), ("s1",), "multi_hop"),
        Question("toy:q2", "What does Bob eat?", category="single_hop", answerable=False),
    ),
)
#: puppy: t1; rex: t3, t5; rome: t4, t5
EXTRACTION = Extraction(
    (
        Mention("puppy", "puppy", "t1", 2.0),
        Mention("rex", "Rex", "t3"),
        Mention("rome", "Rome", "t4"),
        Mention("rex", "Rex", "t5"),
        Mention("rome", "Rome", "t5"),
    ),
    (RelationMention("rex", "loves", "rome", ("t5",)),),
)


def toy_graph() -> MemoryGraph:
    segments = SessionSegmenter().segment(CONVERSATION)
    return build_graph(CONVERSATION, segments, EXTRACTION, describe=lambda name, turns: name)


class TableEmbedder:
    """Looks vectors up by text and scales them to length 1; an unknown text fails the test."""

    name = "table"
    model_id = "table"
    dim = 2
    languages = ("en",)

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        rows = np.array([self.vectors[text] for text in texts], np.float32).reshape(-1, self.dim)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def toy_view(embedder: object | None = None, texts: Sequence[str] = ("Which city?",), **options: object) -> QueryView:
    indexed = IndexedGraph(
        toy_graph(), embedder or HashingEmbedder(dim=64), BM25(Tokenizer()), lambda turn: turn.text, **options
    )
    return QueryView(indexed, [Query(f"q{i}", text) for i, text in enumerate(texts)])
