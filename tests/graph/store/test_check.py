from __future__ import annotations

import pytest
import sqlalchemy as sa

from memorai.graph.store import schema as t
from tests.memories import opened, said


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "m") as made:
        made.add([said("I live in Rome.", "2024-01-01", id="a"), said("Rex loves Rome.", id="b")])
        yield made


def damage(memory, *statements) -> None:
    """Change rows behind the store's back, as no program of ours would."""
    engine = memory._database.engine
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
    with engine.connect().execution_options(memorai_raw=True) as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (t.vectors.delete().where(t.vectors.c.turn == 1), "turn without a vector"),
        (t.vectors.update().where(t.vectors.c.turn == 1).values(vector=b"12"), "damaged vector"),
        (t.vectors.update().where(t.vectors.c.turn == 1).values(vector=b"\x00\x40" * 256), "damaged vector"),
        (t.vectors.update().where(t.vectors.c.turn == 1).values(terms=b"123"), "damaged index terms"),
        (t.relation_sources.delete(), "relation without a source"),
        (t.mentions.delete().where(t.mentions.c.turn == 2), "entity without a mention"),
        (t.segments.insert().values(user=1, n=99, session=1, size=1, summary="ghost"), "segment without a turn"),
        (t.sessions.insert().values(user=1, n=99, key="ghost"), "session without a segment"),
        (t.users.update().values(turns=1), "number that would be given twice"),
        (t.relations.update().values(closed_by=99), "relation ended by none that is there"),
    ],
)
def test_what_does_not_hold_is_found_and_what_can_be_derived_is_repaired(memory, statement, what):
    assert memory.check() == ()
    damage(memory, statement)
    found = memory.check()
    assert what in {problem.what for problem in found} and not any(problem.repaired for problem in found)
    assert all(problem.repaired for problem in memory.check(repair=True))
    assert memory.check() == ()
    assert memory.search("Rome", k=1)[0].id in ("a", "b") and len(memory.search("Rome")) == 2
    assert memory.add(said("Another.", id="c")).ids == ("c",) and memory.check() == ()


def test_an_interval_that_ends_before_it_begins_is_told_and_left(memory):
    damage(memory, t.relations.update().values(valid_from=5, valid_to=3))
    assert {problem.what for problem in memory.check(repair=True)} == {"relation ends before it begins"}


def test_a_reference_to_nowhere_is_found(memory):
    damage(memory, t.turns.update().where(t.turns.c.n == 1).values(session=77))
    assert any("points nowhere" in problem.row for problem in memory.check())
    with memory._database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(t.turns)).scalar() == 2
