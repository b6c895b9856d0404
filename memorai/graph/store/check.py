"""What must hold of a store, checked row by row; what can be derived is repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.reads import stored_turns
from memorai.graph.store.records import StoredTurn
from memorai.graph.store.timeline import forget_relations
from memorai.graph.store.users import COUNTERS, Ledger
from memorai.graph.store.vectors import TERM, VECTOR

_TOLERANCE = 0.01  # of a float16 unit vector's length
#: (turns) -> for each its vector's bytes, its terms' bytes and how many of these are its own
Derive = Callable[[Sequence[StoredTurn]], list[tuple[bytes, bytes, int]]]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not hold: what, of which row, and whether it was repaired."""

    what: str
    row: str
    repaired: bool = False


def check_user(
    connection: sa.Connection,
    user: int,
    dim: int,
    repair: bool,
    derive: Derive,
    recorded: int,
) -> list[Problem]:
    """Check what the schema cannot: provenance, intervals, vectors and terms.

    Args:
        connection: of a transaction; a writing one to repair.
        user: number of the user.
        dim: length of a vector.
        repair: delete what has lost its provenance, and derive missing vectors and terms from the text.
        derive: makes them.
        recorded: when, microseconds.
    """
    orphans = _orphans(connection, user)
    damaged = _damaged(connection, user, dim)
    intervals = _intervals(connection, user)
    behind = _behind(connection, user)
    dangling = _dangling(connection, user)
    problems = [Problem(what, str(n), repair) for what, numbers in orphans.items() for n in numbers]
    problems += [Problem(what, str(n), repair) for n, what in damaged.items()]
    problems += [Problem("relation ends before it begins", str(n)) for n in intervals]
    problems += [Problem("number that would be given twice", name, repair) for name in behind]
    problems += [Problem("relation ended by none that is there", str(n), repair) for n in dangling]
    if repair and (damaged or any(orphans.values()) or behind or dangling):
        if behind:  # before the ledger reads them
            connection.execute(t.users.update().where(t.users.c.id == user).values(**behind))
        for chunk in chunks(dangling):
            mine = sa.and_(t.relations.c.user == user, t.relations.c.n.in_(chunk))
            connection.execute(t.relations.update().where(mine).values(closed_by=None))
        ledger = Ledger(connection, user)
        _delete_orphans(ledger, orphans, recorded)
        _derive(connection, user, list(damaged), derive)
        ledger.start_over()
        ledger.close()
    return problems


def _orphans(connection: sa.Connection, user: int) -> dict[str, list[int]]:
    """Rows that list no turn, by what is wrong with them."""
    rules = (
        ("relation without a source", t.relations, t.relation_sources.c.relation, t.relations.c.n),
        ("entity without a mention", t.entities, t.mentions.c.entity, t.entities.c.n),
        ("segment without a turn", t.segments, t.turns.c.segment, t.segments.c.n),
        ("session without a segment", t.sessions, t.segments.c.session, t.sessions.c.n),
    )
    out: dict[str, list[int]] = {}
    for what, table, column, key in rules:
        there = sa.select(column).where(column.table.c.user == user, column == key)
        query = sa.select(key).where(table.c.user == user, ~there.exists()).order_by(key)
        out[what] = list(connection.execute(query).scalars())
    r, m, s = t.relations, t.mentions, t.relation_sources
    for end in (r.c.subject, r.c.object):
        # an end of a relation that no turn mentions at all; it is an orphan entity, too
        there = sa.select(m.c.entity).where(m.c.user == user, m.c.entity == end)
        unsourced = sa.select(s.c.relation).where(s.c.user == user, s.c.relation == r.c.n)
        query = sa.select(r.c.n).where(r.c.user == user, ~there.exists(), unsourced.exists()).order_by(r.c.n)
        out["relation without a source"] += list(connection.execute(query).scalars())
    out["relation without a source"] = sorted(set(out["relation without a source"]))
    return out


