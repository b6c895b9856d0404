"""Facts as what is searched: short statements with the turns that make them, and until when they hold.

Mem0, Zep and their kin store what a language model wrote down as facts. Without one, a fact is a triple of the graph or
a declarative sentence with its speaker's name before it. A turn is found by its best fact; a turn that states none
cannot be found, as it could not in those systems.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from memorai.graph.schema import Entity, MemoryGraph, Relation
from memorai.index.lexical import BM25Index
from memorai.index.normalize import normalize
from memorai.retrieval.indexed import IndexedGraph
from memorai.retrieval.pagerank.sparse import csr, sort_edges
from memorai.types import Turn
from memorai.write.predicates import read_predicate
from memorai.write.sentences import turn_sentences


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement.

    Args:
        text: as embedder and BM25 see it.
        turns: places of the turns that make it, never empty.
        entities: places of the entities that it is about.
        valid_from: when it began to hold, or None.
        valid_to: when a later statement ended it, or None while it holds.
        kind: of its predicate, of which only one can hold at a time (memorai.write.predicates); empty for none.
    """

    text: str
    turns: tuple[int, ...]
    entities: tuple[int, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    kind: str = ""


class FactSource(Hashable, Protocol):
    """Reads a graph's facts."""

    @property
    def name(self) -> str:
        """Tells sources apart."""
        ...

    def facts(self, graph: MemoryGraph) -> tuple[Fact, ...]:
        """Return the facts in order of statement."""
        ...


@dataclass(frozen=True)
class Triples:
    """Every relation as "subject predicate object"."""

    name: str = field(default="triples", init=False)

    def facts(self, graph: MemoryGraph) -> tuple[Fact, ...]:
        """Return one fact a relation, in the relations' order."""
        place = {turn.id: i for i, turn in enumerate(graph.turns)}
        number = {entity.key: i for i, entity in enumerate(graph.entities)}
        label = {entity.key: entity.name for entity in graph.entities}
        return tuple(
            Fact(
                f"{label[r.source]} {r.text} {label[r.target]}",
                tuple(place[id_] for id_ in r.turn_ids),
                (number[r.source], number[r.target]),
                r.valid_from,
                r.valid_to,
                read_predicate(r.text, f"{label[r.source]} {r.text} {label[r.target]}").kind,
            )
            for r in graph.relations
        )


@dataclass(frozen=True)
class Sentences:
    """Every declarative sentence of at least ``min_words`` words as "speaker: sentence", dated by its turn.

    A sentence is about its speaker and the entities of its turn that it names. It holds until a relation of its turn
    that it spells out ends.

    Args:
        min_words: shorter sentences are left out.
    """

    min_words: int = 3
    name: str = field(default="sentences", init=False)

    def facts(self, graph: MemoryGraph) -> tuple[Fact, ...]:
        """Return the facts of all turns in order."""
        number = {entity.key: i for i, entity in enumerate(graph.entities)}
        mentioned: dict[str, list[tuple[int, Entity]]] = {}
        for i, entity in enumerate(graph.entities):
            for id_ in entity.turn_ids:
                mentioned.setdefault(id_, []).append((i, entity))
        ended: dict[str, list[Relation]] = {}
        for relation in graph.relations:
            if relation.valid_to is not None:
                for id_ in relation.turn_ids:
                    ended.setdefault(id_, []).append(relation)
        names = [normalize(entity.name) for entity in graph.entities]
        found = []
        for place, turn in enumerate(graph.turns):
            for text in self._declared(turn):
                folded, speaker = normalize(text), normalize(turn.speaker)
                about = [i for i, _ in mentioned.get(turn.id, ()) if names[i] == speaker or names[i] in folded]
                over = [r.valid_to for r in ended.get(turn.id, ()) if names[number[r.target]] in folded]
                found.append(
                    Fact(f"{turn.speaker}: {text}", (place,), tuple(about), turn.time, over[0] if over else None)
                )
        return tuple(found)

    def _declared(self, turn: Turn) -> list[str]:
        # a character of a script without blanks says about as much as half a word
        return [
            sentence.text
            for sentence in turn_sentences(turn)
            if not sentence.question and _words(sentence.text) >= self.min_words
        ]


def _incidence(row: Tensor, column: Tensor, num_rows: int, num_columns: int) -> Tensor:
    edges = sort_edges(row, column, num_rows, num_columns)
    ones = torch.ones(len(row), dtype=torch.float64, device=row.device)
    return csr(edges.pointer, edges.column, ones, num_columns)


def _words(text: str) -> float:
    unspaced = sum(0x2E80 <= ord(char) <= 0x9FFF for char in text)
    return unspaced / 2 + len("".join(" " if 0x2E80 <= ord(char) <= 0x9FFF else char for char in text).split())


class FactIndex:
    """The facts of one graph, searchable; everything is computed on first use."""

    def __init__(self, indexed: IndexedGraph, facts: Sequence[Fact]) -> None:
        self._indexed = indexed
        self.facts = tuple(facts)
        self.num_turns = len(indexed.graph.turns)
        pairs = [(fact, turn) for fact, each in enumerate(self.facts) for turn in each.turns]
        #: (fact, turn) of every statement, int64 [2, P]
        self.stated = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T.contiguous().to(indexed.device)

    @classmethod
    def of(cls, indexed: IndexedGraph, source: FactSource) -> FactIndex:
        """Return the graph's facts of a source, read once."""

        def build() -> FactIndex:
            with indexed.watch("build"):
                return cls(indexed, source.facts(indexed.graph))

        return indexed.kept(source, build)

    def __len__(self) -> int:
        return len(self.facts)

    @property
    def texts(self) -> list[str]:
        """Text of every fact."""
        return [fact.text for fact in self.facts]

    @cached_property
    def vectors(self) -> Tensor:
        """Unit vectors float32 [F, d]."""
        with self._indexed.watch("embed_documents"):
            return torch.from_numpy(self._indexed.embedder.embed(self.texts)).to(self._indexed.device)

    @cached_property
    def bm25(self) -> BM25Index:
        """BM25 over the facts."""
        with self._indexed.watch("index_lexical"):
            return self._indexed.lexical.fit(self.texts, self._indexed.language)

    @cached_property
    def ends(self) -> Tensor:
        """(fact, entity) of every entity that a fact is about, int64 [2, A]."""
        pairs = [(i, entity) for i, fact in enumerate(self.facts) for entity in dict.fromkeys(fact.entities)]
        return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T.contiguous().to(self._indexed.device)

    @cached_property
    def about(self) -> Tensor:
        """Which entities a fact is about: float64 sparse CSR [F, n_entity] of 0 and 1."""
        fact, entity = self.ends
        return _incidence(fact, entity, len(self.facts), len(self._indexed.graph.entities))

    @cached_property
    def told_of(self) -> Tensor:
        """`about` transposed: float64 sparse CSR [n_entity, F]."""
        fact, entity = self.ends
        return _incidence(entity, fact, len(self._indexed.graph.entities), len(self.facts))

    @cached_property
    def superseded(self) -> Tensor:
        """Whether a later statement ended the fact: bool [F]."""
        return torch.tensor([f.valid_to is not None for f in self.facts], dtype=torch.bool, device=self._indexed.device)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that exist by now."""
        known = vars(self)
        return sum(int(known[name].nbytes) for name in ("stated", "vectors", "bm25") if name in known)

    def best(self, scores: Tensor) -> Tensor:
        """Take fact scores [F, Q] to turns [n_turn, Q]: each its best fact, -inf where it has none."""
        out = scores.new_full((self.num_turns, scores.shape[1]), float("-inf"))
        fact, turn = self.stated
        index = turn[:, None].expand(-1, scores.shape[1])
        return out.scatter_reduce_(0, index, scores[fact], "amax") if len(fact) else out

    def coverage(self) -> int:
        """Return how many turns state at least one fact."""
        return int(np.unique(self.stated[1].cpu().numpy()).size)
