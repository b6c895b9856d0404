"""The memory of an agent: messages go in, what matters comes back with its origin.

with Memory.open("memory", user="ann") as memory:
    memory.add([{"role": "user", "content": "My cat is called Biscuit."}])
    print(memory.search("What is my pet's name?", k=3)[0].text)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import sqlalchemy as sa

from memorai.datasets.times import parse_iso_time
from memorai.errors import InputError
from memorai.graph.schema import MemoryGraph
from memorai.graph.store import schema as t
from memorai.graph.store.check import Problem, check_user
from memorai.graph.store.database import Database
from memorai.graph.store.forget import Forgotten
from memorai.graph.store.reads import count_rows, every_decision, facts_of_entity, facts_of_line, find_entity
from memorai.graph.store.records import Decision, Fact, micros
from memorai.graph.store.timeline import OnConflict, undo
from memorai.graph.store.users import Ledger, State, check_name, find_user, state
from memorai.index.text import TurnFormat
from memorai.index.tokenize import Tokenizer
from memorai.models.embedders import BundledMiniLM, Embedder, HashingEmbedder
from memorai.recall.export import export_user
from memorai.recall.graph import memory_graph
from memorai.recall.keeper import Keeper, Policy
from memorai.recall.messages import clean, read_messages
from memorai.recall.prepare import Preparer
from memorai.recall.reader import Question, Reader
from memorai.recall.reembed import reembed_store
from memorai.recall.results import Context, Result, context_of
from memorai.recall.settings import Settings
from memorai.recall.snapshot import Snapshots
from memorai.recall.writer import Added, Writer
from memorai.report.explain.data import Explanation, check_sizes
from memorai.report.explain.html import write_page
from memorai.report.explain.memory import explain_search
from memorai.types import Turn
from memorai.write.extraction import Extractor
from memorai.write.gate import Gate, RuleGate

Time = datetime | str | None
_CACHE_FILES = "cache.sqlite*"
_MOST_RESULTS = 1 << 31


class Memory:
    """One user's memory in a store. Made by `open`; safe for threads; any number of processes may open the same store.

    What `add` took is searched at once by this memory, and by others as soon as it is written: with the next
    ten messages, after 200 ms, with `flush` or `close`.
    """

    def __init__(
        self,
        database: Database,
        user: str,
        preparer: Preparer,
        settings: Settings,
        drop: bool,
        on_conflict: OnConflict,
        clock: Callable[[], datetime],
    ) -> None:
        self.user, self.settings = user, settings
        self._database, self._preparer = database, preparer
        self._now = lambda: micros(clock())
        self._snapshots = Snapshots(database.folder) if database.folder is not None else None
        self._writer = Writer(database, user, preparer, settings, drop, on_conflict, self._now)
        self._reader = Reader(database, user, preparer, settings, self._now, self._snapshots)
        self._keeper = Keeper(database, user, settings, self._now, self._clean)
        self._graph: tuple[State | None, MemoryGraph] | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        user: str = "default",
        *,
        embedder: Embedder | Literal["minilm", "hashing"] = "minilm",
        gate: Gate | None = None,
        drop: bool = False,
        extractor: Extractor | None = None,
        language: str = "en",
        on_conflict: OnConflict = "close",
        clock: Callable[[], datetime] | None = None,
        settings: Settings | None = None,
        reembed: bool = False,
        **changes: Any,
    ) -> Memory:
        """Open a user's memory, and make the store if there is none.

        Args:
            path: a folder of its own, or ``postgresql://name:password@host/database``.
            user: any text; it is data, never part of a path.
            embedder: the bundled MiniLM, feature hashing (no model), or one of your own.
            gate: scores messages; the score is kept with each. Default: rules for greetings and acknowledgements.
            drop: hand messages below the gate's threshold back instead of storing them.
            extractor: finds entities and relations in a turn; default the lexical one.
            language: of texts whose script does not tell (Chinese and Japanese do).
            on_conflict: ``close`` ends what a newer statement replaces, ``keep`` keeps both and flags them.
            clock: the present time; default the machine's.
            settings: everything else; see `memorai.recall.settings.Settings`.
            reembed: give the store this embedder's vectors, if they are another's.
            changes: single values of the settings, such as ``group_ms=50``.

        Raises:
            InputError: a value out of range, or the path cannot be a store. One line says which and what to do.
        """
        check_name(user, "user")
        if on_conflict not in ("close", "keep"):
            raise InputError(f"on_conflict={on_conflict!r}: use close or keep")
        try:
            chosen = replace(settings or Settings(), **changes)
        except TypeError:
            unknown = sorted(set(changes) - set(Settings.__dataclass_fields__))
            raise InputError(
                f"Memory.open: no such setting: {', '.join(unknown)}; see conf/memory/default.yaml"
            ) from None
        made = _embedder(embedder)
        preparer = Preparer(
            made, TurnFormat(), Tokenizer(), gate or RuleGate(), extractor, language, chosen.context_turns
        )
        database = Database(path, chosen.busy_seconds)
        try:
            memory = cls(database, user, preparer, chosen, drop, on_conflict, clock or _utc_now)
            if reembed:
                reembed_store(database, preparer)
                memory._clean(None)
            memory._reader.warm()
        except BaseException:
            database.close()
            raise
        return memory

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self, messages: Mapping[str, Any] | Turn | Sequence[Mapping[str, Any] | Turn], session: str | None = None
    ) -> Added:
        """Take messages: dicts in the OpenAI form, or turns. A message whose id is known is left alone.

        Args:
            messages: ``{"role", "content", "name", "id", "time", "session"}``; only role and content are needed.
            session: of messages that name none.

        Returns:
            ids, and what was not stored: empty messages, instructions, duplicates, and what the gate dropped.

        Raises:
            InputError: a message of another shape; then none of this call is stored.
            StoreError: the store cannot be written; the messages wait and are tried again.
        """
        self._ready()
        return self._writer.add(*read_messages(messages, session))

    def flush(self) -> None:
        """Write what waits; when this returns, it is on the disk.

        Raises:
            StoreError: it cannot be written, and still waits.
        """
        self._ready()
        self._writer.flush()

    def search(
        self, query: str, k: int = 10, at: Time = None, before: Time = None, touch: bool = True
    ) -> tuple[Result, ...]:
        """Return the k turns that answer best, best first; none for a blank query or an empty memory.

        Args:
            query: in any language.
            k: how many at most; 0 = none.
            at: as of when. Facts count that held then; turns whose facts did not, and turns said later that state
                none that did, are lowered, not hidden. None = now.
            before: only what was said before.
            touch: a retrieval strengthens what it finds.

        Raises:
            InputError: a value of another type, or k below 0.
        """
        return self._reader.search(self._question(query, k, at, before), touch)

    def explain(
        self,
        query: str,
        path: str | Path | None = None,
        k: int = 10,
        at: Time = None,
        before: Time = None,
        nodes: int = 500,
    ) -> Explanation:
        """Return why `search` finds what it finds: its walk, and of each turn the terms and the strongest path.

        Unlike a search it strengthens nothing.

        Args:
            query, k, at, before: as for `search`.
            path: an HTML file to write, which shows it (docs/explain.md).
            nodes: most nodes to draw there.

        Raises:
            InputError: as for `search`, or k or nodes below 1.
            OSError: the file cannot be written.
        """
        check_sizes(k, nodes)
        question = self._question(query, k, at, before)
        found = explain_search(query, self.user, self._reader.trace(question), self.settings, nodes)
        if path is not None:
            write_page(path, [found])
        return found

    def _question(self, query: Any, k: Any, at: Time, before: Time) -> Question:
        """What is asked, checked; all that waits is written."""
        self._ready()
        if not isinstance(query, str):
            raise InputError(f"search: the query is a {type(query).__name__}; give text")
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise InputError(f"search: k={k!r} is not a whole number >= 0")
        self._writer.flush()
        return Question(clean(query), min(k, _MOST_RESULTS), _micros(at, "at"), _micros(before, "before"))

    def context(self, query: str, budget_tokens: int = 1000, at: Time = None, k: int = 50) -> Context:
        """Return the best turns as text for a prompt, in the order of time, within a budget of estimated tokens.

        Raises:
            InputError: as for `search`, or the budget is no whole number >= 0.
        """
        if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < 0:
            raise InputError(f"context: budget_tokens={budget_tokens!r} is not a whole number >= 0")
        return context_of(self.search(query, k, at), budget_tokens)

    def history(self, what: str | int | Fact) -> tuple[Fact, ...]:
        """Return a line in time: all facts of an entity, by any of its names, or all that a fact's line holds.

        The line of a fact are the facts of its subject that exclude one another in time, or with the same words.
        """
        self._ready()
        self._writer.flush()
        with self._database.read() as connection:
            user = find_user(connection, self.user)
            if user is None:
                return ()
            if isinstance(what, Fact | int) and not isinstance(what, bool):
                return tuple(facts_of_line(connection, user, what.id if isinstance(what, Fact) else what))
            if not isinstance(what, str):
                raise InputError(f"history: {what!r} is neither a name nor a fact")
            entity = find_entity(connection, user, clean(what).strip())
            return () if entity is None else tuple(facts_of_entity(connection, user, entity))

    def decisions(self) -> tuple[Decision, ...]:
        """Return what newer statements have done to older facts, in order; `undo` takes one back."""
        self._ready()
        self._writer.flush()
        with self._database.read() as connection:
            user = find_user(connection, self.user)
            return () if user is None else tuple(every_decision(connection, user))

    def undo(self, decision: int) -> None:
        """Take a decision back: the fact holds for as long as it did before.

        Raises:
            InputError: there is none, it is undone, or a later one concerns the same fact.
        """
        self._ready()
        self._writer.flush()
        with self._database.write() as connection:
            user = find_user(connection, self.user)
            if user is None:
                raise InputError(f"decision {decision}: there is none; nothing is stored of this user")
            ledger = Ledger(connection, user)
            undo(ledger, decision, self._now())
            ledger.close()

    def forget(
        self, turn: str | Sequence[str] | None = None, entity: str | None = None, all: bool = False
    ) -> Forgotten:
        """Forget for good: turns, every turn that mentions an entity, or everything of this user.

        With a turn go its mentions and vector, the facts and entities that no other turn supports, and the summary
        of its segment, which is written anew. ``all`` leaves no byte of the text in the store's folder.

        Raises:
            InputError: nothing or too much is named, or there is no such turn or entity; then nothing is forgotten.
            StoreBusy: with ``all``, the rows are gone but another process kept the file busy; call again.
        """
        self._check_open()
        if (turn is not None) + (entity is not None) + bool(all) != 1:
            raise InputError("forget: name one of turn, entity, all=True")
        if all:  # even where the disk is too full for what waits
            self._writer.discard()
            self._reader.discard()
            self._graph = None
            return self._keeper.forget_all()
        if entity is not None and not isinstance(entity, str):
            raise InputError(f"forget: entity={entity!r} is no text; give a name")
        ids = [] if turn is None else _ids(turn, "forget")
        self._writer.flush()
        counts = self._keeper.forget(ids, entity)
        self._writer.forget_context()
        return counts

    def prune(
        self,
        max_age: timedelta | None = None,
        min_retention: float | None = None,
        max_nodes: int | None = None,
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Forget what is too old, too faded, or beyond a budget of nodes; return the ids.

        Raises:
            InputError: no policy, or a value out of range.
        """
        self._ready()
        policy = Policy(max_age, min_retention, max_nodes)
        self._written()
        gone = self._keeper.prune(policy, dry_run)
        self._writer.forget_context()
        return gone

    def archive(self, below: float = 0.05) -> tuple[str, ...]:
        """Take out of the search what has faded below a retention in [0, 1]; return the ids. Nothing is deleted."""
        self._written()
        return self._keeper.archive(below)

    def restore(self, turns: str | Sequence[str] | None = None) -> tuple[str, ...]:
        """Bring archived turns back into the search, all or the named ones; return the ids.

        Raises:
            InputError: there is no such turn.
        """
        named = None if turns is None else _ids(turns, "restore")
        self._written()
        return self._keeper.restore(named)

    def retention(self, turn: str) -> float:
        """Return R = exp(-t / S) of a turn: t days since it was last found, S its strength in days.

        Raises:
            InputError: there is no such turn.
        """
        (named,) = _ids([turn], "retention")
        self._written()
        return self._keeper.retention(named)

    def stats(self) -> dict[str, Any]:
        """Return how much there is: rows by kind, revision, bytes on the disk, embedder."""
        self._ready()
        self._writer.flush()
        with self._database.read() as connection:
            user = find_user(connection, self.user)
            counts = {"turns": 0} if user is None else count_rows(connection, user)
            revision = 0 if user is None else state(connection, user).revision
        folder = self._database.folder
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) if folder else None
        about = {"revision": revision, "bytes": size, "embedder": self._preparer.embedder.name}
        return {"user": self.user, **counts, **about}

    def export(self, path: str | Path) -> int:
        """Write turns (``.jsonl``, which `add` of the command line reads) or everything (``.json``); return the turns.

        Raises:
            InputError: another ending, or the file cannot be written.
        """
        self._ready()
        self._writer.flush()
        with self._database.read() as connection:
            return export_user(connection, find_user(connection, self.user), self.user, Path(path))

    def graph(self) -> MemoryGraph:
        """Return the graph of turns, entities, segments and facts; `memorai.graph.tensors.to_hetero` makes tensors."""
        self._ready()
        self._writer.flush()
        with self._database.read() as connection:
            user = find_user(connection, self.user)
            now = None if user is None else state(connection, user)
            if self._graph is None or self._graph[0] != now:
                self._graph = (now, memory_graph(connection, user, self.user))
        return self._graph[1]

    def check(self, repair: bool = False) -> tuple[Problem, ...]:
        """Verify the store: file, references, provenance, intervals, vectors; of all users.

        Args:
            repair: delete what lost its provenance, derive what can be derived, and drop index files.
        """
        self._ready()
        self._writer.flush()
        problems = [Problem("database", line) for line in self._database.integrity()]
        opened = self._database.write() if repair else self._database.read()
        with opened as connection:
            found = connection.execute(sa.select(t.meta.c.value).where(t.meta.c.key == "dim")).scalar()
            for user in connection.execute(sa.select(t.users.c.id).order_by(t.users.c.id)).scalars().all():
                derive = self._preparer.derive_stored
                problems += check_user(connection, user, int(found or 0), repair, derive, self._now())
        if repair:
            self._clean(None)
        return tuple(problems)

    def close(self) -> None:
        """Write what waits and let the store go; a second call does nothing.

        Raises:
            StoreError: something could not be written; it still waits, and the memory stays open.
        """
        if not self._closed:
            self._writer.close()
            self._reader.close(self._writer.written)
            self._database.close()
            self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("this memory is closed; open it again with Memory.open")

    def _ready(self) -> None:
        self._check_open()
        self._writer.raise_failure()

    def _written(self) -> None:
        self._ready()
        self._writer.flush()
        self._reader.flush()

    def _clean(self, user: int | None) -> None:
        """Delete index files, and for everything also the caches of models that were put into the folder."""
        folder = self._database.folder
        if folder is None or self._snapshots is None:
            return
        self._snapshots.remove(user)
        if user is None:
            for file in sorted(folder.glob(_CACHE_FILES)):
                file.unlink(missing_ok=True)


def _ids(turns: Any, what: str) -> list[str]:
    """The ids of one turn or several, as a list of texts."""
    ids = [turns] if isinstance(turns, str) else turns
    if not isinstance(ids, Sequence) or not all(isinstance(id_, str) for id_ in ids):
        raise InputError(f"{what}: {turns!r} is no id of a turn, and no list of ids")
    return list(ids)


def _embedder(chosen: Embedder | str) -> Embedder:
    if chosen == "minilm":
        # the vectors are in the store; a cache beside it would keep what is to be forgotten
        return BundledMiniLM(device="cpu", cache=False)
    if chosen == "hashing":
        return HashingEmbedder()
    if isinstance(chosen, str):
        raise InputError(f"embedder={chosen!r}: use minilm, hashing, or an object that embeds")
    return chosen


def _micros(time: Time, name: str) -> int | None:
    if time is None:
        return None
    if isinstance(time, str):
        time = parse_iso_time(time, f"search: {name}")
    if not isinstance(time, datetime):
        raise InputError(f"search: {name}={time!r} is no datetime and no ISO 8601 text")
    return micros(time)


def _utc_now() -> datetime:
    return datetime.now(UTC)
