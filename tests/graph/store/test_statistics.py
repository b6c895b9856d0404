from __future__ import annotations

import re

import sqlalchemy as sa

from tests.memories import Clock, opened, said

#: what counts or lists everything, or empties the store, may read all rows of a user
ALL_ROWS = re.compile(r"count\(\*\)|FROM meta|^DELETE FROM meta|LEFT OUTER JOIN retention|^SELECT decisions\.user")


def test_no_statement_reads_all_rows_of_a_user_to_find_a_few(tmp_path):
    seen: dict[str, tuple] = {}

    def note(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith(("SELECT", "UPDATE", "DELETE")) and not ALL_ROWS.search(statement):
            seen.setdefault(statement, tuple(parameters[0] if executemany else parameters))

    clock = Clock()
    with opened(tmp_path / "m", clock=clock) as memory:
        engine = memory._database.engine
        sa.event.listen(engine, "before_cursor_execute", note)
        for i in range(6):
            text = f"I live in Town{i}. I love Rome{i}. My sister Anna{i} works at Ford."
            memory.add(said(text, f"20{10 + i}-01-01", id=str(i), session=f"s{i % 2}"))
        for query in ("Where do I live?", "Anna1 Ford"):
            memory.search(query, k=3)
        memory.undo(memory.decisions()[-1].id)
        assert memory.history("user") and memory.history(1)
        assert memory.retention("1") > 0
        clock.pass_days(1)
        assert memory.restore(memory.archive(below=1.0)) != ()
        memory.forget(turn="2")
        memory.forget(entity="Town3")
        memory.add(said("I live in Town9.", id="9"))
        assert memory.search("Town9", k=1)[0].id == "9"
        sa.event.remove(engine, "before_cursor_execute", note)
        assert len(seen) > 30
        with engine.connect() as connection:
            for statement, parameters in seen.items():
                plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
                assert not [step for step in plan if re.search(r"^SCAN|\(user=\?\)", step)], (statement, plan)
