"""From a conversation, its segments and an extraction to the graph; every node and relation keeps its provenance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from memorai.graph.schema import (
    MENTIONED_IN,
    NEXT,
    PART_OF,
    RELATION,
    Edges,
    Entity,
    MemoryGraph,
    Relation,
    Snippet,
)
from memorai.types import Conversation, Turn
from memorai.write.describe import describe as describe_extractively
from memorai.write.extraction import Extraction, Segment


def build_graph(
    conversation: Conversation,
    segments: Sequence[Segment],
    extraction: Extraction,
    describe: Callable[[str, Sequence[Turn]], str] | None = describe_extractively,
) -> MemoryGraph:
    """Build the graph: entities by key, relations merged by (source, text, target), NEXT inside each session.

    Args:
        conversation: its turns become the turn nodes, in order.
        segments: become the snippet nodes; a turn is part of every segment that holds it.
        extraction: mentions and relations; a relation whose endpoint no turn mentions raises ValueError.
        describe: (name, turns that mention it) -> the description of an entity that the extraction does not describe;
            None leaves those empty.

    Returns:
        MemoryGraph, nodes and edges in order of first appearance.
    """
    position = {turn.id: i for i, turn in enumerate(conversation.turns)}
    names: dict[str, str] = {}
    mentions: dict[tuple[str, int], float] = {}
    for mention in extraction.mentions:
        names.setdefault(mention.key, mention.name)
        pair = (mention.key, position[mention.turn_id])
        mentions[pair] = max(mention.weight, mentions.get(pair, 0.0))
    turns_of: dict[str, list[int]] = {key: [] for key in names}
    for key, turn in mentions:
        turns_of[key].append(turn)
    turns_of = {key: sorted(places) for key, places in turns_of.items()}

    turns = conversation.turns
    entities = []
    for key, name in names.items():
        mentioning = [turns[i] for i in turns_of[key]]
        description = extraction.descriptions.get(key, "") or (describe(name, mentioning) if describe else "")
        entities.append(Entity(key, name, description, tuple(turn.id for turn in mentioning)))
    number = {key: i for i, key in enumerate(names)}
    relations = _merge_relations(extraction, number)
    snippets = tuple(Snippet(s.id, s.summary, tuple(turn.id for turn in s.turns)) for s in segments)

    edges = {
        RELATION: _edges([(number[r.source], number[r.target]) for r in relations]),
        MENTIONED_IN: _edges([(number[key], turn) for key, turn in mentions], list(mentions.values())),
        PART_OF: _edges([(position[t], i) for i, snippet in enumerate(snippets) for t in snippet.turn_ids]),
        NEXT: _edges(
            [
                (position[a.id], position[b.id])
                for session in conversation.sessions
                for a, b in zip(session.turns, session.turns[1:], strict=False)
            ]
        ),
    }
    return MemoryGraph(conversation.id, tuple(entities), turns, snippets, relations, edges)


def _merge_relations(extraction: Extraction, number: dict[str, int]) -> tuple[Relation, ...]:
    merged: dict[tuple[str, str, str], Relation] = {}
    for found in extraction.relations:
        for end in (found.source, found.target):
            if end not in number:
                raise ValueError(
                    f"relation {found.source!r} -{found.text}-> {found.target!r}: no turn mentions {end!r}"
                )
        key = (found.source, found.text, found.target)
        seen = merged[key].turn_ids if key in merged else ()
        turn_ids = tuple(dict.fromkeys(seen + found.turn_ids))
        first = merged.get(key)
        merged[key] = Relation(
            found.source,
            found.text,
            found.target,
            turn_ids,
            first.valid_from if first else found.valid_from,
            found.valid_to,
        )
    return tuple(merged.values())


def _edges(pairs: Sequence[tuple[int, int]], weights: Sequence[float] | None = None) -> Edges:
    index = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    weight = np.ones(len(pairs), np.float32) if weights is None else np.asarray(weights, np.float32)
    return Edges(index, weight)
