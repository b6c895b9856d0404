from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memorai.cli import main
from memorai.graph.store.database import FILE

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run a command on the test's own store; return status, what it printed and what it complained of."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def go(*arguments: str, store: str = "m") -> tuple[int, str, str]:
        code = main([arguments[0], "--store", str(tmp_path / store), "--embedder", "hashing", *arguments[1:]])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return go


def test_the_round(run, tmp_path):
    assert run("add", "I live in Beijing.", "--time", "2021-05-01", "--id", "b")[:2] == (
        0,
        "1 added, 0 skipped, 0 rejected\n",
    )
    run("add", "I moved to Shanghai.", "--time", "2024-06-01", "--id", "s")
    code, out, _ = run("search", "Where do I live?", "-k", "1")
    assert code == 0 and "I moved to Shanghai." in out and "Beijing" not in out
    found = json.loads(run("search", "Where do I live?", "--at", "2023-01-01", "--json")[1])
    assert found[0]["id"] == "b" and found[0]["turn_ids"] == ["b"] and found[0]["facts"][0]["object"] == "Beijing"
    assert "Shanghai" in run("history", "user")[1]
    assert json.loads(run("history", "1", "--json")[1])[0]["valid_to"].startswith("2024-06-01")
    assert run("history", "nobody")[1] == "nothing known\n"
    assert run("check")[:2] == (0, "all is well\n")
    assert run("export", str(tmp_path / "out.jsonl"))[1].startswith("2 turns written")
    assert json.loads(run("add", "--file", str(tmp_path / "out.jsonl"), "--json", store="other")[1])["ids"] == [
        "b",
        "s",
    ]
    assert run("forget", "--turn", "s")[1].startswith("forgot 1 turns")
    assert json.loads(run("forget", "--all", "--json")[1])["turns"] == 1
    assert run("search", "live")[1] == "nothing found\n"


def test_bad_lines_of_a_file_cost_no_other_line(run, tmp_path, monkeypatch):
    lines = [
        '{"role": "user", "content": "one", "id": "1"}',
        "no json",
        '{"role": "user", "content": 3}',
        '{"messages": [{"role": "user", "content": "two", "id": "2"}, {"role": "system", "content": "x", "id": "s"}]}',
        "[]",
        '{"question": "What?"}',
        "",
        '{"conversation": "c", "session": "s", "id": "3", "speaker": "Ann", "text": "three"}',
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(lines), encoding="utf-8")
    code, out, err = run("add", "--file", "chat.jsonl")
    assert code == 2 and out.startswith("3 added, 1 skipped, 3 rejected")
    places = [line.split(": ")[1] for line in err.splitlines()]
    assert sorted(places) == ["chat.jsonl:2", "chat.jsonl:3", "chat.jsonl:5"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines[0].encode()), encoding="utf-8"))
    assert run("add", "--file", "-")[1].startswith("0 added, 1 skipped")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add",), "give the text"),
        (("add", "x", "--file", "y"), "give the text"),
        (("add", "--file", "missing.jsonl"), "missing.jsonl"),
        (("add", "x", "--time", "soon"), "ISO 8601"),
        (("add", "x", "--user", " "), "user"),
        (("search", "x", "-k", "-1"), "k=-1"),
        (("search", "x", "--at", "soon"), "ISO 8601"),
        (("forget", "--turn", "x"), "no turn 'x'"),
        (("forget", "--entity", "x"), "no entity 'x'"),
        (("forget", "--turn", "\udcff"), "no turn"),
        (("export", "out.txt"), "ends in"),
        (("export", "a\0.json"), "cannot be written"),
        (("add", "--file", "a\0"), "cannot be read"),
    ],
)
def test_what_is_wrong_is_one_line_and_status_2(run, arguments, message):
    run("add", "something", "--id", "1")
    code, _, err = run(*arguments)
    assert code == 2 and err.startswith("error: ") and err.count("\n") == 1 and message in err


@pytest.mark.parametrize(
    "command", [("search", "x"), ("history", "x"), ("check",), ("export", "a.json"), ("forget", "--all")]
)
def test_a_store_that_is_none_is_not_made(run, tmp_path, command):
    code, _, err = run(*command, store="none")
    assert code == 2 and "no such store" in err and not (tmp_path / "none").exists()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / FILE).write_bytes(b"no database" * 100)
    code, _, err = run(*command, store="bad")
    assert code == 2 and "no SQLite file" in err and err.count("\n") == 1


def test_numbers_and_words_beyond_all_bounds_find_nothing(run):
    run("add", "something", "--id", "1")
    for name in ("9" * 30, "\u0663", "\u00b2", "-5", "", "\udcff", "x" * 100_000):
        assert run("history", name)[:2] == (0, "nothing known\n")
    assert "something" in run("search", "x", "-k", "9" * 20)[1]
    assert run("search", " ")[:2] == (0, "nothing found\n")


def test_text_of_the_memory_steers_no_terminal(run):
    run("add", "\x1b[31mred [bold]markup[/bold]\x07", "--id", "1")
    out = run("search", "red")[1]
    assert "\x1b" not in out and "\x07" not in out and "[bold]markup[/bold]" in out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_knows_few_characters(run, tmp_path, encoding):
    run("add", "我的猫叫饼干 😀", "--id", "1")
    command = [sys.executable, "-m", "memorai.cli", "search", "猫", "--store", "m", "--embedder", "hashing"]
    settings = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    table, listed = (
        subprocess.run([*command, *more], cwd=tmp_path, env=settings, capture_output=True, check=True)
        for more in ((), ("--json",))
    )
    assert b"\\u6211" in table.stdout and table.stderr == listed.stderr == b""
    assert json.loads(listed.stdout)[0]["text"] == "我的猫叫饼干 😀"


def test_a_search_is_explained_in_a_file(run, tmp_path):
    run("add", "My cat is called Biscuit.", "--id", "a")
    page = tmp_path / "why.html"
    assert run("explain", "What is my cat called?", "--html", str(page))[:2] == (0, f"1 memories explained in {page}\n")
    assert "My cat is called Biscuit." in page.read_text(encoding="utf-8")
    shown = json.loads(run("explain", "cat", "--html", str(page), "--json", "-k", "1")[1])
    assert shown["path"] == str(page) and [one["id"] for one in shown["ranked"]] == ["a"]
    code, _, err = run("explain", "cat", "-k", "0")
    assert code == 2 and err == "error: explain: k=0 is not a whole number of at least 1\n"
    code, _, err = run("explain", "cat", "--html", str(tmp_path))
    assert code == 2 and err.startswith("error: ") and err.count("\n") == 1
