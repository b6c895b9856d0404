"""What a search needs, in memory: built from the store once, then kept up to date by what was written since.

Nothing here is truth. A commit by any process raises the user's revision; the next search sees it and reads the new
rows, and of the old ones those that the change log names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.chunks import chunks
from memorai.graph.store.users import Change, State, state
from memorai.graph.store.vectors import TERM, unpack_vectors
from memorai.recall.arrays import Growing
from memorai.recall.dense import Dense
from memorai.recall.facts import Edge, FactTable
from memorai.recall.incidence import Incidence
from memorai.recall.lexical import Words
from memorai.write.predicates import KINDS

_ROWS_AT_ONCE = 5_000
_NO_TIME = np.iinfo(np.int64).min
Ints: TypeAlias = npt.NDArray[np.int64]


class LiveIndex:
    """One user's turns by row, in the order in which they were added; a row is never used again.

    Args:
        dim: length of a vector.
        k1, b: of BM25.
    """

    def __init__(self, dim: int, k1: float = 1.2, b: float = 0.75) -> None:
        self.state = State(-1, -1)
        self.user: int | None = None
        self.dense = Dense(dim)
        self.words = Words(k1, b)
        self.entities = Incidence()
        self.facts = FactTable()
        self._numbers, self._times, self._sessions = Growing(np.int64), Growing(np.int64), Growing(np.int64)
        self._in_use = Growing(np.bool_)
        self._next, self._previous = Growing(np.int64), Growing(np.int64)
        self._last: dict[int, int] = {}  # session -> its last row
        self._gone: set[int] = set()
        self._entity_limit = self._relation_limit = self._source_limit = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> Ints:
        """int64 [rows]: the turns' numbers in the store, increasing."""
        return self._numbers.view

    @property
    def times(self) -> Ints:
        """int64 [rows]: when a turn was said (or else recorded), microseconds."""
        return self._times.view

    @property
    def in_use(self) -> npt.NDArray[np.bool_]:
        """bool [rows]: neither forgotten nor archived."""
        return self._in_use.view

    @property
    def next(self) -> Ints:
        """int64 [rows]: the row that follows in the session, or -1."""
        return self._next.view

    @property
    def previous(self) -> Ints:
        """int64 [rows]: the row before in the session, or -1."""
        return self._previous.view

    def rows(self, numbers: Sequence[int] | Ints) -> Ints:
        """Return the rows of turns by number; unknown numbers are left out."""
        wanted = np.asarray(numbers, dtype=np.int64)
        at = np.searchsorted(self.numbers, wanted)
        known = at < len(self)
        known[known] = self.numbers[at[known]] == wanted[known]
        return at[known]

    def refresh(self, connection: sa.Connection, user: int) -> bool:
        """Read what was committed since; return whether everything had to be read anew.

        Args:
            connection: of a reading transaction.
            user: number of the user.
        """
        now = state(connection, user)
        anew = now.generation != self.state.generation
        if anew:
            self.clear()
        self.user = user
        if now != self.state:
            before = self.state.revision
            self._read_turns(connection, user)
            self._read_relations(connection, user)
            if not anew:
                self._read_changes(connection, user, before)
            self._settle()
            self.state = now
        return anew

    def dump(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
        """What `restore` needs: arrays, and facts about them."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "numbers": self.numbers,
            "times": self.times,
            "sessions": self._sessions.view,
            "in_use": self.in_use,
            "gone": np.array(sorted(self._gone), dtype=np.int64),
            "vectors": self.dense.everything(),
        }
        scan = self.dense.scan_bytes()
        if scan is not None:
            arrays["scan"] = scan
        for prefix, part in (
            ("words", self.words.arrays()),
            ("entities", self.entities.arrays()),
            ("facts", self.facts.arrays()),
        ):
            arrays |= {f"{prefix}.{name}": array for name, array in part.items()}
        about = {
            "user": self.user,
            "dim": self.dense.dim,
            "revision": self.state.revision,
            "generation": self.state.generation,
            "entities": self._entity_limit,
            "relations": self._relation_limit,
            "sources": self._source_limit,
        }
        return arrays, {name: str(value) for name, value in about.items()}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], about: dict[str, str], user: int) -> None:
        """Take the state of a dump; the next `refresh` reads what was committed since."""

        def part(prefix: str) -> dict[str, npt.NDArray[Any]]:
            return {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}

        self.user = user
        self._numbers, self._times = Growing(np.int64, arrays["numbers"]), Growing(np.int64, arrays["times"])
        self._in_use = Growing(np.bool_, arrays["in_use"])
        self._gone = set(arrays["gone"].tolist())
        self.dense = Dense(self.dense.dim, arrays["vectors"])
        if "scan" in arrays:
            self.dense.restore_scan(arrays["scan"])
        self.words.restore(part("words."), self.in_use)
        self.entities = Incidence.restore(part("entities."))
        self.facts = FactTable.restore(part("facts."))
        sessions = arrays["sessions"].tolist()
        self._sessions = Growing(np.int64, sessions)
        self._link(0, sessions)
        self._entity_limit, self._relation_limit = int(about["entities"]), int(about["relations"])
        self._source_limit = int(about["sources"])
        self.state = State(int(about["revision"]), int(about["generation"]))

    def clear(self) -> None:
        """Forget everything; the next `refresh` reads all rows."""
        fresh = LiveIndex(self.dense.dim, self.words.k1, self.words.b)
        self.__dict__.update(fresh.__dict__)

    def _settle(self) -> None:
        self.words.settle()
        self.entities.settle()

    def _read_turns(self, connection: sa.Connection, user: int) -> None:
        c, v, r = t.turns.c, t.vectors.c, t.retention.c
        joined = t.turns.join(t.vectors, sa.and_(v.user == c.user, v.turn == c.n)).outerjoin(
            t.retention, sa.and_(r.user == c.user, r.turn == c.n)
        )
        time = sa.func.coalesce(c.time, c.recorded)
        columns = (c.n, time, c.session, r.archived, v.body, v.terms, v.vector)
        while True:
            last = int(self.numbers[-1]) if len(self) else 0
            query = sa.select(*columns).select_from(joined).where(c.user == user, c.n > last)
            found = connection.execute(query.order_by(c.n).limit(_ROWS_AT_ONCE)).all()
            if not found:
                return
            self._append(list(zip(*found, strict=True)), self._mentions(connection, user, found[0][0], found[-1][0]))
            if len(found) < _ROWS_AT_ONCE:
                return

    def _append(self, columns: list[tuple[Any, ...]], mentions: dict[int, list[int]]) -> None:
        numbers, times, sessions, archived, bodies, terms, vectors = columns
        first = len(self)
        self._numbers.extend(numbers)
        self._times.extend(times)
        self._sessions.extend(sessions)
        self._in_use.extend([when is None for when in archived])
        self._link(first, sessions)
        self.dense.append(unpack_vectors(vectors, self.dense.dim))
        self.words.append([np.frombuffer(blob, TERM).astype(np.uint64) for blob in terms], list(bodies))
        entities = [mentions.get(n, []) for n in numbers]
        flat = np.array([e for found in entities for e in found], dtype=np.int64)
        sizes = np.array([len(found) for found in entities], dtype=np.int64)
        self._entity_limit = max(self._entity_limit, int(flat.max(initial=-1)) + 1)
        self.entities.append(sizes, flat, np.ones(flat.size, np.float32), self._entity_limit)
        out = np.flatnonzero(~self.in_use[first:]) + first
        if out.size:
            self.words.drop(out)
            self.entities.drop(out)

    def _link(self, first: int, sessions: Sequence[int]) -> None:
        """Chain the new rows to the last in use of their sessions."""
        self._next.extend(np.full(len(sessions), -1))
        self._previous.extend(np.full(len(sessions), -1))
        for row, session in enumerate(sessions, first):
            if not self.in_use[row]:
                continue
            last = self._last.get(session, -1)
            if last >= 0:
                self._next.view[last], self._previous.view[row] = row, last
            self._last[session] = row

    def _mentions(self, connection: sa.Connection, user: int, first: int, last: int) -> dict[int, list[int]]:
        m = t.mentions.c
        query = sa.select(m.turn, m.entity).where(m.user == user, m.turn >= first, m.turn <= last)
        out: dict[int, list[int]] = {}
        for turn, entity in connection.execute(query.order_by(m.turn, m.entity)):
            out.setdefault(turn, []).append(entity)
        return out

    def _read_relations(self, connection: sa.Connection, user: int) -> None:
        r, s = t.relations.c, t.relation_sources.c
        for row in connection.execute(_relations(user).where(r.n > self._relation_limit).order_by(r.n)):
            self._put(row)
            self._relation_limit = row.n
        query = sa.select(s.n, s.relation, s.turn).where(s.user == user, s.n > self._source_limit).order_by(s.n)
        found = connection.execute(query).all()
        rows = {int(self.numbers[row]): int(row) for row in self.rows([turn for _, _, turn in found])}
        for n, relation, turn in found:
            if turn in rows:
                self.facts.source(relation, rows[turn])
            self._source_limit = n

    def _put(self, row: Any) -> None:
        temporal = row.kind != "" or row.valid_from is not None or row.valid_to is not None
        kind = KINDS.index(row.kind) if row.kind in KINDS else -1
        self.facts.put(row.n, Edge(row.subject, row.object, row.valid_from, row.valid_to, temporal, kind))
        self._entity_limit = max(self._entity_limit, row.subject + 1, row.object + 1)

    def _read_changes(self, connection: sa.Connection, user: int, since: int) -> None:
        c = t.changes.c
        query = sa.select(c.kind, c.ref).where(c.user == user, c.revision > since).order_by(c.revision, c.n)
        found = connection.execute(query).all()
        switched = [self._switch(int(ref), Change(kind)) for kind, ref in found if kind != Change.RELATION]
        for session in dict.fromkeys(session for session in switched if session is not None):
            self._relink(session)
        relations = list(dict.fromkeys(int(ref) for kind, ref in found if kind == Change.RELATION))
        for chunk in chunks(relations):
            rows = {row.n: row for row in connection.execute(_relations(user).where(t.relations.c.n.in_(chunk)))}
            for n in chunk:
                if n in rows:
                    self._put(rows[n])
                else:
                    self.facts.remove(n)

    def _switch(self, number: int, kind: Change) -> int | None:
        """Take a turn out of use, or bring it back; return its session, if its chain must be made anew."""
        row = self.rows([number])
        if not row.size or int(row[0]) in self._gone:
            return None
        at = int(row[0])
        wanted = kind is Change.RESTORED
        if kind is Change.GONE:
            self._gone.add(at)
        if bool(self.in_use[at]) == wanted:
            return None
        self._in_use.view[at] = wanted
        for part in (self.words, self.entities):
            (part.take if wanted else part.drop)(row)
        return int(self._sessions.view[at])

    def _relink(self, session: int) -> None:
        rows = np.flatnonzero(self._sessions.view == session)
        used = rows[self.in_use[rows]]
        self._next.view[rows] = self._previous.view[rows] = -1
        self._next.view[used[:-1]], self._previous.view[used[1:]] = used[1:], used[:-1]
        self._last[session] = int(used[-1]) if used.size else -1


def _relations(user: int) -> sa.Select[Any]:
    r = t.relations.c
    return sa.select(r.n, r.subject, r.object, r.kind, r.valid_from, r.valid_to).where(r.user == user)
