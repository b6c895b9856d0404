"""Forgetting: a turn goes with everything that rests on it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.timeline import forget_relations
from memorai.graph.store.users import Change, Ledger
from memorai.graph.store.writes import Summarize, refresh_summary

#: more turns at once than this: indexes in memory read everything anew rather than row by row
_MANY = 5000


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many of each went."""

    turns: int = 0
    entities: int = 0
    relations: int = 0
    segments: int = 0


def forget_turns(ledger: Ledger, gone: Sequence[int], summarize: Summarize, recorded: int) -> Forgotten:
    """Delete turns, their mentions, vectors and traces; relations and entities without another turn; empty segments.

    Summaries of segments that stay are written anew, and what a deleted relation had ended goes on. The caller
    scrubs the file afterwards (`Database.scrub`), for a deleted row's bytes are overwritten, but not those of
    older copies in the log.

    Args:
        ledger: of the transaction, which it leaves open.
        gone: numbers of turns of this user.
        summarize: as for writing.
        recorded: when, microseconds.
    """
    connection, user = ledger.connection, ledger.user
    entities: dict[int, None] = {}
    relations: dict[int, None] = {}
    segments: dict[int, None] = {}
    for chunk in chunks(gone):
        where = sa.and_(t.mentions.c.user == user, t.mentions.c.turn.in_(chunk))
        entities |= dict.fromkeys(connection.execute(sa.select(t.mentions.c.entity).where(where)).scalars())
        connection.execute(t.mentions.delete().where(where))
        where = sa.and_(t.relation_sources.c.user == user, t.relation_sources.c.turn.in_(chunk))
        relations |= dict.fromkeys(connection.execute(sa.select(t.relation_sources.c.relation).where(where)).scalars())
        connection.execute(t.relation_sources.delete().where(where))
        where = sa.and_(t.turns.c.user == user, t.turns.c.n.in_(chunk))
        segments |= dict.fromkeys(connection.execute(sa.select(t.turns.c.segment).where(where)).scalars())
        for table in (t.vectors, t.retention):
            connection.execute(table.delete().where(table.c.user == user, table.c.turn.in_(chunk)))
        connection.execute(t.turns.delete().where(where))
    lost_relations = _without(ledger, list(relations), t.relation_sources.c.relation)
    for chunk in chunks(lost_relations):
        forget_relations(ledger, list(chunk), recorded)
    lost_entities = _without(ledger, list(entities), t.mentions.c.entity)
    lost_relations += _forget_entities(ledger, lost_entities, recorded)
    lost_segments = _forget_segments(ledger, list(segments), summarize)
    if len(gone) > _MANY:
        ledger.start_over()
    else:
        ledger.note(Change.GONE, list(gone))
    return Forgotten(len(gone), len(lost_entities), len(lost_relations), lost_segments)


def forget_user(connection: sa.Connection, user: int) -> Forgotten:
    """Delete every row of a user, the name included."""
    counts = {
        name: connection.execute(sa.select(sa.func.count()).where(t.metadata.tables[name].c.user == user)).scalar_one()
        for name in ("turns", "entities", "relations", "segments")
    }
    for table in t.OWNED:
        connection.execute(table.delete().where(table.c.user == user))
    connection.execute(t.users.delete().where(t.users.c.id == user))
    return Forgotten(**counts)


def turns_of_entity(connection: sa.Connection, user: int, entity: int) -> list[int]:
    """Numbers of the turns that mention an entity, in order."""
    query = sa.select(t.mentions.c.turn).where(t.mentions.c.user == user, t.mentions.c.entity == entity)
    return list(connection.execute(query.order_by(t.mentions.c.turn)).scalars())


def _without(ledger: Ledger, candidates: list[int], column: sa.Column[int]) -> list[int]:
    """The candidates that no row of the column's table names any more."""
    left: set[int] = set()
    for chunk in chunks(candidates):
        query = sa.select(column).where(column.table.c.user == ledger.user, column.in_(chunk)).distinct()
        left.update(ledger.connection.execute(query).scalars())
    return [n for n in candidates if n not in left]


def _forget_entities(ledger: Ledger, gone: list[int], recorded: int) -> list[int]:
    """Delete entities, and the relations that still end at them: a source may have lost the mention, not the turn."""
    lost: list[int] = []
    for chunk in chunks(gone):
        ends = sa.or_(t.relations.c.subject.in_(chunk), t.relations.c.object.in_(chunk))
        query = sa.select(t.relations.c.n).where(t.relations.c.user == ledger.user, ends)
        orphans = list(ledger.connection.execute(query).scalars())
        if orphans:
            where = sa.and_(t.relation_sources.c.user == ledger.user, t.relation_sources.c.relation.in_(orphans))
            ledger.connection.execute(t.relation_sources.delete().where(where))
            forget_relations(ledger, orphans, recorded)
            lost += orphans
        for table, column in ((t.aliases, t.aliases.c.entity), (t.entities, t.entities.c.n)):
            ledger.connection.execute(table.delete().where(table.c.user == ledger.user, column.in_(chunk)))
    return lost


def _forget_segments(ledger: Ledger, touched: list[int], summarize: Summarize) -> int:
    """Delete segments and sessions without turns, and write the other segments' summaries anew."""
    empty = _without(ledger, touched, t.turns.c.segment)
    gone = set(empty)
    for n in touched:
        if n not in gone:
            refresh_summary(ledger.connection, ledger.user, n, summarize)
    sessions: dict[int, None] = {}
    for chunk in chunks(empty):
        where = sa.and_(t.segments.c.user == ledger.user, t.segments.c.n.in_(chunk))
        sessions |= dict.fromkeys(ledger.connection.execute(sa.select(t.segments.c.session).where(where)).scalars())
        ledger.connection.execute(t.segments.delete().where(where))
    for chunk in chunks(_without(ledger, list(sessions), t.segments.c.session)):
        where = sa.and_(t.sessions.c.user == ledger.user, t.sessions.c.n.in_(chunk))
        ledger.connection.execute(t.sessions.delete().where(where))
    return len(empty)
