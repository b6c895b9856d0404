"""Appending: one transaction a batch of turns, at a cost that depends on the batch alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.records import NewTurn, Statement
from memorai.graph.store.timeline import OnConflict, state_relation
from memorai.graph.store.users import Ledger, State, ensure_user, insert_new, last_deletion
from memorai.types import Turn
from memorai.write.resolve import folded

Summarize = Callable[[Sequence[Turn]], str]


@dataclass(frozen=True, slots=True)
class Written:
    """Ids of the turns that were stored, and of those that were there already."""

    stored: tuple[str, ...]
    duplicates: tuple[str, ...]


class HotEntities:
    """The numbers of entities that were used last, by key; wrong ones are impossible, for a new state empties it.

    Args:
        size: entities to remember.
    """

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._known: OrderedDict[str, int] = OrderedDict()
        self._generation: object = None

    def at(self, generation: object) -> None:
        """Forget everything if rows were deleted since."""
        if generation != self._generation:
            self._known.clear()
            self._generation = generation

    def get(self, key: str) -> int | None:
        """The number of an entity, if it is remembered."""
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def put(self, key: str, n: int) -> None:
        """Remember an entity."""
        self._known[key] = n
        if len(self._known) > self._size:
            self._known.popitem(last=False)


def write_turns(
    connection: sa.Connection,
    user_name: str,
    batch: Sequence[NewTurn],
    hot: HotEntities,
    summarize: Summarize,
    segment_turns: int = 10,
    mode: OnConflict = "close",
) -> tuple[Written, State]:
    """Store a batch, less the turns whose ids are there already.

    Args:
        connection: of a writing transaction.
        user_name: who it belongs to.
        batch: in the order in which the turns were added.
        hot: remembered entities; what it learns here is wrong if the transaction fails, so that the caller must
            then empty it.
        summarize: writes a segment's summary from its turns.
        segment_turns: turns of a segment; a session's next turn opens another.
        mode: what a newer statement does to older ones of its kind.

    Returns:
        what was stored, and the user's state after the commit.
    """
    user = ensure_user(connection, user_name)
    ledger = Ledger(connection, user)
    state = connection.execute(sa.select(t.users.c.generation).where(t.users.c.id == user)).scalar_one()
    known = _existing(connection, user, [turn.id for turn in batch])
    new: dict[str, NewTurn] = {}
    duplicates: list[str] = []
    for turn in batch:
        if turn.id in known or turn.id in new:
            duplicates.append(turn.id)
        else:
            new[turn.id] = turn
    written = Written(tuple(new), tuple(duplicates))
    if not new:
        return written, State(ledger.revision - 1, state)
    hot.at((user_name, state, last_deletion(connection, user)))
    turns = list(new.values())
    numbers = [ledger.next("turns") for _ in turns]
    sessions = _sessions(ledger, dict.fromkeys(turn.session for turn in turns))
    segments, touched = _segments(ledger, [sessions[turn.session] for turn in turns], segment_turns)
    _insert_turns(ledger, turns, numbers, sessions, segments)
    entities = _entities(ledger, turns, hot)
    _insert_mentions(ledger, turns, numbers, entities)
    for turn, n in zip(turns, numbers, strict=True):
        stated = turn.recorded if turn.time is None else turn.time
        for said in turn.statements:
            ends = entities[said.subject], entities[said.object]
            state_relation(ledger, *ends, said, n, stated, turn.recorded, mode)
    for segment in touched:
        refresh_summary(connection, user, segment, summarize)
    ledger.close()
    return written, State(ledger.revision, state)


def _existing(connection: sa.Connection, user: int, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for chunk in chunks(ids):
        query = sa.select(t.turns.c.id).where(t.turns.c.user == user, t.turns.c.id.in_(chunk))
        found.update(connection.execute(query).scalars())
    return found


def _sessions(ledger: Ledger, keys: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    wanted = list(keys)
    for chunk in chunks(wanted):
        query = sa.select(t.sessions.c.key, t.sessions.c.n).where(
            t.sessions.c.user == ledger.user, t.sessions.c.key.in_(chunk)
        )
        found.update((key, n) for key, n in ledger.connection.execute(query))
    rows = [{"user": ledger.user, "n": ledger.next("sessions"), "key": key} for key in wanted if key not in found]
    if rows:
        ledger.connection.execute(t.sessions.insert(), rows)
    return found | {str(row["key"]): int(str(row["n"])) for row in rows}


def _segments(ledger: Ledger, sessions: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """The segment of each turn, and all segments that get turns."""
    open_: dict[int, tuple[int, int]] = {}
    for session in dict.fromkeys(sessions):
        query = (
            sa.select(t.segments.c.n, t.segments.c.size)
            .where(t.segments.c.user == ledger.user, t.segments.c.session == session)
            .order_by(t.segments.c.n.desc())
            .limit(1)
        )
        row = ledger.connection.execute(query).one_or_none()
        if row is not None:
            open_[session] = (row[0], row[1])
    before = {n for n, _ in open_.values()}
    sizes: dict[int, int] = {}
    owner: dict[int, int] = {}
    out = []
    for session in sessions:
        n, count = open_.get(session, (0, size))
        if count >= size:
            n, count = ledger.next("segments"), 0
        open_[session] = (n, count + 1)
        sizes[n], owner[n] = count + 1, session
        out.append(n)
    fresh = [
        {"user": ledger.user, "n": n, "session": owner[n], "size": count, "summary": ""}
        for n, count in sizes.items()
        if n not in before
    ]
    if fresh:
        ledger.connection.execute(t.segments.insert(), fresh)
    for n, count in sizes.items():
        if n in before:
            where = sa.and_(t.segments.c.user == ledger.user, t.segments.c.n == n)
            ledger.connection.execute(t.segments.update().where(where).values(size=count))
    return out, list(sizes)


def _insert_turns(
    ledger: Ledger, turns: Sequence[NewTurn], numbers: Sequence[int], sessions: Mapping[str, int], segments: list[int]
) -> None:
    columns = ("id", "speaker", "role", "text", "caption", "time", "time_text", "recorded", "gate")
    rows: list[dict[str, Any]] = []
    for turn, n, segment in zip(turns, numbers, segments, strict=True):
        own = {name: getattr(turn, name) for name in columns}
        rows.append({"user": ledger.user, "n": n, "session": sessions[turn.session], "segment": segment, **own})
    ledger.connection.execute(t.turns.insert(), rows)
    derived = [
        {"user": ledger.user, "turn": n, "vector": turn.vector, "terms": turn.terms, "body": turn.body}
        for turn, n in zip(turns, numbers, strict=True)
    ]
    ledger.connection.execute(t.vectors.insert(), derived)


def _entities(ledger: Ledger, turns: Sequence[NewTurn], hot: HotEntities) -> dict[str, int]:
    """Numbers of all mentioned keys; a key or a spelling that is known is that entity, all others are new."""
    names = {key: name for turn in reversed(turns) for key, (name, _) in reversed(list(turn.mentions.items()))}
    out: dict[str, int] = {}
    ordered = list(dict.fromkeys(key for turn in turns for key in turn.mentions))
    missing = []
    for key in ordered:
        n = hot.get(key)
        if n is None:
            missing.append(key)
        else:
            out[key] = n
    for chunk in chunks(missing):
        query = sa.select(t.entities.c.key, t.entities.c.n).where(
            t.entities.c.user == ledger.user, t.entities.c.key.in_(chunk)
        )
        out.update((key, n) for key, n in ledger.connection.execute(query))
    forms = {key: folded(names[key]) or key for key in ordered if key not in out}
    spelt = _by_form(ledger, list(forms.values()))
    fresh: list[dict[str, Any]] = []
    aliases: list[dict[str, Any]] = []
    for key, form in forms.items():
        if form in spelt:
            out[key] = spelt[form]
            continue
        n = ledger.next("entities")
        out[key] = spelt[form] = n
        fresh.append({"user": ledger.user, "n": n, "key": key, "name": names[key]})
        aliases.append({"user": ledger.user, "form": form, "entity": n})
    if fresh:
        ledger.connection.execute(t.entities.insert(), fresh)
        ledger.connection.execute(insert_new(ledger.connection, t.aliases), aliases)
    for key in ordered:
        hot.put(key, out[key])
    return out


def _by_form(ledger: Ledger, forms: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(forms):
        query = sa.select(t.aliases.c.form, t.aliases.c.entity).where(
            t.aliases.c.user == ledger.user, t.aliases.c.form.in_(chunk)
        )
        found.update((form, n) for form, n in ledger.connection.execute(query))
    return found


def _insert_mentions(
    ledger: Ledger, turns: Sequence[NewTurn], numbers: Sequence[int], entities: Mapping[str, int]
) -> None:
    weights: dict[tuple[int, int], float] = {}
    for turn, n in zip(turns, numbers, strict=True):
        for key, (_, weight) in turn.mentions.items():
            pair = (n, entities[key])
            weights[pair] = max(weight, weights.get(pair, 0.0))
    rows = [
        {"user": ledger.user, "turn": turn, "entity": entity, "weight": weight}
        for (turn, entity), weight in weights.items()
    ]
    if rows:
        ledger.connection.execute(t.mentions.insert(), rows)


def refresh_summary(connection: sa.Connection, user: int, segment: int, summarize: Summarize) -> None:
    """Write a segment's summary anew from the turns that it has."""
    query = (
        sa.select(t.turns.c.id, t.turns.c.speaker, t.turns.c.text, t.turns.c.caption)
        .where(t.turns.c.user == user, t.turns.c.segment == segment)
        .order_by(t.turns.c.n)
    )
    said = [Turn(row.id, str(segment), row.speaker, row.text, caption=row.caption) for row in connection.execute(query)]
    where = sa.and_(t.segments.c.user == user, t.segments.c.n == segment)
    connection.execute(t.segments.update().where(where).values(summary=summarize(said)))


def statement_ends(statements: Iterable[Statement]) -> list[str]:
    """Keys at either end of statements, in order."""
    return list(dict.fromkeys(key for said in statements for key in (said.subject, said.object)))
