import pytest

from memorai.datasets.common import data_root, decode_utf8, existing_file, find_data, parse_json, sha256_file
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
    with pytest.raises(InputError, match="no such file; check"):
        existing_file(tmp_path, "check the path")


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


@pytest.mark.parametrize("text", ["{", "", "[1,]", "9" * 5000, "[" * 100_000])
def test_bad_json_is_one_line(text):
    with pytest.raises(InputError, match=r"^f:3: ") as caught:
        parse_json(text, "f:3")
    assert "\n" not in str(caught.value)
