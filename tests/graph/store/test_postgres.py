"""The same store on a real PostgreSQL server; skipped by name where its binaries or psycopg are missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from memorai.errors import InputError
from memorai.graph.store.errors import StoreBusy, StoreError
from memorai.graph.store.schema import OWNED, users
from tests.memories import Clock, opened, said, texts
from tests.postgres_server import account, binaries, server

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'memorai[postgres]'")
if binaries() is None or account() is None:
    pytest.skip("PostgreSQL is not installed: apt-get install postgresql", allow_module_level=True)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server() as started:
        yield started


def test_a_memory_lives_in_postgresql(url, tmp_path):
    clock = Clock()
    with opened(url, "ann", clock=clock) as memory:
        memory.add(said("I live in Beijing.", "2021-05-01", id="b"))
        memory.add(said("I moved to Shanghai.", "2024-06-01", id="s"))
        memory.add([said("nul \0 and \ud83d", id="n"), said("x" * 100_000, id="x"), said("我的猫叫饼干。", id="c")])
        assert memory.search("Where do I live?", k=1)[0].id == "s"
        assert memory.search("Where do I live?", k=1, at="2023-01-01")[0].id == "b"
        assert [fact.object for fact in memory.history("user") if fact.kind == "lives_in"] == ["Beijing", "Shanghai"]
        assert memory.add(said("again", id="b")).skipped[0].reason == "duplicate"
        clock.pass_days(100)
        memory.search("猫", k=1)
        assert "b" in memory.archive(below=0.5) and memory.restore(["b"]) == ("b",)
        assert memory.forget(turn="s").relations == 1
        assert memory.history("Beijing")[0].valid_to is None
        assert memory.prune(max_age=timedelta(days=10_000)) == ()
        assert memory.check() == () and memory.check(repair=True) == ()
        assert memory.export(tmp_path / "out.json") == 4
        assert memory.graph().num_nodes > 4
    with opened(url, "ann", clock=clock) as memory:
        assert memory.stats()["turns"] == 4
        assert memory.search("cat 猫", k=1)[0].id == "c"


def test_users_share_nothing_and_leave_no_row(url):
    for user in ("bob", "x'; DROP TABLE turns; --"):
        with opened(url, user) as memory:
            memory.add(said(f"The secret of {user} is Xanadu.", id="same"))
            assert texts(memory.search("secret Xanadu")) == [f"The secret of {user} is Xanadu."]
    with opened(url, "bob") as memory:
        with memory._database.read() as connection:
            number = connection.execute(sa.select(users.c.id).where(users.c.name == "bob")).scalar_one()
        assert memory.forget(all=True).turns == 1
        with memory._database.read() as connection:
            for table in OWNED:
                count = sa.select(sa.func.count()).select_from(table).where(table.c.user == number)
                assert connection.execute(count).scalar_one() == 0
            assert connection.execute(sa.select(users).where(users.c.name == "bob")).all() == []


def test_processes_write_at_once(url):
    child = """
import sys
from tests.memories import opened, said
with opened(sys.argv[1], "crowd", group_messages=3, group_ms=1e6) as memory:
    for i in range(20):
        memory.add(said(f"I live in Town{i}.", id=f"{sys.argv[2]}-{i}"))
"""
    running = [subprocess.Popen([sys.executable, "-c", child, url, str(n)], stderr=subprocess.PIPE) for n in range(3)]
    assert [process.communicate()[1] for process in running] == [b"", b"", b""]
    with opened(url, "crowd") as memory:
        assert memory.stats()["turns"] == 60 and memory.check() == ()
        assert len(memory.search("Town1", k=100)) == 60


def test_a_writer_that_waits_too_long_says_busy(url):
    with opened(url, "carl") as holder, opened(url, "carl", busy_seconds=0.05) as memory:
        holder.add(said("first"))
        with holder._database.write() as connection:
            connection.execute(sa.select(users).where(users.c.name == "carl").with_for_update())
            with pytest.raises(StoreBusy):
                memory.add(said("second"))
        memory.flush()
        assert holder.stats()["turns"] == 2


def test_what_is_no_server_is_said_in_one_line(url):
    for wrong in ("postgresql://nobody@localhost:1/x", "postgresql://[", url.replace("/postgres?", "/nothing?")):
        with pytest.raises((StoreError, InputError)) as caught:
            opened(wrong)
        assert "\n" not in str(caught.value)
