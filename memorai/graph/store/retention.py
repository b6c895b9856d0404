"""What is remembered fades: R = exp(-t / S), with t since the last access and S growing with each retrieval.

After Ebbinghaus, "Ueber das Gedaechtnis" (1885), in the exponential form that later models of memory use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from memorai.errors import InputError
from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.users import Change, Ledger

DAY = 86_400_000_000  # microseconds
_STRONGEST = 1e8  # days: more means nothing, and the number must stay finite


def retention_of(accessed: int, strength: float, now: int) -> float:
    """R in (0, 1]: the share that is left; a clock that went back counts as no time at all.

    Args:
        accessed: last access, microseconds.
        strength: S in days.
        now: microseconds.
    """
    return math.exp(-max(0, now - accessed) / (strength * DAY))


@dataclass(frozen=True, slots=True)
class Fading:
    """How turns fade: S in days at first, and the factor by which it grows with each retrieval.

    Raises:
        InputError: strength not above 0, or growth below 1.
    """

    strength: float = 7.0
    growth: float = 1.5

    def __post_init__(self) -> None:
        if not 0 < self.strength < math.inf or not 1 <= self.growth < math.inf:
            raise InputError(f"retention: strength={self.strength} must be > 0 days and growth={self.growth} >= 1")

    def grown(self, strength: float, times: int) -> float:
        """Return S after so many retrievals, at most 10^8 days unless it was more before."""
        factor = math.exp(min(times * math.log(self.growth), 700.0))
        return max(strength, min(strength * factor, _STRONGEST))


@dataclass(frozen=True, slots=True)
class Trace:
    """The state of one turn: last access, strength in days, when it was archived or None."""

    accessed: int
    strength: float
    archived: int | None


def traces(connection: sa.Connection, user: int, fading: Fading, only: int | None = None) -> dict[int, Trace]:
    """Return traces by turn number, in order; a turn that was never found again fades from when it was recorded.

    Args:
        connection: of a transaction.
        user: number of the user.
        fading: how turns fade.
        only: number of the one turn that is asked for; None = all.
    """
    r, turns = t.retention, t.turns
    joined = turns.outerjoin(r, sa.and_(r.c.user == turns.c.user, r.c.turn == turns.c.n))
    query = (
        sa.select(turns.c.n, turns.c.recorded, r.c.accessed, r.c.strength, r.c.archived)
        .select_from(joined)
        .where(turns.c.user == user)
        .order_by(turns.c.n)
    )
    if only is not None:
        query = query.where(turns.c.n == only)
    return {
        n: Trace(recorded if accessed is None else accessed, strength or fading.strength, archived)
        for n, recorded, accessed, strength, archived in connection.execute(query)
    }


def touch(connection: sa.Connection, user: int, found: Mapping[int, tuple[int, int]], fading: Fading) -> None:
    """Enter retrievals: turn number -> (how often, the last time). Turns that are gone by now are passed over."""
    # readers of one user may come at once
    connection.execute(sa.select(t.users.c.id).where(t.users.c.id == user).with_for_update())
    old: dict[int, tuple[int, float]] = {}
    there: set[int] = set()
    r = t.retention.c
    for chunk in chunks(list(found)):
        query = sa.select(t.turns.c.n).where(t.turns.c.user == user, t.turns.c.n.in_(chunk))
        there.update(connection.execute(query).scalars())
        known = sa.select(r.turn, r.accessed, r.strength).where(r.user == user, r.turn.in_(chunk))
        old |= {n: (accessed, strength) for n, accessed, strength in connection.execute(known)}
    fresh, grown = [], []
    for n, (times, last) in found.items():
        accessed, strength = old.get(n, (last, fading.strength))
        values = {"accessed": max(accessed, last), "strength": fading.grown(strength, times)}
        if n in old:
            grown.append({"of": user, "number": n, **values})
        elif n in there:
            fresh.append({"user": user, "turn": n, "archived": None, **values})
    if grown:
        where = sa.and_(r.user == sa.bindparam("of"), r.turn == sa.bindparam("number"))
        connection.execute(t.retention.update().where(where), grown)
    if fresh:
        connection.execute(t.retention.insert(), fresh)


def set_archived(ledger: Ledger, turns: Sequence[int], when: int | None, fading: Fading) -> None:
    """Take turns out of the search (`when` = now), or bring them back (None)."""
    present = set(_rows(ledger, turns))
    fresh = [n for n in turns if n not in present]
    if fresh:
        recorded = dict(_recorded(ledger, fresh))
        rows = [
            {
                "user": ledger.user,
                "turn": n,
                "accessed": recorded[n],
                "strength": fading.strength,
                "archived": None,
            }
            for n in fresh
        ]
        ledger.connection.execute(t.retention.insert(), rows)
    for chunk in chunks(turns):
        where = sa.and_(t.retention.c.user == ledger.user, t.retention.c.turn.in_(chunk))
        ledger.connection.execute(t.retention.update().where(where).values(archived=when))
    ledger.note(Change.RESTORED if when is None else Change.ARCHIVED, list(turns))


def _rows(ledger: Ledger, turns: Sequence[int]) -> list[int]:
    out: list[int] = []
    for chunk in chunks(turns):
        where = sa.and_(t.retention.c.user == ledger.user, t.retention.c.turn.in_(chunk))
        out += ledger.connection.execute(sa.select(t.retention.c.turn).where(where)).scalars()
    return out


def _recorded(ledger: Ledger, turns: Sequence[int]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for chunk in chunks(turns):
        where = sa.and_(t.turns.c.user == ledger.user, t.turns.c.n.in_(chunk))
        out += [(n, at) for n, at in ledger.connection.execute(sa.select(t.turns.c.n, t.turns.c.recorded).where(where))]
    return out
