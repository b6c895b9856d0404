from __future__ import annotations

import os
import subprocess
import sys

import pytest
import sqlalchemy as sa

from memorai.graph.store import migrations
from memorai.graph.store.database import FILE, Database
from memorai.graph.store.errors import StoreError
from memorai.graph.store.schema import meta, users
from tests.memories import opened, said, texts


def test_a_new_store_is_made_and_opened_again(tmp_path):
    for _ in range(2):
        database = Database(tmp_path / "a" / "b")
        with database.read() as connection:
            assert connection.execute(sa.select(meta.c.value).where(meta.c.key == "schema")).scalar() == "1"
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # every commit reaches the disk
        database.close()


def test_a_transaction_is_whole_or_not_at_all(tmp_path):
    database = Database(tmp_path / "m")
    with pytest.raises(RuntimeError), database.write() as connection:
        connection.execute(users.insert().values(name="ann"))
        raise RuntimeError
    with database.read() as connection:
        assert connection.execute(sa.select(users)).all() == []
    database.close()


def test_a_reader_sees_one_state_throughout(tmp_path):
    database = Database(tmp_path / "m")
    with database.read() as reading:
        assert reading.execute(sa.select(users)).all() == []
        with database.write() as writing:
            writing.execute(users.insert().values(name="ann"))
        assert reading.execute(sa.select(users)).all() == []
    with database.read() as reading:
        assert len(reading.execute(sa.select(users)).all()) == 1
    database.close()


def make_file(path):
    path.write_text("x", encoding="utf-8")


def make_folder_of_something_else(path):
    path.mkdir()
    (path / "thesis.docx").write_text("x", encoding="utf-8")


def make_no_database(path):
    path.mkdir()
    (path / FILE).write_text("no database " * 100, encoding="utf-8")


def make_truncated(path):
    with opened(path) as memory:
        for i in range(50):
            memory.add(said(f"Message {i}."))
    data = (path / FILE).read_bytes()
    (path / FILE).write_bytes(data[: len(data) // 3])


def make_corrupt(path):
    with opened(path) as memory:
        for i in range(50):
            memory.add(said(f"Message {i}."))
    data = bytearray((path / FILE).read_bytes())
    data[200 : len(data) : 7] = b"\xff" * len(data[200 : len(data) : 7])
    (path / FILE).write_bytes(bytes(data))


def make_foreign_database(path):
    path.mkdir()
    engine = sa.create_engine(f"sqlite:///{path / FILE}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    engine.dispose()


def make_newer(path):
    opened(path).close()
    database = Database(path)
    with database.write() as connection:
        connection.execute(meta.update().where(meta.c.key == "schema").values(value="99"))
    database.close()


def make_folder_for_a_file(path):
    (path / FILE).mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (make_file, "a file"),
        (make_folder_of_something_else, "thesis.docx"),
        (make_no_database, "no SQLite file"),
        (make_truncated, "damaged|malformed"),
        (make_corrupt, "damaged|malformed|not ours|no SQLite file"),
        (make_foreign_database, "not a memory store"),
        (make_newer, "newer version"),
        (make_folder_for_a_file, "a folder where the database should be"),
    ],
)
def test_what_is_no_store_is_said_in_one_line_and_left_as_it_is(tmp_path, make, message):
    path = tmp_path / "m"
    make(path)
    before = path.read_bytes() if path.is_file() else {p.name: p.read_bytes() for p in path.iterdir() if p.is_file()}
    with pytest.raises(StoreError, match=message) as caught:
        memory = opened(path)
        assert memory.check() != ()
        memory.search("message", k=60)
        memory.close()
        raise StoreError("damaged, and check said so")
    assert "\n" not in str(caught.value)
    after = path.read_bytes() if path.is_file() else {p.name: p.read_bytes() for p in path.iterdir() if p.is_file()}
    if isinstance(before, dict):
        assert {name: after[name] for name in before if name == FILE} == {n: d for n, d in before.items() if n == FILE}
    else:
        assert after == before


@pytest.mark.parametrize("path", ["", " ", "a\0b"])
def test_a_path_that_is_none(path):
    with pytest.raises(StoreError, match="give a folder"):
        Database(path)


def test_steps_of_the_schema_run_once_and_all_or_none(tmp_path, monkeypatch):
    with opened(tmp_path / "m") as memory:
        memory.add(said("Old words."))

    def add_table(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE later (n INTEGER)")

    def fail(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (n INTEGER)")
        raise RuntimeError("power cut")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, add_table, fail))
    with pytest.raises(RuntimeError):
        Database(tmp_path / "m")
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:-1])
    for _ in range(2):
        database = Database(tmp_path / "m")
        with database.read() as connection:
            assert "later" in sa.inspect(connection).get_table_names()
            assert "half" not in sa.inspect(connection).get_table_names()
            assert connection.execute(sa.select(meta.c.value).where(meta.c.key == "schema")).scalar() == "2"
        database.close()
    with opened(tmp_path / "m") as memory:
        assert texts(memory.search("old")) == ["Old words."]
    monkeypatch.undo()
    with pytest.raises(StoreError, match="newer version"):
        Database(tmp_path / "m")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_folder_that_may_not_be_written(tmp_path):
    folder = tmp_path / "m"
    with opened(folder) as memory:
        memory.add(said("Old words."))
    code = """
import os, sys
from memorai.graph.store.errors import StoreError
from tests.memories import opened, said
os.setgid(65534); os.setuid(65534)
try:
    memory = opened(sys.argv[1])
    memory.add(said("new"))
    memory.close()
except StoreError as error:
    print(error)
"""
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == 0 and str(parent) != "/":
            parent.chmod(parent.stat().st_mode | 0o055)
    folder.chmod(0o555)
    for file in folder.iterdir():
        file.chmod(0o444)
    for target in (folder, tmp_path / "new"):
        done = subprocess.run([sys.executable, "-c", code, str(target)], capture_output=True, text=True, check=False)
        assert done.stderr == "" and ("cannot be" in done.stdout or "permissions" in done.stdout), done
        assert done.stdout.count("\n") == 1
    folder.chmod(0o755)
    for file in folder.iterdir():
        file.chmod(0o644)
    with opened(folder) as memory:
        assert texts(memory.search("old")) == ["Old words."]
