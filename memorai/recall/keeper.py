"""What leaves the memory: forgotten at once, pruned by a policy, or archived and brought back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from memorai.errors import InputError
from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.database import Database
from memorai.graph.store.forget import Forgotten, forget_turns, forget_user, turns_of_entity
from memorai.graph.store.reads import find_entity, turn_numbers
from memorai.graph.store.retention import Fading, Trace, retention_of, set_archived, traces
from memorai.graph.store.users import Ledger, find_user
from memorai.recall.prepare import segment_summary
from memorai.recall.settings import Settings


@dataclass(frozen=True, slots=True)
class Policy:
    """What to prune; a turn goes if any of the three says so.

    Args:
        max_age: what was said longer ago.
        min_retention: what has faded below, in [0, 1].
        max_nodes: so many turns, entities and segments may stay; the most faded turns go first.

    Raises:
        InputError: nothing is set, or a value is out of range.
    """

    max_age: timedelta | None = None
    min_retention: float | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        if self.max_age is None and self.min_retention is None and self.max_nodes is None:
            raise InputError("prune: nothing to go by; give max_age, min_retention or max_nodes")
        if self.max_age is not None and (not isinstance(self.max_age, timedelta) or self.max_age < timedelta(0)):
            raise InputError(f"prune: max_age={self.max_age!r} is not a timedelta >= 0")
        low = self.min_retention
        if low is not None and (isinstance(low, bool) or not isinstance(low, int | float) or not 0 <= low <= 1):
            raise InputError(f"prune: min_retention={low!r} is not in [0, 1]")
        nodes = self.max_nodes
        if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 0):
            raise InputError(f"prune: max_nodes={nodes!r} is not a whole number >= 0")


class Keeper:
    """One user's forgetting.

    Args:
        database: the store.
        user: whose turns.
        settings: of the memory.
        clock: microseconds now.
        clean: deletes what the store keeps beside the database of a user's number (None = of everybody).
    """

    def __init__(
        self,
        database: Database,
        user: str,
        settings: Settings,
        clock: Callable[[], int],
        clean: Callable[[int | None], None],
    ) -> None:
        self._database, self._user, self._clock, self._clean = database, user, clock, clean
        self._fading = Fading(settings.strength_days, settings.growth)

    def forget(self, turns: Sequence[str] = (), entity: str | None = None) -> Forgotten:
        """Forget turns by id, and all turns that mention an entity.

        Raises:
            InputError: there is no such turn or entity; then nothing is forgotten.
        """
        with self._database.write() as connection:
            user = find_user(connection, self._user)
            numbers = {} if user is None else turn_numbers(connection, user, turns)
            missing = next((id_ for id_ in turns if id_ not in numbers), None)
            if missing is not None:
                raise InputError(f"forget: no turn {missing!r}; `search` and `export` show the ids")
            gone = list(numbers.values())
            if entity is not None:
                found = None if user is None else find_entity(connection, user, entity)
                if found is None or user is None:
                    raise InputError(f"forget: no entity {entity!r}; `history` and `export` show the names")
                gone += turns_of_entity(connection, user, found)
            if user is None or not gone:
                return Forgotten()
            ledger = Ledger(connection, user)
            counts = forget_turns(ledger, list(dict.fromkeys(gone)), segment_summary, self._clock())
            ledger.close()
        self._clean(user)
        self._database.scrub(whole=False)
        return counts

    def forget_all(self) -> Forgotten:
        """Forget everything, the user's name included, down to the last byte in the store's folder.

        Raises:
            StoreBusy: other processes kept the file from being rewritten; the rows are gone, call again for the bytes.
        """
        with self._database.write() as connection:
            user = find_user(connection, self._user)
            counts = Forgotten() if user is None else forget_user(connection, user)
        self._clean(user)
        self._clean(None)
        self._database.scrub(whole=True)
        return counts

    def prune(self, policy: Policy, dry_run: bool = False) -> tuple[str, ...]:
        """Forget what a policy names; return the ids, oldest first.

        Args:
            policy: what goes.
            dry_run: only say what would go.
        """
        with self._database.write() as connection:
            user = find_user(connection, self._user)
            if user is None:
                return ()
            now = self._clock()
            known = traces(connection, user, self._fading)
            gone = _by_age(connection, user, policy, now) | _by_retention(known, policy, now)
            if policy.max_nodes is not None:
                gone |= _by_budget(connection, user, policy.max_nodes, known, gone, now)
            chosen = sorted(gone)
            ids = _ids(connection, user, chosen)
            if chosen and not dry_run:
                ledger = Ledger(connection, user)
                forget_turns(ledger, chosen, segment_summary, now)
                ledger.close()
        if ids and not dry_run:
            self._clean(user)
            self._database.scrub(whole=False)
        return ids

    def archive(self, below: float) -> tuple[str, ...]:
        """Take out of the search what has faded below a retention; return the ids."""
        policy = Policy(min_retention=below)
        with self._database.write() as connection:
            user = find_user(connection, self._user)
            if user is None:
                return ()
            known = traces(connection, user, self._fading)
            open_ = {n: trace for n, trace in known.items() if trace.archived is None}
            chosen = sorted(_by_retention(open_, policy, self._clock()))
            if chosen:
                ledger = Ledger(connection, user)
                set_archived(ledger, chosen, self._clock(), self._fading)
                ledger.close()
            return _ids(connection, user, chosen)

    def restore(self, turns: Sequence[str] | None = None) -> tuple[str, ...]:
        """Bring archived turns back, all of them if none is named; return the ids.

        Raises:
            InputError: there is no such turn.
        """
        with self._database.write() as connection:
            user = find_user(connection, self._user)
            known = {} if user is None else traces(connection, user, self._fading)
            archived = [n for n, trace in known.items() if trace.archived is not None]
            if turns is not None:
                numbers = {} if user is None else turn_numbers(connection, user, turns)
                missing = next((id_ for id_ in turns if id_ not in numbers), None)
                if missing is not None:
                    raise InputError(f"restore: no turn {missing!r}; `export` shows the ids")
                wanted = set(numbers.values())
                archived = [n for n in archived if n in wanted]
            if user is None or not archived:
                return ()
            ledger = Ledger(connection, user)
            set_archived(ledger, archived, None, self._fading)
            ledger.close()
            return _ids(connection, user, archived)

    def retention(self, turn: str) -> float:
        """R of a turn now, in (0, 1].

        Raises:
            InputError: there is no such turn.
        """
        with self._database.read() as connection:
            user = find_user(connection, self._user)
            numbers = {} if user is None else turn_numbers(connection, user, [turn])
            if user is None or turn not in numbers:
                raise InputError(f"retention: no turn {turn!r}; `export` shows the ids")
            trace = traces(connection, user, self._fading, numbers[turn])[numbers[turn]]
        return retention_of(trace.accessed, trace.strength, self._clock())


def _by_age(connection: sa.Connection, user: int, policy: Policy, now: int) -> set[int]:
    if policy.max_age is None:
        return set()
    oldest = now - policy.max_age // timedelta(microseconds=1)
    said = sa.func.coalesce(t.turns.c.time, t.turns.c.recorded)
    query = sa.select(t.turns.c.n).where(t.turns.c.user == user, said < oldest)
    return set(connection.execute(query).scalars())


def _by_retention(known: dict[int, Trace], policy: Policy, now: int) -> set[int]:
    low = policy.min_retention
    if low is None:
        return set()
    return {n for n, trace in known.items() if retention_of(trace.accessed, trace.strength, now) < low}


def _by_budget(
    connection: sa.Connection, user: int, budget: int, known: dict[int, Trace], gone: set[int], now: int
) -> set[int]:
    """Turns that must go, the most faded first, until the rest of the graph fits the budget."""
    mentions: dict[int, list[int]] = {}
    left: dict[int, int] = {}
    query = sa.select(t.mentions.c.turn, t.mentions.c.entity).where(t.mentions.c.user == user)
    for turn, entity in connection.execute(query):
        mentions.setdefault(turn, []).append(entity)
        left[entity] = left.get(entity, 0) + 1
    segment: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for turn, owner in connection.execute(sa.select(t.turns.c.n, t.turns.c.segment).where(t.turns.c.user == user)):
        segment[turn] = owner
        sizes[owner] = sizes.get(owner, 0) + 1
    nodes = len(known) + len(left) + len(sizes)
    order = sorted(known, key=lambda n: (n not in gone, retention_of(known[n].accessed, known[n].strength, now), n))
    extra: set[int] = set()
    for turn in order:
        if turn not in gone and nodes <= budget:
            break
        extra.add(turn)
        nodes -= 1
        for entity in mentions.get(turn, ()):
            left[entity] -= 1
            nodes -= left[entity] == 0
        sizes[segment[turn]] -= 1
        nodes -= sizes[segment[turn]] == 0
    return extra


def _ids(connection: sa.Connection, user: int, numbers: Sequence[int]) -> tuple[str, ...]:
    out: dict[int, str] = {}
    for chunk in chunks(numbers):
        query = sa.select(t.turns.c.n, t.turns.c.id).where(t.turns.c.user == user, t.turns.c.n.in_(chunk))
        out |= {row.n: row.id for row in connection.execute(query)}
    return tuple(out[n] for n in numbers)
