"""Messages wait a moment for others, are read, and go to the store together."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import sqlalchemy as sa

from memorai.graph.store.database import Database
from memorai.graph.store.errors import StoreError
from memorai.graph.store.reads import last_turns, turn_numbers
from memorai.graph.store.schema import meta
from memorai.graph.store.timeline import OnConflict
from memorai.graph.store.users import State, find_user, insert_new, state
from memorai.graph.store.vectors import VECTOR
from memorai.graph.store.writes import HotEntities, write_turns
from memorai.recall.messages import Skipped
from memorai.recall.prepare import Preparer, as_turn, segment_summary
from memorai.recall.settings import Settings
from memorai.types import Turn

_MOST_AT_ONCE = 256  # turns of a transaction
_SESSIONS = 1000  # whose last turns are remembered


@dataclass(frozen=True, slots=True)
class Added:
    """What became of messages.

    Args:
        ids: of those that are, or will be with the group, in the store.
        skipped: those that are not, with the reason.
    """

    ids: tuple[str, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pending:
    turn: Turn
    before: tuple[Turn, ...]
    gate: float
    recorded: int


class Writer:
    """One user's messages on their way to the store. Safe for threads.

    A group is written as soon as it is full, or its first message has waited long enough. A group that could not be
    written stays and is tried again with the next call; nothing is lost but by the end of the process.

    Args:
        database: the store.
        user: whose messages.
        preparer: reads them.
        settings: of the memory.
        drop: messages below the gate's threshold are not stored, but handed back.
        mode: what newer statements do to older ones.
        clock: microseconds now.
    """

    def __init__(
        self,
        database: Database,
        user: str,
        preparer: Preparer,
        settings: Settings,
        drop: bool,
        mode: OnConflict,
        clock: Callable[[], int],
    ) -> None:
        self._database, self._user, self._preparer, self._settings = database, user, preparer, settings
        self._drop, self._mode, self._clock = drop, mode, clock
        self._lock = threading.RLock()
        self._pending: OrderedDict[str, _Pending] = OrderedDict()
        self._recent: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._hot = HotEntities(settings.hot_entities)
        self._timer: threading.Timer | None = None
        self._failure: StoreError | None = None
        self._revision = -1
        self.written = 0  # turns, since it was opened

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, turns: Sequence[Turn], skipped: Sequence[Skipped]) -> Added:
        """Take turns, and write them if the group is full.

        Raises:
            StoreError: the group, or an earlier one, could not be written; it is kept.
        """
        with self._lock:
            ids: list[str] = []
            left = list(skipped)
            known = self._stored([turn.id for turn in turns])
            for turn in turns:
                if turn.id in known or turn.id in self._pending:
                    left.append(Skipped(turn.id, "duplicate", turn.text))
                    continue
                recent = self._before(turn.session_id)
                before = tuple(recent)
                score = self._preparer.score(turn, before)
                if self._drop and score < self._preparer.gate.threshold:
                    left.append(Skipped(turn.id, "gate", turn.text))
                    continue
                self._pending[turn.id] = _Pending(turn, before, score, self._clock())
                recent.append(turn)
                ids.append(turn.id)
            if len(self._pending) >= self._settings.group_messages:
                self.flush()
            elif self._pending:
                self._start_timer()
            return Added(tuple(ids), tuple(left))

    def flush(self) -> None:
        """Write what waits.

        Raises:
            StoreError: it could not be written, and still waits.
        """
        with self._lock:
            self._stop_timer()
            self._failure = None
            while self._pending:
                group = list(islice(self._pending.values(), _MOST_AT_ONCE))
                self._write(group)
                for waiting in group:
                    del self._pending[waiting.turn.id]

    def raise_failure(self) -> None:
        """Raise what went wrong with a group that was written in the background."""
        if self._failure is not None:
            self.flush()

    def discard(self) -> None:
        """Drop what waits and what is remembered of the user: for when everything is forgotten."""
        with self._lock:
            self._stop_timer()
            self._pending.clear()
            self.forget_context()

    def forget_context(self) -> None:
        """Remember no earlier turns: some of them may be gone."""
        with self._lock:
            self._recent.clear()

    def close(self) -> None:
        """Write what waits, for the last time."""
        with self._lock:
            self.flush()

    def _write(self, group: Sequence[_Pending]) -> None:
        turns = [waiting.turn for waiting in group]
        rows = self._preparer.rows(
            turns,
            [waiting.before for waiting in group],
            [waiting.gate for waiting in group],
            [waiting.recorded for waiting in group],
        )
        dim = next((len(row.vector) // VECTOR.itemsize for row in rows if row.vector), None)
        try:
            with self._database.write() as connection:
                if dim is not None:
                    claim_embedder(connection, self._database.name, self._preparer.embedder.model_id, dim)
                _, now = write_turns(
                    connection,
                    self._user,
                    rows,
                    self._hot,
                    segment_summary,
                    self._settings.segment_turns,
                    self._mode,
                )
        except BaseException:
            self._hot.at(object())  # what it learned in the transaction is not so
            raise
        self.written += len(turns)
        self._notice(now)

    def _notice(self, now: State) -> None:
        if now.revision != self._revision + 1:
            self._recent.clear()  # another process has written: its turns may be the last of a session
        self._revision = now.revision

    def _stored(self, ids: Sequence[str]) -> set[str]:
        if not ids:
            return set()
        with self._database.read() as connection:
            user = find_user(connection, self._user)
            if user is None or state(connection, user).revision != self._revision:
                self._recent.clear()  # others have written or forgotten: nothing new may be read with what is gone
            return set() if user is None else set(turn_numbers(connection, user, ids))

    def _before(self, session: str) -> deque[Turn]:
        """The last turns of a session, stored or waiting; what is appended is remembered."""
        if session not in self._recent:
            count = self._settings.context_turns
            with self._database.read() as connection:
                user = find_user(connection, self._user)
                stored = [] if user is None else last_turns(connection, user, session, count)
            waiting = [w.turn for w in self._pending.values() if w.turn.session_id == session]
            self._recent[session] = deque([*(as_turn(turn) for turn in stored), *waiting], maxlen=count)
            if len(self._recent) > _SESSIONS:
                self._recent.popitem(last=False)
        self._recent.move_to_end(session)
        return self._recent[session]

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(self._settings.group_ms / 1000, self._in_background)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _in_background(self) -> None:
        with self._lock:
            self._timer = None
            try:
                self.flush()
            except StoreError as error:
                self._failure = error


def claim_embedder(connection: sa.Connection, where: str, model_id: str, dim: int) -> None:
    """Enter which embedder made the store's vectors, or make sure that it is this one.

    Raises:
        StoreError: it is another.
    """
    for key, value in (("embedder", model_id), ("dim", str(dim))):
        connection.execute(insert_new(connection, meta).values(key=key, value=value))
        found = connection.execute(sa.select(meta.c.value).where(meta.c.key == key)).scalar()
        if found != value:
            raise StoreError(
                f"{where}: its vectors are of another embedder ({found}); open it with that one, or with reembed=True"
            )
