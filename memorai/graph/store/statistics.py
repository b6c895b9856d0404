"""What SQLite is told about the size of the tables, so that it plans for large stores from the first row on.

Without statistics it takes the rows of one user for a handful, and reads all of them in the order of the primary key
where a statement wants that order. The numbers are of a large store and never change, so neither do the plans.
https://sqlite.org/lang_analyze.html
"""

from __future__ import annotations

import sqlalchemy as sa

from memorai.graph.store.schema import OWNED

_ROWS = 1_000_000
#: rows that agree in the first two, three, ... columns of an index, the first of which is the user
_ALIKE = (10, 5, 2)


def write_statistics(connection: sa.Connection) -> None:
    """Enter the statistics of all indexes; nothing where the database is another than SQLite."""
    if connection.dialect.name != "sqlite":
        return
    connection.exec_driver_sql("ANALYZE")  # makes the table
    connection.exec_driver_sql("DELETE FROM sqlite_stat1")
    for table in OWNED:
        for _, name, unique, *_ in connection.exec_driver_sql(f'PRAGMA index_list("{table.name}")').all():
            columns = len(connection.exec_driver_sql(f'PRAGMA index_info("{name}")').all())
            alike = [_ROWS, *_ALIKE[: columns - 1]]
            if unique:
                alike[-1] = 1
            stat = " ".join(map(str, (_ROWS, *alike)))
            connection.exec_driver_sql("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", (table.name, name, stat))
    connection.exec_driver_sql("ANALYZE sqlite_schema")  # has this connection read them
