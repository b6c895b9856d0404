"""One database: a folder with a SQLite file, or a PostgreSQL server. Transactions, and errors in plain words."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from memorai.errors import InputError
from memorai.graph.store.errors import StoreBusy, StoreError, translate
from memorai.graph.store.migrations import is_current, upgrade

FILE = "memory.sqlite"
#: what a store's folder may hold; anything else makes it a folder of something else
OWN_FILES = re.compile(r"memory\.sqlite(-wal|-shm|-journal)?|cache\.sqlite.*|index-.*")
_MAGIC = b"SQLite format 3\0"
_WAL_SECONDS = 30.0
_CACHE = "cache_size = -32768"  # KiB: the indexes of a large store are written to all over


class Database:
    """Transactions on a store; threads and processes may share it.

    SQLite: write-ahead log, one writer at a time, any number of readers, each of which sees one committed state.
    PostgreSQL: writers of one user wait for one another (a row lock), readers see one snapshot. Every commit
    reaches the disk before `write` returns.

    Args:
        where: a folder, made if it does not exist, or the URL of a PostgreSQL database,
            ``postgresql://name:password@host/database``.
        busy_seconds: how long a writer waits for another before `StoreBusy`.

    Raises:
        StoreError: the folder belongs to something else, is damaged, of a newer version, or cannot be read or written.
    """

    def __init__(self, where: str | Path, busy_seconds: float = 30.0) -> None:
        text = str(where)
        self.folder: Path | None = None
        if re.match(r"postgres(ql)?(\+\w+)?://", text):
            url = _postgresql_url(text)
            self.name = url.render_as_string(hide_password=True)
            options: dict[str, Any] = {"connect_args": {"options": f"-c lock_timeout={round(busy_seconds * 1000)}"}}
        else:
            self.folder = store_folder(text)
            self.name = str(self.folder)
            url = sa.URL.create("sqlite", database=str(self.folder / FILE))
            options = {"connect_args": {"timeout": busy_seconds, "check_same_thread": False}}
        self._pid = os.getpid()
        self._lock = threading.Lock()
        try:
            self.engine = sa.create_engine(url, **options)
        except (ModuleNotFoundError, ArgumentError) as error:
            raise StoreError(f"{self.name}: {error}; for PostgreSQL: pip install 'memorai[postgres]'") from None
        self.sqlite = self.engine.dialect.name == "sqlite"
        self._reading = self.engine
        if self.sqlite:
            sa.event.listen(self.engine, "connect", _prepare_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)
        else:
            self._reading = self.engine.execution_options(isolation_level="REPEATABLE READ")
        try:
            with self.read() as connection:
                current = is_current(connection, self.name)
            if not current:  # else opening waits for no writer
                with self.write() as connection:
                    upgrade(connection, self.name)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that sees one committed state throughout."""
        self._mind_the_fork()
        try:
            with self._reading.connect() as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise translate(self.name, error) from error

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that is committed at the end, whole, or not at all."""
        self._mind_the_fork()
        try:
            with self.engine.connect().execution_options(memorai_write=True) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise translate(self.name, error) from error

    def scrub(self, whole: bool) -> None:
        """Overwrite what deletions have left in the write-ahead log; with ``whole`` rewrite the file, too.

        Deleted rows are zeroed in the file as they go (secure_delete); old copies of their pages are in the log.

        Raises:
            StoreBusy: with ``whole``, other processes read or write for longer than the busy timeout. The rows are
                gone; call again for the bytes.
        """
        if not self.sqlite:
            return
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT", memorai_raw=True) as connection:
                if whole:
                    connection.exec_driver_sql("VACUUM")
                busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        except SQLAlchemyError as error:
            raise translate(self.name, error) from error
        if busy and whole:
            raise StoreBusy(f"{self.name}: the rows are gone, but another process still reads old ones; call again")

    def integrity(self) -> list[str]:
        """What the database itself finds wrong with its file and its references; empty = nothing."""
        if not self.sqlite:
            return []
        with self.read() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(20)")]
            keys = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        return [line for line in found if line != "ok"] + [f"row of {row[0]} points nowhere" for row in keys]

    def close(self) -> None:
        """Give all connections back; what is committed is on the disk."""
        self.engine.dispose(close=self._pid == os.getpid())

    def _mind_the_fork(self) -> None:
        # SQLite forbids to carry a connection across a fork, and a server's socket must not be shared
        if self._pid != os.getpid():
            with self._lock:
                if self._pid != os.getpid():
                    self.engine.dispose(close=False)
                    self._pid = os.getpid()


def store_folder(where: str) -> Path:
    """Return the folder of a store, made if need be, after making sure that it is one.

    Raises:
        StoreError: it is a file, or the folder of something else, or its database is no SQLite file.
    """
    if not where.strip() or "\0" in where:
        raise StoreError(f"store path {where!r}: give a folder or a postgresql:// URL")
    try:
        folder = Path(where).expanduser()
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder}: a file; a store is a folder, give another path")
        folder.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in folder.iterdir())
        foreign = [name for name in names if not OWN_FILES.fullmatch(name)]
        if foreign and FILE not in names:
            raise StoreError(f"{folder}: a folder of something else (it holds {foreign[0]}); give an empty or new one")
        file = folder / FILE
        if file.is_dir():
            raise StoreError(f"{file}: a folder where the database should be; move it away or give another path")
        if file.exists() and file.stat().st_size:
            with file.open("rb") as stream:
                if stream.read(len(_MAGIC)) != _MAGIC:
                    raise StoreError(f"{file}: no SQLite file; restore it from a backup or give another path")
            if _is_foreign(file):
                raise StoreError(f"{folder}: its database is not a memory store; give another path")
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"{where}: cannot be used as a store ({reason}); check the path and its permissions") from None
    return folder


def _is_foreign(file: Path) -> bool:
    """Whether a SQLite file is some other program's; found out without changing a byte of it."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    except sqlite3.Error:
        return False  # damaged, or not to be read: what opens it says so
    return bool(names) and "meta" not in names


def _postgresql_url(text: str) -> sa.URL:
    try:
        url = sa.make_url(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", text))
    except (ArgumentError, ValueError):
        raise InputError("the store's URL cannot be parsed; write postgresql://name:password@host/database") from None
    return url


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    cursor = connection.cursor()
    _switch_to_wal(cursor)
    # temp_store: VACUUM must leave no copy of the text in a temporary folder
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "temp_store = MEMORY", _CACHE):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _switch_to_wal(cursor: Any) -> None:
    deadline = time.monotonic() + _WAL_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # this change does not wait for the busy timeout when several processes open a new file at once
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("memorai_raw"):
        # a writer takes its lock at once: a reader that becomes one could find that the state it read is gone
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("memorai_write") else "BEGIN")
