from __future__ import annotations

import logging
import random

import pytest

from memorai.recall import snapshot
from tests.memories import Clock, bytes_of, opened, said

COUNT = 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "AT_LEAST", 10)
    with opened(tmp_path / "m", group_messages=20) as memory:
        for i in range(COUNT):
            memory.add(said(f"I live in Town{i}. Friend{i % 7} likes Lake{i % 11}.", f"20{i:02}-01-01", id=f"m{i}"))
        memory.forget(turn="m3")
        memory.archive(below=0.0)
        memory.search("Town5")
    return tmp_path / "m"


def loaded(folder, caplog) -> list[str]:
    """Ids found after reopening; the index file was used if nothing but new rows were read."""
    with opened(folder) as memory:
        return [result.id for result in memory.search("Friend3 Lake4 Town8", k=20, touch=False)]


def test_an_index_file_gives_the_same_answers_as_the_rows(folder, caplog):
    file = folder / "index-1.safetensors"
    assert file.exists()
    from_file = loaded(folder, caplog)
    file.unlink()
    assert loaded(folder, caplog) == from_file


def test_it_is_used_and_followed_by_what_was_written_since(folder, monkeypatch):
    reads = []
    original = snapshot.Snapshots.load
    monkeypatch.setattr(snapshot.Snapshots, "load", lambda *a: reads.append(original(*a)) or reads[-1])
    with opened(folder) as memory:
        memory.add(said("A zebra at last.", id="z"))
        assert memory.search("zebra", k=1)[0].id == "z"
        assert memory.history("Town58")[0].valid_to is not None
        assert memory.search("Town0", k=COUNT, touch=False)[0].id != "m3"
        index = memory._reader._index
        assert len(index) == int(index.in_use.sum()) == COUNT  # one forgotten, one new
    assert reads == [True]


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "version"])
def test_a_damaged_file_is_not_used(folder, damage, caplog):
    file = folder / "index-1.safetensors"
    data = file.read_bytes()
    wrong = {
        "cut": data[: len(data) // 2],
        "noise": b"\xff" * 1000,
        "empty": b"",
        "version": data.replace(b'"format":"1"', b'"format":"9"'),
    }
    file.write_bytes(wrong[damage])
    with caplog.at_level(logging.WARNING):
        assert len(loaded(folder, caplog)) == 20
    assert (damage == "version") or "not used" in caplog.text


def test_forgetting_removes_it(folder):
    with opened(folder) as memory:
        memory.forget(turn="m5")
        assert not (folder / "index-1.safetensors").exists()
    with opened(folder, clock=Clock()) as memory:
        memory.forget(all=True)
        assert b"Town" not in bytes_of(folder)
    assert not list(folder.glob("index-*"))


def test_what_others_have_forgotten_meanwhile_is_not_left_in_a_file(folder, monkeypatch):
    (folder / "index-1.safetensors").unlink()
    with opened(folder) as other:
        with opened(folder) as memory:
            memory.search("Town5")
            other.forget(turn="m5")
            # what a process that is just closing has read before the forgetting
            monkeypatch.setattr(memory._reader, "warm", lambda: None)
        assert not list(folder.glob("index-*"))
        with opened(folder) as memory:
            memory.search("Town6")
        assert len(list(folder.glob("index-*"))) == 1


def test_noise_in_the_head_of_a_file_is_not_used_or_does_no_harm(folder):
    file = folder / "index-1.safetensors"
    sound = file.read_bytes()
    head = 8 + int.from_bytes(sound[:8], "little")
    rng = random.Random(0)
    for _ in range(30):
        data = bytearray(sound)
        for _ in range(3):
            data[rng.randrange(head)] = rng.randrange(256)
        file.write_bytes(bytes(data))
        with opened(folder) as memory:
            assert len(memory.search("Friend3 Lake4 Town8", k=20, touch=False)) == 20
