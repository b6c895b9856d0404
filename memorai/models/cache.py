"""One content-addressed store for everything that is costly to compute: embeddings, extractions, model replies."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import platformdirs

from memorai.errors import InputError

Part = str | bytes | int | float | bool | None
T = TypeVar("T")

_BUSY_SECONDS = 30.0
_KEYS_PER_QUERY = 500  # SQLite's oldest limit on bound variables is 999
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (namespace, key)
)"""


def cache_folder() -> Path:
    """The folder of all caches: the environment's ``MEMORAI_CACHE``, else the user's cache folder of the system.

    Raises:
        InputError: ``MEMORAI_CACHE`` begins with ``~`` and a name that no user has.
    """
    chosen = os.environ.get("MEMORAI_CACHE")
    try:
        return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("memorai"))
    except RuntimeError:
        raise InputError(f"MEMORAI_CACHE={chosen}: no such user's home; give a folder without '~'") from None


def content_key(*parts: Part) -> str:
    """Return the sha256 (hex) of ``parts``, each led by its type and length, so that no two part lists collide.

    Strings are hashed as UTF-8 and may hold lone surrogates.

    Example:
        >>> content_key("a", "bc") == content_key("ab", "c")
        False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(f"{type(part).__name__}:{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


class ByteCache:
    """A persistent map (namespace, key) -> bytes in one SQLite file, shared by threads and processes.

    A cache must never cost a run: a damaged file is set aside with a warning and started afresh, and where the file
    cannot be written the cache warns once and from then on holds nothing.

    Args:
        path: the SQLite file; its folder is made on first use. Default: ``cache.sqlite`` in `cache_folder`.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else cache_folder() / "cache.sqlite"
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] = (0, 0)  # process id, inode
        self._disabled = False

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the stored values of ``keys``, in the order of ``keys``; what is absent is left out."""
        wanted = list(dict.fromkeys(keys))

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for start in range(0, len(wanted), _KEYS_PER_QUERY):
                chunk = wanted[start : start + _KEYS_PER_QUERY]
                marks = ",".join("?" * len(chunk))
                sql = f"SELECT key, value FROM entries WHERE namespace = ? AND key IN ({marks})"
                found.update(connection.execute(sql, (namespace, *chunk)))
            return {key: found[key] for key in wanted if key in found}

        return self._attempt(read) or {}

    def put_many(self, namespace: str, mapping: Mapping[str, bytes]) -> None:
        """Store all of ``mapping`` in one transaction; an existing key takes the new value."""
        rows = [(namespace, key, value) for key, value in mapping.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)

        if rows:
            self._attempt(write)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._opened[0] == os.getpid():
                self._connection.close()
            self._connection = None

    def _attempt(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run ``action`` on the connection; a second time on a fresh file if the first was damaged."""
        with self._lock:
            for _ in range(2):
                if self._disabled:
                    return None
                try:
                    return action(self._connect())
                except (sqlite3.OperationalError, OSError) as error:
                    self._disable(error)
                except sqlite3.DatabaseError as error:  # "file is not a database", "disk image is malformed"
                    self._set_aside(error)
            return None

    def _connect(self) -> sqlite3.Connection:
        # SQLite forbids to carry a connection across a fork: a child opens its own
        if self._connection is None or self._opened[0] != os.getpid():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False)
            self._connection, self._opened = connection, (os.getpid(), self.path.stat().st_ino)
            _start(connection)
        return self._connection

    def _disable(self, error: Exception) -> None:
        self.close()
        self._disabled = True
        warnings.warn(f"{self.path}: no cache, everything is computed anew ({error})", stacklevel=5)

    def _set_aside(self, error: Exception) -> None:
        """Rename the damaged file, unless another process has already put a fresh one in its place."""
        self.close()
        try:
            if self.path.stat().st_ino != self._opened[1]:
                return
            aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
            self.path.rename(aside)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except FileNotFoundError:
            return
        except OSError as failure:
            self._disable(failure)
            return
        warnings.warn(f"{self.path}: damaged cache set aside as {aside.name} ({error})", stacklevel=5)


def _start(connection: sqlite3.Connection) -> None:
    """Set the journal up and make the table."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
            connection.commit()
            return
        except sqlite3.OperationalError as error:
            # the change to WAL does not wait for the busy timeout when several processes open a new file at once
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
