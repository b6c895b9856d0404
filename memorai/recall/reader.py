"""Searches: an index that follows the store, a cache of results, and notes of what was retrieved."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from memorai.graph.store.database import Database
from memorai.graph.store.errors import StoreBusy, StoreError
from memorai.graph.store.reads import facts_of_turns, stored_turns
from memorai.graph.store.records import StoredTurn
from memorai.graph.store.retention import Fading, touch
from memorai.graph.store.schema import entities, meta
from memorai.graph.store.users import State, find_user, state
from memorai.graph.store.vectors import hash_terms, term_hash
from memorai.recall.language import language_of
from memorai.recall.live import LiveIndex
from memorai.recall.prepare import Preparer
from memorai.recall.results import Result, Why
from memorai.recall.search import Asked, Hit, Node, search, trace
from memorai.recall.settings import Settings
from memorai.recall.snapshot import AT_LEAST, Snapshots
from memorai.recall.traced import Traced, traced
from memorai.write.names import name_key
from memorai.write.predicates import KINDS, asked_kinds, first_person
from memorai.write.sentences import CJK

_MOST_TOUCHES = 256  # turns whose retrieval is remembered until it is written
_VECTORS = 512
_NAMES_IN = 300  # characters of a question that are looked at for names
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CJK_RUNS = re.compile(f"[{CJK}]+")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: text, how many turns, as of when (None = now), and only what was said before (None = all)."""

    text: str
    k: int
    at: int | None = None
    before: int | None = None