def _damaged(connection: sa.Connection, user: int, dim: int) -> dict[int, str]:
    v, turns = t.vectors, t.turns
    joined = turns.outerjoin(v, sa.and_(v.c.user == turns.c.user, v.c.turn == turns.c.n))
    query = (
        sa.select(turns.c.n, v.c.vector, v.c.terms, v.c.body)
        .select_from(joined)
        .where(turns.c.user == user)
        .order_by(turns.c.n)
    )
    out: dict[int, str] = {}
    for n, vector, terms, body in connection.execution_options(yield_per=1000).execute(query):
        if vector is None or terms is None:
            out[n] = "turn without a vector"
        elif not _sound(vector, dim):
            out[n] = "damaged vector"
        elif len(terms) % TERM.itemsize or not 0 <= body <= len(terms) // TERM.itemsize:
            out[n] = "damaged index terms"
    return out


def _sound(blob: bytes, dim: int) -> bool:
    if not blob:
        return True
    if len(blob) != dim * VECTOR.itemsize:
        return False
    length = float(np.linalg.norm(np.frombuffer(blob, VECTOR).astype(np.float64)))
    return length == 0 or abs(length - 1) < _TOLERANCE


def _intervals(connection: sa.Connection, user: int) -> list[int]:
    r = t.relations
    query = sa.select(r.c.n).where(r.c.user == user, r.c.valid_from > r.c.valid_to)
    return list(connection.execute(query.order_by(r.c.n)).scalars())


def _behind(connection: sa.Connection, user: int) -> dict[str, int]:
    """The user's counters that are below a number that a row has, with that number."""
    out: dict[str, int] = {}
    for name in COUNTERS:
        table = t.relation_sources if name == "sources" else t.metadata.tables[name]
        highest = sa.select(sa.func.max(table.c.n)).where(table.c.user == user).scalar_subquery()
        query = sa.select(t.users.c[name], highest).where(t.users.c.id == user)
        count, last = connection.execute(query).one()
        if last is not None and count < last:
            out[name] = last
    return out


def _dangling(connection: sa.Connection, user: int) -> list[int]:
    """Relations that are said to be ended by one that is not there."""
    r, by = t.relations, t.relations.alias()
    there = sa.select(by.c.n).where(by.c.user == user, by.c.n == r.c.closed_by)
    query = sa.select(r.c.n).where(r.c.user == user, r.c.closed_by.is_not(None), ~there.exists())
    return list(connection.execute(query.order_by(r.c.n)).scalars())


def _delete_orphans(ledger: Ledger, orphans: dict[str, list[int]], recorded: int) -> None:
    connection, user = ledger.connection, ledger.user
    relations = orphans["relation without a source"]
    for chunk in chunks(relations):
        s = t.relation_sources
        connection.execute(s.delete().where(s.c.user == user, s.c.relation.in_(chunk)))
        forget_relations(ledger, list(chunk), recorded)
    for chunk in chunks(orphans["entity without a mention"]):
        connection.execute(t.aliases.delete().where(t.aliases.c.user == user, t.aliases.c.entity.in_(chunk)))
        connection.execute(t.entities.delete().where(t.entities.c.user == user, t.entities.c.n.in_(chunk)))
    for chunk in chunks(orphans["segment without a turn"]):
        connection.execute(t.segments.delete().where(t.segments.c.user == user, t.segments.c.n.in_(chunk)))
    left = sa.select(t.segments.c.n).where(t.segments.c.user == user, t.segments.c.session == t.sessions.c.n)
    connection.execute(t.sessions.delete().where(t.sessions.c.user == user, ~left.exists()))


def _derive(connection: sa.Connection, user: int, numbers: list[int], derive: Derive) -> None:
    for chunk in chunks(numbers):
        turns = list(stored_turns(connection, user, chunk).values())
        for turn, (vector, terms, body) in zip(turns, derive(turns), strict=True):
            where = sa.and_(t.vectors.c.user == user, t.vectors.c.turn == turn.n)
            connection.execute(t.vectors.delete().where(where))
            row = {"user": user, "turn": turn.n, "vector": vector, "terms": terms, "body": body}
            connection.execute(t.vectors.insert().values(**row))
