"""What can go wrong with a store that is no fault of the program: one line that names the store and the remedy."""

from __future__ import annotations

from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from memorai.errors import InputError


class StoreError(InputError):
    """The store cannot do what was asked; what was committed before is untouched."""


class StoreBusy(StoreError):
    """Another process held the store for longer than the busy timeout; the same call may succeed later."""


_MEANINGS = (
    ("locked", "another process is writing for longer than the busy timeout; try again"),
    ("lock timeout", "another process is writing for longer than the busy timeout; try again"),
    ("disk is full", "the disk is full; free some space and repeat the call, what was committed is safe"),
    ("readonly", "the store cannot be written; give yourself the right to write the folder and its files"),
    ("unable to open", "the store cannot be opened; check that the folder exists and that you may read and write it"),
    ("disk i/o error", "the disk reported an error; check it and free some space, what was committed is safe"),
    ("not a database", "memory.sqlite is no SQLite file; restore it from a backup or choose another folder"),
    ("malformed", "memory.sqlite is damaged; restore it from a backup, or save what is readable: sqlite3 .recover"),
    ("no such table", "memory.sqlite is damaged or not ours; restore it from a backup or choose another folder"),
    ("connection", "the database server cannot be reached; check that it runs and the address"),
)


def translate(where: str, error: SQLAlchemyError) -> StoreError:
    """Return the one line for the user; `where` names the store and holds no password."""
    said = str(error.orig if isinstance(error, DatabaseError) and error.orig is not None else error)
    folded = " ".join(said.split())
    for sign, meaning in _MEANINGS:
        if sign in folded.lower():
            kind = StoreBusy if "lock" in sign else StoreError
            return kind(f"{where}: {meaning}")
    return StoreError(f"{where}: the database refused ({folded[:200]}); run: memorai check")
