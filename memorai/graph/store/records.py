"""The values that go into the store and come out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(time: datetime) -> int:
    """Microseconds since 1970 in UTC, exactly; a time without a zone is read as UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


def moment(value: int | None) -> datetime | None:
    """The UTC time of `micros`; beyond what a datetime holds, its first or last."""
    if value is None:
        return None
    try:
        return _EPOCH + value * _MICROSECOND
    except OverflowError:
        return (datetime.min if value < 0 else datetime.max).replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation as a turn states it; entities by key.

    Args:
        subject: key of an entity that the turn mentions.
        predicate: the words of the relation.
        object: key of another.
        kind: what excludes one another in time (``lives_in``), or empty.
        valid_from: from when it holds, where the turn says so; microseconds.
        valid_to: until when, likewise.
        past: it is over, whether or not the turn says since when.
    """

    subject: str
    predicate: str
    object: str
    kind: str = ""
    valid_from: int | None = None
    valid_to: int | None = None
    past: bool = False


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn with all that is derived from it, ready to be stored.

    Args:
        id: unique for the user.
        session: key of its session.
        speaker: display name.
        text: what was said.
        role, caption: as in `memorai.types.Turn`.
        time: microseconds, or None.
        time_text: the time as it was given.
        recorded: when it was added, microseconds.
        gate: keep score in [0, 1], or None.
        vector: float16 bytes, or empty.
        terms: uint64 bytes.
        body: how many of the last terms are the turn's own words.
        mentions: entity key -> (name, weight).
        statements: relations.
    """

    id: str
    session: str
    speaker: str
    text: str
    role: str | None
    caption: str | None
    time: int | None
    time_text: str | None
    recorded: int
    gate: float | None
    vector: bytes
    terms: bytes
    body: int
    mentions: Mapping[str, tuple[str, float]]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation as it stands, with its provenance.

    Args:
        id: number of the relation.
        subject, predicate, object: names and words.
        kind: what excludes one another in time, or empty.
        valid_from: first moment; None = since before anybody said so.
        valid_to: first moment at which it no longer holds; None = it still does.
        recorded: when the store learned it.
        turn_ids: who says so, never empty.
        closed_by: the relation that replaced it, or None.
        conflict: another relation says otherwise, and both were kept.
    """

    id: int
    subject: str
    predicate: str
    object: str
    kind: str
    valid_from: datetime | None
    valid_to: datetime | None
    recorded: datetime
    turn_ids: tuple[str, ...]
    closed_by: int | None = None
    conflict: bool = False

    def holds(self, at: datetime) -> bool:
        """Whether it holds at a time."""
        asked = micros(at)
        began = self.valid_from is None or micros(self.valid_from) <= asked
        return began and (self.valid_to is None or asked < micros(self.valid_to))

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True, slots=True)
class Decision:
    """A change of a relation's interval by a later statement: what it was and what it became.

    Args:
        id: number of the decision.
        kind: ``close`` ended a relation, ``start`` gave one its beginning.
        fact: the relation that was changed.
        cause: the relation whose statement led to it.
        before, after: (valid_from, valid_to).
        recorded: when.
        undone: when it was taken back, or None.
    """

    id: int
    kind: str
    fact: int
    cause: int
    before: tuple[datetime | None, datetime | None]
    after: tuple[datetime | None, datetime | None]
    recorded: datetime
    undone: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it is kept: number, and the columns of the table."""

    n: int
    id: str
    session: str
    speaker: str
    text: str
    role: str | None
    caption: str | None
    time: int | None
    time_text: str | None
    recorded: int
    gate: float | None

    @property
    def when(self) -> datetime | None:
        """The time as it was given, with its zone."""
        return datetime.fromisoformat(self.time_text) if self.time_text else moment(self.time)
