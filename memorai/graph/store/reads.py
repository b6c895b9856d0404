"""Reading rows back as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.records import Decision, Fact, StoredTurn, moment
from memorai.graph.store.users import storable
from memorai.write.names import name_key
from memorai.write.resolve import folded


def _one(column: sa.Column[Any], n: sa.ColumnElement[int]) -> sa.ScalarSelect[Any]:
    """The column of the user's row of number ``n`` in another table.

    Not a join: SQLite's planner, which has no statistics, might begin a join of one user's tables with the wrong one.
    """
    other = column.table.alias()
    return sa.select(other.c[column.name]).where(other.c.user == _USER, other.c.n == n).scalar_subquery()


# statements of a search, made once: to compose one costs as much as to run it
_USER: sa.BindParameter[int] = sa.bindparam("user", type_=sa.Integer)
_NUMBERS: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True, type_=sa.BigInteger)
_T, _R, _S = t.turns.c, t.relations.c, t.relation_sources.c
_TURNS = sa.select(
    *(_T.n, _T.id, _one(t.sessions.c.key, _T.session), _T.speaker, _T.text, _T.role, _T.caption, _T.time, _T.time_text),
    *(_T.recorded, _T.gate),
).where(_T.user == _USER)
_NUMBERS_BY_ID = sa.select(_T.id, _T.n).where(_T.user == _USER, _T.id.in_(sa.bindparam("ids", expanding=True)))
_TURNS_BY_NUMBER = _TURNS.where(_T.n.in_(_NUMBERS))
_FACTS = sa.select(
    *(_R.n, _R.predicate, _R.kind, _R.valid_from, _R.valid_to, _R.stated, _R.recorded, _R.closed_by, _R.conflict),
    _one(t.entities.c.name, _R.subject).label("subject_name"),
    _one(t.entities.c.name, _R.object).label("object_name"),
).where(_R.user == _USER)
_FACTS_BY_NUMBER = _FACTS.where(_R.n.in_(_NUMBERS))
_STATED_BY_TURN = sa.select(_S.turn, _S.relation).where(_S.user == _USER, _S.turn.in_(_NUMBERS)).order_by(_S.n)
_TURNS_OF_FACTS = (
    sa.select(_S.relation, _one(_T.id, _S.turn)).where(_S.user == _USER, _S.relation.in_(_NUMBERS)).order_by(_S.n)
)


def stored_turns(connection: sa.Connection, user: int, numbers: Iterable[int]) -> dict[int, StoredTurn]:
    """Return turns by number; those that are gone are left out."""
    out: dict[int, StoredTurn] = {}
    for chunk in chunks(list(numbers)):
        for row in connection.execute(_TURNS_BY_NUMBER, {"user": user, "numbers": chunk}):
            out[row.n] = StoredTurn(*row)
    return out


def every_turn(connection: sa.Connection, user: int) -> Iterator[StoredTurn]:
    """Yield the user's turns in the order in which they were added."""
    for row in connection.execution_options(yield_per=1000).execute(_TURNS.order_by(t.turns.c.n), {"user": user}):
        yield StoredTurn(*row)


def turn_numbers(connection: sa.Connection, user: int, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of turns by id; unknown ids are left out."""
    out: dict[str, int] = {}
    for chunk in chunks([id_ for id_ in ids if storable(id_)]):
        found = connection.execute(_NUMBERS_BY_ID, {"user": user, "ids": chunk})
        out.update((id_, n) for id_, n in found)
    return out


def last_turns(connection: sa.Connection, user: int, session: str, count: int) -> list[StoredTurn]:
    """Return the last turns of a session, oldest first."""
    number = sa.select(t.sessions.c.n).where(t.sessions.c.user == user, t.sessions.c.key == session).scalar_subquery()
    query = _TURNS.where(t.turns.c.session == number).order_by(t.turns.c.n.desc()).limit(count)
    return [StoredTurn(*row) for row in connection.execute(query, {"user": user})][::-1]


def find_entity(connection: sa.Connection, user: int, name: str) -> int | None:
    """Return the number of the entity that a name means: its key, else any spelling of it."""
    if not storable(name):
        return None
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
    which = sa.or_(r.c.subject == entity, r.c.object == entity)
    return _facts(connection, user, connection.execute(_FACTS.where(which), {"user": user}).all())


def facts_of_line(connection: sa.Connection, user: int, relation: int) -> list[Fact]:
    """Return a relation and all of its subject and kind (without a kind: of its predicate), on a line in time."""
    if not 0 < relation <= t.LARGEST:
        return []
    r = t.relations
    query = sa.select(r.c.subject, r.c.kind, r.c.predicate).where(r.c.user == user, r.c.n == relation)
    row = connection.execute(query).one_or_none()
    if row is None:
        return []
    same = r.c.kind == row.kind if row.kind else sa.and_(r.c.kind == "", r.c.predicate == row.predicate)
    query = _FACTS.where(r.c.subject == row.subject, same)
    return _facts(connection, user, connection.execute(query, {"user": user}).all())


def facts_of_turns(connection: sa.Connection, user: int, numbers: Sequence[int]) -> dict[int, list[Fact]]:
    """Return by turn the relations that it states."""
    pairs: list[tuple[int, int]] = []
    for chunk in chunks(list(numbers)):
        rows = connection.execute(_STATED_BY_TURN, {"user": user, "numbers": chunk})
        pairs += [(turn, relation) for turn, relation in rows]
    facts: dict[int, Fact] = {}
    for chunk in chunks(list(dict.fromkeys(relation for _, relation in pairs))):
        rows = connection.execute(_FACTS_BY_NUMBER, {"user": user, "numbers": chunk})
        facts |= {fact.id: fact for fact in _facts(connection, user, rows.all())}
    out: dict[int, list[Fact]] = {}
    for turn, relation in pairs:
        out.setdefault(turn, []).append(facts[relation])
    return out


def every_fact(connection: sa.Connection, user: int) -> list[Fact]:
    """Return all relations, on a line in time."""
    return _facts(connection, user, connection.execute(_FACTS, {"user": user}).all())


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


def _facts(connection: sa.Connection, user: int, rows: Sequence[Any]) -> list[Fact]:
    ordered = sorted(rows, key=lambda row: (row.stated if row.valid_from is None else row.valid_from, row.n))
    sources = _sources(connection, user, [row.n for row in ordered])
    return [
        Fact(
            id=row.n,
            subject=row.subject_name,
            predicate=row.predicate,
            object=row.object_name,
            kind=row.kind,
            valid_from=moment(row.valid_from),
            valid_to=moment(row.valid_to),
            recorded=_known(row.recorded),
            turn_ids=tuple(sources.get(row.n, ())),
            closed_by=row.closed_by,
            conflict=row.conflict,
        )
        for row in ordered
    ]


def _sources(connection: sa.Connection, user: int, relations: list[int]) -> Mapping[int, list[str]]:
    out: dict[int, list[str]] = {}
    for chunk in chunks(relations):
        for relation, turn in connection.execute(_TURNS_OF_FACTS, {"user": user, "numbers": chunk}):
            out.setdefault(relation, []).append(turn)
    return out


def _known(value: int) -> Any:
    found = moment(value)
    assert found is not None
    return found
