"""The store's scripts in small: a few kills, a moment of many processes, a bench of a few turns."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return lambda name: runpy.run_path(str(SCRIPTS / name))


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_nothing_is_lost_when_a_writer_is_killed(script, capsys):
    assert script("kill_store.py")["main"](["--kills", "6", "--longest", "0.4", "--seed", "3"]) == 0
    assert capsys.readouterr().out.startswith("6 kills: 0 committed messages lost, 0 broken invariants")


def test_processes_write_and_read_at_once(script, tmp_path):
    counts = script("stress_store.py")["run"](tmp_path / "m", seconds=1.0, writers=2, readers=1)
    assert counts["written"] > 0 and counts["searched"] > 0
    assert counts["failed"] == counts["lost"] == counts["problems"] == 0


def test_the_bench_says_what_it_promises(script, tmp_path, capsys, monkeypatch):
    target = tmp_path / "figures.json"
    main = script("bench_store.py")["main"]
    arguments = ["--turns", "60", "--queries", "3", "--embedder", "hashing", "--json", str(target)]
    assert main([*arguments, "--folder", str(tmp_path)]) == 0
    figures = json.loads(target.read_text(encoding="utf-8"))
    wanted = ("turns_per_second", "last_over_first", "open_seconds", "search_p50_ms", "search_p95_ms", "resident_mb")
    assert all(figures[name] > 0 for name in wanted)
    assert figures["turns"] == 60 and figures["nodes"] > 100


def test_the_synthetic_talk_is_the_same_every_time(script, monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from store_bench.chatter import messages, word

    assert list(messages(50)) == list(messages(50)) and list(messages(50, seed=1)) != list(messages(50))
    assert len({word(n) for n in range(5000)}) == 5000
