"""Reading rows back as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.records import Decision, Fact, StoredTurn, moment
from memorai.write.names import name_key
from memorai.write.resolve import folded

_CHUNK = 400


def stored_turns(connection: sa.Connection, user: int, numbers: Iterable[int]) -> dict[int, StoredTurn]:
    """Return turns by number; those that are gone are left out."""
    out: dict[int, StoredTurn] = {}
    for chunk in _chunks(list(numbers)):
        for row in connection.execute(_turns(user).where(t.turns.c.n.in_(chunk))):
            out[row.n] = StoredTurn(*row)
    return out


def every_turn(connection: sa.Connection, user: int) -> Iterator[StoredTurn]:
    """Yield the user's turns in the order in which they were added."""
    for row in connection.execution_options(yield_per=1000).execute(_turns(user).order_by(t.turns.c.n)):
        yield StoredTurn(*row)


def turn_numbers(connection: sa.Connection, user: int, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of turns by id; unknown ids are left out."""
    out: dict[str, int] = {}
    for chunk in _chunks(list(ids)):
        query = sa.select(t.turns.c.id, t.turns.c.n).where(t.turns.c.user == user, t.turns.c.id.in_(chunk))
        out.update((id_, n) for id_, n in connection.execute(query))
    return out


def last_turns(connection: sa.Connection, user: int, session: str, count: int) -> list[StoredTurn]:
    """Return the last turns of a session, oldest first."""
    query = _turns(user).where(t.sessions.c.key == session).order_by(t.turns.c.n.desc()).limit(count)
    return [StoredTurn(*row) for row in connection.execute(query)][::-1]


def find_entity(connection: sa.Connection, user: int, name: str) -> int | None:
    """Return the number of the entity that a name means: its key, else any spelling of it."""
    e, a = t.entities, t.aliases
    for key in dict.fromkeys((name, name_key(name))):
        found = connection.execute(sa.select(e.c.n).where(e.c.user == user, e.c.key == key)).scalar()
        if found is not None:
            return found
    by_form = sa.select(a.c.entity).where(a.c.user == user, a.c.form == folded(name))
    found = connection.execute(by_form).scalar()
    if found is not None:
        return found
    shown = sa.select(e.c.n).where(e.c.user == user, sa.func.lower(e.c.name) == name.lower()).order_by(e.c.n)
    return connection.execute(shown).scalar()


def facts_of_entity(connection: sa.Connection, user: int, entity: int) -> list[Fact]:
    """Return the relations that begin or end at an entity, on a line in time."""
    r = t.relations
    return _facts(connection, user, sa.or_(r.c.subject == entity, r.c.object == entity))


def facts_of_line(connection: sa.Connection, user: int, relation: int) -> list[Fact]:
    """Return a relation and all of its subject and kind (without a kind: of its predicate), on a line in time."""
    r = t.relations
    query = sa.select(r.c.subject, r.c.kind, r.c.predicate).where(r.c.user == user, r.c.n == relation)
    row = connection.execute(query).one_or_none()
    if row is None:
        return []
    same = r.c.kind == row.kind if row.kind else sa.and_(r.c.kind == "", r.c.predicate == row.predicate)
    return _facts(connection, user, sa.and_(r.c.subject == row.subject, same))


def facts_of_turns(connection: sa.Connection, user: int, numbers: Sequence[int]) -> dict[int, list[Fact]]:
    """Return by turn the relations that it states."""
    s = t.relation_sources
    pairs: list[tuple[int, int]] = []
    for chunk in _chunks(list(numbers)):
        query = sa.select(s.c.turn, s.c.relation).where(s.c.user == user, s.c.turn.in_(chunk)).order_by(s.c.n)
        pairs += [(turn, relation) for turn, relation in connection.execute(query)]
    relations = list(dict.fromkeys(relation for _, relation in pairs))
    facts: dict[int, Fact] = {}
    for chunk in _chunks(relations):
        facts |= {fact.id: fact for fact in _facts(connection, user, t.relations.c.n.in_(chunk))}
    out: dict[int, list[Fact]] = {}
    for turn, relation in pairs:
        out.setdefault(turn, []).append(facts[relation])
    return out


def every_fact(connection: sa.Connection, user: int) -> list[Fact]:
    """Return all relations, on a line in time."""
    return _facts(connection, user, sa.true())


def every_decision(connection: sa.Connection, user: int) -> list[Decision]:
    """Return all decisions in the order in which they were made."""
    d = t.decisions
    rows = connection.execute(sa.select(d).where(d.c.user == user).order_by(d.c.n)).mappings()
    return [
        Decision(
            id=row["n"],
            kind=row["kind"],
            fact=row["relation"],
            cause=row["cause"],
            before=(moment(row["old_from"]), moment(row["old_to"])),
            after=(moment(row["new_from"]), moment(row["new_to"])),
            recorded=_known(row["recorded"]),
            undone=moment(row["undone"]),
        )
        for row in rows
    ]


def count_rows(connection: sa.Connection, user: int) -> dict[str, int]:
    """Return how many rows of each kind the user has, archived turns among them."""
    tables = (t.turns, t.sessions, t.segments, t.entities, t.relations, t.mentions)
    counts: dict[str, int] = {
        table.name: connection.execute(
            sa.select(sa.func.count()).select_from(table).where(table.c.user == user)
        ).scalar_one()
        for table in tables
    }
    r = t.retention
    archived = sa.select(sa.func.count()).select_from(r).where(r.c.user == user, r.c.archived.is_not(None))
    counts["archived"] = connection.execute(archived).scalar_one()
    return counts


def _turns(user: int) -> sa.Select[Any]:
    c, s = t.turns.c, t.sessions.c
    columns = (c.n, c.id, s.key, c.speaker, c.text, c.role, c.caption, c.time, c.time_text, c.recorded, c.gate)
    joined = t.turns.join(t.sessions, sa.and_(s.user == c.user, s.n == c.session))
    return sa.select(*columns).select_from(joined).where(c.user == user)


def _facts(connection: sa.Connection, user: int, which: sa.ColumnElement[bool]) -> list[Fact]:
    r, subject, object_ = t.relations, t.entities.alias(), t.entities.alias()
    joined = r.join(subject, sa.and_(subject.c.user == r.c.user, subject.c.n == r.c.subject)).join(
        object_, sa.and_(object_.c.user == r.c.user, object_.c.n == r.c.object)
    )
    columns = (
        *(r.c.n, subject.c.name.label("s"), r.c.predicate, object_.c.name.label("o"), r.c.kind, r.c.valid_from),
        *(r.c.valid_to, r.c.stated, r.c.recorded, r.c.closed_by, r.c.conflict),
    )
    rows = connection.execute(sa.select(*columns).select_from(joined).where(r.c.user == user, which)).all()
    rows = sorted(rows, key=lambda row: (row.stated if row.valid_from is None else row.valid_from, row.n))
    sources = _sources(connection, user, [row.n for row in rows])
    return [
        Fact(
            id=row.n,
            subject=row.s,
            predicate=row.predicate,
            object=row.o,
            kind=row.kind,
            valid_from=moment(row.valid_from),
            valid_to=moment(row.valid_to),
            recorded=_known(row.recorded),
            turn_ids=tuple(sources.get(row.n, ())),
            closed_by=row.closed_by,
            conflict=row.conflict,
        )
        for row in rows
    ]


def _sources(connection: sa.Connection, user: int, relations: list[int]) -> Mapping[int, list[str]]:
    s, turns = t.relation_sources, t.turns
    out: dict[int, list[str]] = {}
    for chunk in _chunks(relations):
        query = (
            sa.select(s.c.relation, turns.c.id)
            .select_from(s.join(turns, sa.and_(turns.c.user == s.c.user, turns.c.n == s.c.turn)))
            .where(s.c.user == user, s.c.relation.in_(chunk))
            .order_by(s.c.n)
        )
        for relation, id_ in connection.execute(query):
            out.setdefault(relation, []).append(id_)
    return out


def _known(value: int) -> Any:
    found = moment(value)
    assert found is not None
    return found


def _chunks(values: Sequence[Any]) -> list[Sequence[Any]]:
    return [values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK)]
