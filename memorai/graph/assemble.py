"""Puts a graph together from columns, keeping what a longer conversation leaves as it is."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from memorai.graph.schema import MENTIONED_IN, NEXT, PART_OF, RELATION, Edges, Entity, MemoryGraph, Relation, Snippet
from memorai.types import Session, Turn
from memorai.write.extraction import RelationMention, Segment
from memorai.write.growing import Ints, MentionTable


class GraphAssembly:
    """Turns, snippets and entities of a conversation that grows.

    An entity is written, and described, when its name or its turns have changed. Numbering and edges are arrays over
    the whole conversation: the first appearance of an entity decides its number, and any bound on document
    frequencies can admit or drop one in between.

    Args:
        conversation_id: of the graph.
        describe: (name, turns that mention it) -> description; None leaves descriptions empty.
    """

    def __init__(self, conversation_id: str, describe: Callable[[str, Sequence[Turn]], str] | None) -> None:
        self._id, self._describe = conversation_id, describe
        self._turns: list[Turn] = []
        self._place: dict[str, int] = {}
        self._snippets: list[Snippet] = []
        self._parts, self._next = array("q"), array("q")  # pairs, flat: lists of tuples are slow to copy
        self._read = array("q")  # places of the turns in the order in which the extractor read them
        self._entities: dict[int, Entity] = {}
        self._relations: dict[tuple[str, str, str], tuple[RelationMention, Relation]] = {}

    def add(self, sessions: Sequence[Session], segments: Sequence[Segment], read: Sequence[Turn]) -> None:
        """Add sessions with their segments; ``read`` are the turns in the order in which the extractor gets them."""
        for session in sessions:
            for turn in session.turns:
                self._place[turn.id] = len(self._turns)
                self._turns.append(turn)
            for pair in pairwise(session.turns):
                self._next.extend(self._place[turn.id] for turn in pair)
        for segment in segments:
            ids = tuple(turn.id for turn in segment.turns)
            for id_ in ids:
                self._parts.extend((self._place[id_], len(self._snippets)))
            self._snippets.append(Snippet(segment.id, segment.summary, ids))
        self._read.extend(self._place[turn.id] for turn in read)

    def graph(self, table: MentionTable) -> MemoryGraph:
        """Return the graph of all that was added."""
        for number in table.changed:
            self._entities.pop(number, None)
        turn = np.array(self._read, np.int64)[table.turn]
        order = _by_first_appearance(table.entity, len(table.keys))
        self._write(order, table, turn)
        node = np.full(len(table.keys), -1, np.int64)
        node[order] = np.arange(len(order))
        edges = {
            RELATION: Edges(node[table.ends], np.ones(table.ends.shape[1], np.float32)),
            MENTIONED_IN: Edges(np.stack([node[table.entity], turn]), table.weight.astype(np.float32)),
            PART_OF: _edges(self._parts),
            NEXT: _edges(self._next),
        }
        entities = tuple(self._entities[number] for number in order.tolist())
        relations = tuple(map(self._relation, table.relations))
        return MemoryGraph(self._id, entities, tuple(self._turns), tuple(self._snippets), relations, edges)

    def _write(self, order: Ints, table: MentionTable, turn: Ints) -> None:
        """Write the entities that are not kept."""
        missing = np.zeros(len(table.keys), bool)
        missing[[number for number in order.tolist() if number not in self._entities]] = True
        chosen = missing[table.entity]
        mentioning: dict[int, list[int]] = {}
        for number, place in zip(table.entity[chosen].tolist(), turn[chosen].tolist(), strict=True):
            mentioning.setdefault(number, []).append(place)
        for number, places in mentioning.items():
            name, turns = table.names[number], [self._turns[place] for place in sorted(places)]
            description = self._describe(name, turns) if self._describe else ""
            self._entities[number] = Entity(table.keys[number], name, description, tuple(turn.id for turn in turns))

    def _relation(self, found: RelationMention) -> Relation:
        key = (found.source, found.text, found.target)
        kept = self._relations.get(key)
        if kept is None or kept[0] is not found:
            kept = found, Relation(*key, tuple(dict.fromkeys(found.turn_ids)), found.valid_from, found.valid_to)
            self._relations[key] = kept
        return kept[1]


def _by_first_appearance(numbers: Ints, count: int) -> Ints:
    """Distinct values of ``numbers``, all below ``count``, in the order in which they first occur."""
    first = np.full(count, len(numbers), np.int64)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # of several writes to one place the last one stays
    present = np.flatnonzero(first < len(numbers))
    return present[np.argsort(first[present])]


def _edges(pairs: array[int]) -> Edges:
    index = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    return Edges(index, np.ones(index.shape[1], np.float32))
