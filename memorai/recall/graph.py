"""The store's graph as a `MemoryGraph`: what the research half computes with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa

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
from memorai.graph.store import schema as t
from memorai.graph.store.reads import every_turn
from memorai.graph.store.records import moment
from memorai.recall.prepare import as_turn
from memorai.write.describe import describe


def memory_graph(connection: sa.Connection, user: int | None, name: str) -> MemoryGraph:
    """Build the graph of all of a user's turns, archived ones among them; nodes in the order of their numbers."""
    if user is None:
        empty = {kind: _edges([]) for kind in (RELATION, MENTIONED_IN, PART_OF, NEXT)}
        return MemoryGraph(name, (), (), (), (), empty)
    stored = list(every_turn(connection, user))
    turns = tuple(as_turn(turn) for turn in stored)
    place = {turn.n: i for i, turn in enumerate(stored)}
    m, e, s, r, q = t.mentions.c, t.entities.c, t.segments.c, t.relations.c, t.relation_sources.c
    rows = connection.execute(sa.select(m.entity, m.turn, m.weight).where(m.user == user).order_by(m.turn, m.entity))
    mentions = [(entity, place[turn], weight) for entity, turn, weight in rows]
    of_entity: dict[int, list[int]] = {}
    for entity, turn, _ in mentions:
        of_entity.setdefault(entity, []).append(turn)
    entities: list[Entity] = []
    number: dict[int, int] = {}
    for n, key, shown in connection.execute(sa.select(e.n, e.key, e.name).where(e.user == user).order_by(e.n)):
        mentioning = [turns[i] for i in of_entity.get(n, [])]
        number[n] = len(entities)
        entities.append(Entity(key, shown, describe(shown, mentioning), tuple(turn.id for turn in mentioning)))
    part_of = connection.execute(sa.select(t.turns.c.n, t.turns.c.segment).where(t.turns.c.user == user)).all()
    of_segment: dict[int, list[int]] = {}
    for turn, segment in sorted(part_of):
        of_segment.setdefault(segment, []).append(place[turn])
    snippets: list[Snippet] = []
    parts: list[tuple[int, int]] = []
    for n, summary in connection.execute(sa.select(s.n, s.summary).where(s.user == user).order_by(s.n)):
        parts += [(turn, len(snippets)) for turn in of_segment.get(n, [])]
        snippets.append(Snippet(str(n), summary, tuple(turns[i].id for i in of_segment.get(n, []))))
    sources: dict[int, list[str]] = {}
    for relation, turn in connection.execute(sa.select(q.relation, q.turn).where(q.user == user).order_by(q.n)):
        sources.setdefault(relation, []).append(turns[place[turn]].id)
    columns = (r.n, r.subject, r.predicate, r.object, r.valid_from, r.valid_to)
    relations: list[Relation] = []
    ends: list[tuple[int, int]] = []
    for row in connection.execute(sa.select(*columns).where(r.user == user).order_by(r.n)):
        from_, to = number[row.subject], number[row.object]
        ends.append((from_, to))
        interval = moment(row.valid_from), moment(row.valid_to)
        source, target = entities[from_].key, entities[to].key
        relations.append(Relation(source, row.predicate, target, tuple(sources[row.n]), *interval))
    edges = {
        RELATION: _edges(ends),
        MENTIONED_IN: _edges([(number[entity], turn) for entity, turn, _ in mentions], [w for *_, w in mentions]),
        PART_OF: _edges(sorted(parts)),
        NEXT: _edges(_neighbours([turn.session_id for turn in turns])),
    }
    return MemoryGraph(name, tuple(entities), turns, tuple(snippets), tuple(relations), edges)


def _neighbours(sessions: Sequence[str]) -> list[tuple[int, int]]:
    last: dict[str, int] = {}
    out = []
    for place, session in enumerate(sessions):
        if session in last:
            out.append((last[session], place))
        last[session] = place
    return out


def _edges(pairs: Sequence[tuple[int, int]], weights: Sequence[float] | None = None) -> Edges:
    index = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    return Edges(index, np.ones(len(pairs), np.float32) if weights is None else np.asarray(weights, np.float32))
