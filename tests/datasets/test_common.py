import os
from pathlib import Path

import pytest

from memorai.datasets.common import (
    check_choice,
    data_root,
    decode_utf8,
    existing_file,
    find_data,
    parse_json,
    read_file,
    sha256_file,
)
from memorai.errors import InputError


def test_data_root_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORAI_DATA", str(tmp_path))
    assert data_root() == tmp_path
    monkeypatch.setenv("MEMORAI_DATA", "")
    assert str(data_root()) == "data"


def test_find_data_takes_the_first_name_that_exists(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORAI_DATA", str(tmp_path))
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "b.json").write_text("[]", encoding="utf-8")
    assert find_data(None, "bench", ["a.json", "b.json"], download="x").name == "b.json"
    (tmp_path / "bench" / "a.json").write_text("[]", encoding="utf-8")
    assert find_data(None, "bench", ["a.json", "b.json"], download="x").name == "a.json"


@pytest.mark.parametrize("path", [None, "missing.json"])
def test_a_missing_file_says_how_to_get_it(monkeypatch, tmp_path, path):
    monkeypatch.setenv("MEMORAI_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"run: python scripts/download_data\.py locomo") as caught:
        find_data(path, "locomo", ["locomo10.json"], download="locomo")
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="a folder, not a file; name the file in it, or check the path"):
        existing_file(tmp_path, "check the path")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "path=None: the path of a file is expected"),
        (5, "path=5: the path of a file is expected"),
        ("", "path='': the path of a file is expected"),
        ("x" * 5000, "cannot be opened .*"),
        ("a\0b", "cannot be opened .*"),
        ("a/missing.json", "a/missing.json: no such file"),
    ],
)
def test_a_path_that_is_none(path, message):
    with pytest.raises(InputError, match=f"{message}; check the path$"):
        existing_file(path, "check the path")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        existing_file(tmp_path / "pipe", "check the path")


@pytest.mark.parametrize("read", [read_file, sha256_file])
def test_a_file_that_may_not_be_read(monkeypatch, tmp_path, read):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    # file modes do not bind the superuser, hence the stand-in
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match=r"x: cannot be read \(Permission denied\); give yourself the right") as caught:
        read(tmp_path / "x")
    assert "\n" not in str(caught.value)


def test_a_data_folder_that_may_not_be_entered(monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(InputError, match=r"a\.json: cannot be read \(Permission denied\)"):
        find_data(None, "bench", ["a.json"], download="x")


@pytest.mark.parametrize("value", ["c", None, 5, ["a"], True])
def test_choices(value):
    check_choice("part", "a", ("a", "b"))
    with pytest.raises(InputError, match=r"^part=.*: choose one of a, b$"):
        check_choice("part", value, ("a", "b"))


def test_sha256(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")  # FIPS 180-2, B.1
    assert sha256_file(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_decoding_names_the_line():
    assert decode_utf8(b"\xef\xbb\xbfabc", "f") == "abc"
    with pytest.raises(InputError, match=r"^f:2: not UTF-8 \(byte 0xe9\)"):
        decode_utf8("ok\ncaf\xe9".encode("latin-1"), "f")
    with pytest.raises(InputError, match=r"^f:1: not UTF-8"):
        decode_utf8("苹果".encode("gbk"), "f")
    with pytest.raises(InputError, match=r"^f:1: not UTF-8"):
        decode_utf8("a".encode("utf-16"), "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON .* at column 2.*; correct it there"),
        ("", "not JSON .*; correct it there"),
        ("[1,]", "not JSON .*; correct it there"),
        ("9" * 5000, "a number has too many digits to read; write it as text"),
        ("[" * 100_000, "nested too deep to read; flatten it"),
        ('{"a": 1, "b": 2, "a": 1}', "key 'a' stands twice in one object; keep one of them"),
        ('[{"x": {"a\\n": 1, "a\\n": 2}}]', r"key 'a\\n' stands twice in one object"),
    ],
)
def test_bad_json_is_one_line_with_a_remedy(text, message):
    with pytest.raises(InputError, match=f"^f:3: {message}") as caught:
        parse_json(text, "f:3")
    assert "\n" not in str(caught.value)


def test_one_key_may_stand_in_several_objects():
    assert parse_json('[{"a": {"a": 1}}, {"a": 2}]', "f") == [{"a": {"a": 1}}, {"a": 2}]
