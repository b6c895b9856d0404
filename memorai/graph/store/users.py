"""Users: a name that is only ever data, a number that everything else uses, and what counts their changes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from memorai.errors import InputError
from memorai.graph.store.schema import changes, users

LONGEST_NAME = 256
#: of a user, each the highest number given to a row of its table
COUNTERS = ("turns", "sessions", "segments", "entities", "relations", "sources", "decisions", "changes")

# made once: to compose a statement costs as much as to run it
_BY_NAME = sa.select(users.c.id).where(users.c.name == sa.bindparam("called"))
_STATE = sa.select(users.c.revision, users.c.generation).where(users.c.id == sa.bindparam("user"))


class Change(StrEnum):
    """What an index in memory must be told about rows that it has read before."""

    GONE = "gone"  # a turn was forgotten
    ARCHIVED = "archived"  # a turn left the search
    RESTORED = "restored"  # and came back
    RELATION = "relation"  # a relation's interval changed, or it is gone


def check_name(value: object, what: str) -> str:
    """Return an identifier given from outside, or say what is wrong with it.

    Raises:
        InputError: not text, blank, longer than 256 characters, or with NUL or half of a surrogate pair.
    """
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{what} {value!r}: give a text that is not blank")
    if len(value) > LONGEST_NAME:
        raise InputError(f"{what} {value[:20]!r}...: {len(value)} characters, at most {LONGEST_NAME} are kept")
    if not storable(value):
        raise InputError(f"{what} {value!r}: holds NUL or half of a surrogate pair; choose another")
    return value


def storable(text: str) -> bool:
    """Whether every database takes a text: not with NUL or half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


@dataclass(frozen=True, slots=True)
class State:
    """What tells an index in memory whether it is up to date."""

    revision: int
    generation: int


def insert_new(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that leaves rows that are there as they are."""
    module = sqlite if connection.dialect.name == "sqlite" else postgresql
    return module.insert(table).on_conflict_do_nothing()


def find_user(connection: sa.Connection, name: str) -> int | None:
    """Return the number of a user, None if nothing is stored of them."""
    return connection.execute(_BY_NAME, {"called": name}).scalar()


def ensure_user(connection: sa.Connection, name: str) -> int:
    """Return the number of a user, entered if need be."""
    found = find_user(connection, name)
    if found is None:
        # drawn: a user who was forgotten and comes back must not be taken for the one that an index still holds
        generation = secrets.randbits(48)
        connection.execute(insert_new(connection, users).values(name=name, generation=generation))
        found = find_user(connection, name)
    assert found is not None
    return found


def state(connection: sa.Connection, user: int) -> State:
    """Return the user's revision and generation."""
    row = connection.execute(_STATE, {"user": user}).one_or_none()
    return State(*row) if row else State(0, 0)


def last_deletion(connection: sa.Connection, user: int) -> int:
    """Return the revision that last deleted turns one by one, 0 if there is none; `Ledger.start_over` clears it."""
    query = sa.select(sa.func.max(changes.c.revision)).where(changes.c.user == user, changes.c.kind == str(Change.GONE))
    return connection.execute(query).scalar() or 0


@dataclass
class Ledger:
    """The user's counters while a transaction writes: numbers for new rows, and the revision of the commit.

    Its making locks the user's row, so that two writers of one user wait for one another and numbers are given in the
    order of commits.
    """

    connection: sa.Connection
    user: int
    _counts: dict[str, int] = field(init=False)
    revision: int = field(init=False)
    _generation: int = field(init=False)

    def __post_init__(self) -> None:
        columns = [users.c.revision, users.c.generation, *(users.c[name] for name in COUNTERS)]
        query = sa.select(*columns).where(users.c.id == self.user).with_for_update()
        row = self.connection.execute(query).one()
        self.revision, self._generation = row[0] + 1, row[1]
        self._counts = dict(zip(COUNTERS, row[2:], strict=True))

    def next(self, counter: str) -> int:
        """Return the next number of a table's rows; the first is 1."""
        self._counts[counter] += 1
        return self._counts[counter]

    def note(self, kind: Change, refs: list[int]) -> None:
        """Enter changes of rows for the indexes of other processes."""
        rows = [
            {"user": self.user, "n": self.next("changes"), "revision": self.revision, "kind": str(kind), "ref": ref}
            for ref in refs
        ]
        if rows:
            self.connection.execute(changes.insert(), rows)

    def start_over(self) -> None:
        """Have every index in memory read everything anew: for changes too large to be told one by one."""
        self._generation += 1
        self.connection.execute(changes.delete().where(changes.c.user == self.user))

    def close(self) -> None:
        """Write the counters back; the last statement of a transaction."""
        values = {**self._counts, "revision": self.revision, "generation": self._generation}
        self.connection.execute(users.update().where(users.c.id == self.user).values(**values))
