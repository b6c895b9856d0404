from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.models.cache import ByteCache, cache_folder, content_key

PARTS = st.lists(st.text() | st.binary() | st.integers() | st.booleans() | st.none(), max_size=4)


def write_range(path: str, start: int, stop: int) -> None:
    cache = ByteCache(path)
    for i in range(start, stop):
        cache.put_many("n", {str(i): bytes([i % 256]), "shared": b"same"})


def test_returns_what_was_put_in_the_order_asked(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "deep" / "c.sqlite")
    cache.put_many("n", {"a": b"1", "b": b"\x00\xff", "c": b""})
    assert list(cache.get_many("n", ["c", "missing", "a", "a", "b"]).items()) == [
        ("c", b""),
        ("a", b"1"),
        ("b", b"\x00\xff"),
    ]
    assert ByteCache(tmp_path / "deep" / "c.sqlite").get_many("n", ["a"]) == {"a": b"1"}


def test_namespaces_are_apart_and_the_last_value_wins(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    cache.put_many("one", {"a": b"1"})
    cache.put_many("two", {"a": b"2"})
    cache.put_many("one", {"a": b"3"})
    assert cache.get_many("one", ["a"]) == {"a": b"3"}
    assert cache.get_many("two", ["a"]) == {"a": b"2"}


def test_more_keys_than_one_query_takes(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    values = {f"k{i}": str(i).encode() for i in range(2500)}
    cache.put_many("n", values)
    assert cache.get_many("n", reversed(list(values))) == values


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_two_processes_write_at_once(tmp_path: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    path = tmp_path / "c.sqlite"
    context = multiprocessing.get_context(method)
    processes = [context.Process(target=write_range, args=(str(path), start, start + 60)) for start in (0, 60)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    found = ByteCache(path).get_many("n", [*map(str, range(120)), "shared"])
    assert found == {**{str(i): bytes([i]) for i in range(120)}, "shared": b"same"}


def test_a_forked_child_opens_its_own_connection(tmp_path: Path) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    cache = ByteCache(tmp_path / "c.sqlite")
    cache.put_many("n", {"parent": b"p"})
    child = multiprocessing.get_context("fork").Process(target=cache.put_many, args=("n", {"child": b"c"}))
    child.start()
    child.join(60)
    assert cache.get_many("n", ["parent", "child"]) == {"parent": b"p", "child": b"c"}


def test_threads_share_one_cache(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    threads = [
        threading.Thread(target=lambda i=i: [cache.put_many("n", {f"{i}-{j}": b"x"}) for j in range(20)])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache.get_many("n", [f"{i}-{j}" for i in range(4) for j in range(20)])) == 80


@pytest.mark.parametrize("damage", [b"this is no database" * 100, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_file_is_set_aside_and_rebuilt(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(damage)
    cache = ByteCache(path)
    with pytest.warns(UserWarning, match="damaged cache set aside"):
        cache.put_many("n", {"a": b"1"})
    assert cache.get_many("n", ["a"]) == {"a": b"1"}
    (aside,) = tmp_path.glob("c.sqlite.damaged-*")
    assert aside.read_bytes() == damage


def test_damage_in_the_middle_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    cache = ByteCache(path)
    cache.put_many("n", {str(i): bytes(2000) for i in range(50)})
    cache.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xee" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.warns(UserWarning, match="damaged"):
        assert cache.get_many("n", ["3"]) == {}
    cache.put_many("n", {"3": b"new"})
    assert cache.get_many("n", ["3"]) == {"3": b"new"}


def test_an_unusable_place_warns_once_and_caches_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    cache = ByteCache(tmp_path / "file" / "c.sqlite")
    with pytest.warns(UserWarning, match="no cache"):
        cache.put_many("n", {"a": b"1"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put_many("n", {"a": b"1"})
        assert cache.get_many("n", ["a"]) == {}


def test_a_read_only_file_caches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    path = tmp_path / "c.sqlite"
    ByteCache(path).put_many("n", {"a": b"1"})
    # file modes do not bind the superuser, so the read-only state comes from SQLite itself
    monkeypatch.setattr(
        sqlite3, "connect", lambda file, **options: connect(f"file:{file}?mode=ro", uri=True, **options)
    )
    cache = ByteCache(path)
    with pytest.warns(UserWarning, match="no cache"):
        cache.put_many("n", {"b": b"2"})
    assert cache.get_many("n", ["a"]) == {}


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORAI_CACHE", str(tmp_path / "here"))
    assert ByteCache().path == tmp_path / "here" / "cache.sqlite"
    monkeypatch.delenv("MEMORAI_CACHE")
    assert "memorai" in str(cache_folder())


def test_a_folder_of_an_unknown_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORAI_CACHE", "~no-such-user/x")
    with pytest.raises(InputError, match=r"^MEMORAI_CACHE=~no-such-user/x: .*; give a folder"):
        ByteCache()


def test_keys_do_not_depend_on_the_process() -> None:
    # sha256 of b"str:1:a" + b"int:1:1"
    assert content_key("a", 1) == "95db94ce2ede1978e00e0ae270433875ef5a0a8233be036555aa257730146184"


@given(PARTS, PARTS)
def test_different_parts_have_different_keys(left: list, right: list) -> None:
    same = [(type(part), part) for part in left] == [(type(part), part) for part in right]
    assert (content_key(*left) == content_key(*right)) == same


def test_lone_surrogates_have_keys() -> None:
    assert content_key("\ud83d") != content_key("\ud83e")
