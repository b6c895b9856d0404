"""The version of the schema, and the steps from one version to the next."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from memorai.graph.store.errors import StoreError
from memorai.graph.store.schema import meta, metadata
from memorai.graph.store.statistics import write_statistics

Step = Callable[[sa.Connection], None]


def _create(connection: sa.Connection) -> None:
    metadata.create_all(connection)
    write_statistics(connection)


#: step i leads from version i to version i + 1; a released step is never changed
STEPS: tuple[Step, ...] = (_create,)
_LOCK = 0x6D656D6F  # of PostgreSQL's advisory locks: two processes that open a new database at once


def upgrade(connection: sa.Connection, where: str) -> None:
    """Bring the schema up to date, inside the caller's transaction: all steps or none.

    Raises:
        StoreError: the store was written by a newer version, or its tables are not ours.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    for number in range(stored_version(connection, where), len(STEPS)):
        STEPS[number](connection)
        connection.execute(meta.delete().where(meta.c.key == "schema"))
        connection.execute(meta.insert().values(key="schema", value=str(number + 1)))


def is_current(connection: sa.Connection, where: str) -> bool:
    """Whether the schema needs no step.

    Raises:
        StoreError: as for `upgrade`.
    """
    return stored_version(connection, where) == len(STEPS)


def stored_version(connection: sa.Connection, where: str) -> int:
    """Return the schema's version, 0 for an empty database.

    Raises:
        StoreError: this version of the program does not know it, or the tables are not ours.
    """
    tables = sa.inspect(connection).get_table_names()
    if not tables:
        return 0
    value = None
    if "meta" in tables:
        value = connection.execute(sa.select(meta.c.value).where(meta.c.key == "schema")).scalar()
    if value is None and connection.dialect.name == "postgresql" and "meta" not in tables:
        return 0  # a database that other programs use, too
    if value is None or not value.isdecimal():
        raise StoreError(f"{where}: its database is not a memory store; give another path")
    if int(value) > len(STEPS):
        raise StoreError(
            f"{where}: written by a newer version (schema {value}, this one knows {len(STEPS)}); "
            "upgrade: pip install -U memorai"
        )
    return int(value)