class Reader:
    """One user's searches. Safe for threads.

    Args:
        database: the store.
        user: whose turns.
        preparer: makes vectors and terms of queries as it does of turns.
        settings: of the memory.
        clock: microseconds now.
        snapshots: index files beside the store; None where there is no folder.
    """

    def __init__(
        self,
        database: Database,
        user: str,
        preparer: Preparer,
        settings: Settings,
        clock: Callable[[], int],
        snapshots: Snapshots | None,
    ) -> None:
        self._database, self._user, self._preparer = database, user, preparer
        self._settings, self._clock, self._snapshots = settings, clock, snapshots
        self._lock = threading.RLock()
        self._index = LiveIndex(0)
        self._results: OrderedDict[Question, tuple[float, State, tuple[int, ...], tuple[Result, ...]]] = OrderedDict()
        self._vectors: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._touched: dict[int, tuple[int, int]] = {}

    def search(self, question: Question, touched: bool = True) -> tuple[Result, ...]:
        """Return the turns found, best first; their retrieval strengthens them unless ``touched`` is False."""
        with self._lock:
            with self._database.read() as connection:
                user = self.refresh(connection)
                if user is None or question.k < 1 or not question.text.strip():
                    return ()
                numbers, results = self._cached(question) or self._found(connection, user, question)
            if touched:
                self._note(numbers)
        return results

    def trace(self, question: Question) -> Traced | None:
        """Return the walk of a search and the turns it finds; None where there is nothing to search."""
        with self._lock, self._database.read() as connection:
            user = self.refresh(connection)
            if user is None or question.k < 1 or not question.text.strip():
                return None
            asked = self._asked(connection, user, question)
            found = trace(self._index, asked, self._settings)
            if found is None:
                return None
            hits = search(self._index, asked, question.k, self._settings)
            numbers = tuple(int(self._index.numbers[hit.row]) for hit in hits)
            results = self._results_of(connection, user, hits, numbers)
            turns = stored_turns(connection, user, [int(n) for n in self._index.numbers[found.rows]])
            names = _entity_names(connection, user, found.graph.entities.tolist())
            stored = [turns[int(n)] for n in self._index.numbers[found.rows]]
            return traced(found, asked, self._index, stored, names, self._word, results)

    def warm(self) -> None:
        """Read the store, so that the first search need not."""
        with self._lock, self._database.read() as connection:
            self.refresh(connection)

    def refresh(self, connection: sa.Connection) -> int | None:
        """Bring the index up to date; return the user's number, None if nothing is stored of them."""
        user = find_user(connection, self._user)
        if user is None:
            self._index = LiveIndex(0)
            self._results.clear()
            return None
        stored = {row.key: row.value for row in connection.execute(sa.select(meta))}
        if stored.get("embedder", self._preparer.embedder.model_id) != self._preparer.embedder.model_id:
            raise StoreError(
                f"{self._database.name}: its vectors are of another embedder ({stored['embedder']}); "
                "open it with that one, or with reembed=True"
            )
        dim = int(stored.get("dim", 0))
        if dim != self._index.dense.dim:
            self._index = LiveIndex(dim)
        if not len(self._index) and self._snapshots is not None:
            self._snapshots.load(self._index, connection, user)
        if self._index.refresh(connection, user):
            self._results.clear()
        self._index.dense.compress(self._settings.scan_turns)
        return user

    def flush(self) -> None:
        """Write down what was retrieved."""
        with self._lock:
            if not self._touched:
                return
            fading = Fading(self._settings.strength_days, self._settings.growth)
            with self._database.write() as connection:
                user = find_user(connection, self._user)
                # of another generation: numbers may mean other turns
                if user is not None and state(connection, user).generation == self._index.state.generation:
                    touch(connection, user, self._touched, fading)
            self._touched = {}

    def discard(self) -> None:
        """Drop everything that is remembered of the user."""
        with self._lock:
            self._index = LiveIndex(0)
            self._results.clear()
            self._vectors.clear()
            self._touched.clear()

    def close(self, written: int) -> None:
        """Write down what was retrieved, and leave an index file where one is worth it.

        Args:
            written: turns that this process has written; after many, the index is made for the file's sake alone.
        """
        with self._lock:
            self.flush()
            if self._snapshots is None:
                return
            if written >= AT_LEAST:
                self.warm()
            self._snapshots.save(self._index, self._database)

    def _cached(self, question: Question) -> tuple[tuple[int, ...], tuple[Result, ...]] | None:
        kept = self._results.get(question)
        if kept is None:
            return None
        when, seen, numbers, results = kept
        # any write raises the revision, whichever process made it
        if seen != self._index.state or time.monotonic() - when > self._settings.cache_seconds:
            del self._results[question]
            return None
        self._results.move_to_end(question)
        return numbers, results

    def _found(
        self, connection: sa.Connection, user: int, question: Question
    ) -> tuple[tuple[int, ...], tuple[Result, ...]]:
        asked = self._asked(connection, user, question)
        hits = search(self._index, asked, question.k, self._settings)
        numbers = tuple(int(self._index.numbers[hit.row]) for hit in hits)
        results = self._results_of(connection, user, hits, numbers)
        if self._settings.cached_queries:
            self._results[question] = (time.monotonic(), self._index.state, numbers, results)
            if len(self._results) > self._settings.cached_queries:
                self._results.popitem(last=False)
        return numbers, results

    def _asked(self, connection: sa.Connection, user: int, question: Question) -> Asked:
        language = language_of(question.text, self._preparer.language)
        terms = self._preparer.tokenizer(question.text, language)
        return Asked(
            vector=self._vector(question.text, language),
            terms=hash_terms(terms),
            at=self._clock() if question.at is None else question.at,
            past=question.at is not None,
            before=question.before,
            **self._facts_asked(connection, user, question.text),
        )

    def _facts_asked(self, connection: sa.Connection, user: int, text: str) -> dict[str, tuple[int, ...]]:
        """The kinds of facts that a question asks for, and the entities that it names or means by "I"."""
        kinds = tuple(KINDS.index(kind) for kind in asked_kinds(text))
        if not kinds:
            return {}
        names = [*_names_in(text), *([name_key("user")] if first_person(text) else [])]
        query = sa.select(entities.c.n).where(entities.c.user == user, entities.c.key.in_(names))
        return {"kinds": kinds, "named": tuple(connection.execute(query.order_by(entities.c.n)).scalars())}

    def _vector(self, text: str, language: str) -> npt.NDArray[np.float32] | None:
        embedder = self._preparer.embedder
        fluent = embedder.languages is None or language in embedder.languages
        if not fluent or not self._index.dense.dim:
            return None
        if text not in self._vectors:
            self._vectors[text] = embedder.embed([text], kind="query")[0]
            if len(self._vectors) > _VECTORS:
                self._vectors.popitem(last=False)
        return self._vectors[text]

    def _results_of(
        self, connection: sa.Connection, user: int, hits: Sequence[Hit], numbers: Sequence[int]
    ) -> tuple[Result, ...]:
        on_paths = [int(self._index.numbers[node]) for hit in hits for kind, node in hit.path if kind == "turn"]
        turns = stored_turns(connection, user, dict.fromkeys([*numbers, *on_paths]))
        facts = facts_of_turns(connection, user, numbers)
        names = _entity_names(connection, user, [node for hit in hits for kind, node in hit.path if kind == "entity"])
        out = []
        for hit, number in zip(hits, numbers, strict=True):
            turn = turns[number]
            out.append(
                Result(
                    id=turn.id,
                    text=turn.text,
                    speaker=turn.speaker,
                    time=turn.when,
                    session=turn.session,
                    score=hit.score,
                    facts=tuple(facts.get(number, ())),
                    why=Why(hit.seed, hit.cosine, hit.bm25, self._path(hit.path, turns, names)),
                    role=turn.role,
                    caption=turn.caption,
                    gate=turn.gate,
                )
            )
        return tuple(out)

    def _path(self, path: Sequence[Node], turns: dict[int, StoredTurn], names: dict[int, str]) -> tuple[str, ...]:
        out = []
        for place, (kind, node) in enumerate(path):
            if kind == "turn":
                out.append(f"turn:{turns[int(self._index.numbers[node])].id}")
            elif kind == "entity":
                out.append(f"entity:{names.get(node, node)}")
            else:
                # only hashes of words are kept: the next turn on the path holds the word itself
                following = next((row for other, row in path[place:] if other == "turn"), None)
                turn = None if following is None else turns[int(self._index.numbers[following])]
                out.append(f"word:{self._word(node, turn)}")
        return tuple(out)

    def _word(self, hashed: int, turn: StoredTurn | None) -> str:
        if turn is None:
            return "?"
        text = f"{turn.text} {turn.caption or ''}"
        terms = self._preparer.tokenizer(text, language_of(turn.text, self._preparer.language))
        return next((term for term in terms if term_hash(term) == hashed), "?")

    def _note(self, numbers: Sequence[int]) -> None:
        now = self._clock()
        for number in numbers:
            self._touched[number] = (self._touched.get(number, (0, 0))[0] + 1, now)
        if len(self._touched) > _MOST_TOUCHES:
            with suppress(StoreBusy):  # they keep until somebody else has written
                self.flush()


def _names_in(text: str) -> list[str]:
    """Keys of all runs of up to three words, and of two to four Chinese characters: some may be names."""
    words = _WORDS.findall(text[:_NAMES_IN])
    runs = [" ".join(words[i : i + size]) for size in (1, 2, 3) for i in range(len(words) - size + 1)]
    for run in _CJK_RUNS.findall(text[:_NAMES_IN]):
        runs += [run[i : i + size] for size in (2, 3, 4) for i in range(len(run) - size + 1)]
    return list(dict.fromkeys(map(name_key, runs)))


def _entity_names(connection: sa.Connection, user: int, numbers: Sequence[int]) -> dict[int, str]:
    if not numbers:
        return {}
    query = sa.select(entities.c.n, entities.c.name).where(entities.c.user == user, entities.c.n.in_(numbers))
    return {row.n: row.name for row in connection.execute(query)}
