"""Questions with their evidence arrays and labels, conversation by conversation: what is learned from and tested on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from memorai.graph.schema import EdgeType
from memorai.learn.features import Evidence, Features
from memorai.models.cache import content_key
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.types import Conversation, Dataset, Query, Question, Turn


@dataclass(frozen=True)
class Group:
    """The scored questions of one conversation.

    Args:
        dataset: name of its data set.
        conversation: its id.
        digest: of its turns, so that the same talk is known again under any name (`digest_of`).
        questions: Q of them.
        turn_ids: n, in order.
        features: [Q, n, F].
        gold: bool [Q, n].
        edges: local indices [2, E] by edge type, of the graph that the evidence was computed on.
        embedder: name of the index's.
    """

    dataset: str
    conversation: str
    digest: str
    questions: tuple[Question, ...]
    turn_ids: tuple[str, ...]
    features: Features
    gold: npt.NDArray[np.bool_]
    edges: Mapping[EdgeType, np.ndarray] = field(default_factory=dict)
    embedder: str = ""

    def keep(self, columns: Sequence[str]) -> Group:
        """Return the group with some of its features."""
        place = [self.features.names.index(name) for name in columns]
        return replace(self, features=Features(tuple(columns), self.features.values[..., place]))


class Graph(Protocol):
    """An index that has a graph."""

    @property
    def indexed(self) -> IndexedGraph:
        """The graph and what makes it searchable."""
        ...


class GraphSystem(Protocol):
    """A system whose index has a graph."""

    def index(self, conversation: Conversation) -> Graph:
        """Index a conversation."""
        ...


def digest_of(turns: Iterable[Turn]) -> str:
    """Return the identity of what was said, by whom and in which order, whatever its ids and times."""
    return content_key(*(part for turn in turns for part in (turn.speaker, turn.text)))


def question_key(question: Query | Question) -> str:
    """Return the identity of a question, whatever haystack it is asked of: its id and its words."""
    return content_key(question.id, question.text)


def collect(dataset: Dataset, system: GraphSystem, evidence: Evidence, progress: bool = True) -> list[Group]:
    """Compute evidence for every question that names a turn; conversations without such are left out."""
    groups = []
    for conversation in tqdm(dataset.conversations, desc=f"evidence {dataset.name}", disable=not progress):
        questions = tuple(question for question in conversation.questions if question.evidence)
        if not questions:
            continue
        # neither index nor view is handed the gold
        indexed = system.index(replace(conversation, questions=())).indexed
        features = evidence(QueryView(indexed, [question.query for question in questions]))
        ids = tuple(turn.id for turn in indexed.graph.turns)
        gold = np.array([np.isin(ids, question.evidence) for question in questions])
        digest = digest_of(indexed.graph.turns)
        name = indexed.embedder.name
        edges = {kind: edge.index for kind, edge in indexed.graph.edges.items()}
        groups.append(Group(dataset.name, conversation.id, digest, questions, ids, features, gold, edges, name))
    return groups
