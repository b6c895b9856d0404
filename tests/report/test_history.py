from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.report.__main__ import main
from memorai.report.history import append, entries_of, read, trend
from memorai.report.results import Results, Row

ROW = Row("mine", "untrained", "bm25", "", 0, "weighted", "ndcg", "turn", 10, 0.5, 0.4, 0.6, 9)


def results(value: float, started: str) -> Results:
    data = {"name": "mine", "version": "1", "sha256": "0" * 64}
    rows = (replace(ROW, value=value), replace(ROW, metric="recall_any"), replace(ROW, category="easy"))
    return Results({"data": data, "started": started, "git_sha": "abc"}, rows)


def test_a_run_is_kept_once_and_only_its_headlines(tmp_path):
    path = tmp_path / "history.jsonl"
    assert append(path, results(0.5, "2024-01-01")) == 1
    assert append(path, results(0.5, "2024-01-01")) == 0
    assert append(path, results(0.6, "2024-01-02")) == 1
    entries = read(path)
    assert [(e["started"], e["git_sha"], e["system"], e["value"]) for e in entries] == [
        ("2024-01-01", "abc", "bm25", 0.5),
        ("2024-01-02", "abc", "bm25", 0.6),
    ]
    assert [p.name for p in trend(entries, "mine", tmp_path)] == ["trend_mine.png", "trend_mine.svg"]
    assert trend(entries, "other", tmp_path) == []


def test_a_merged_run_is_dated_by_its_latest():
    one, two = results(0.5, "2024-01-01"), results(0.5, "2024-01-03")
    merged = Results({"runs": [one.manifest, two.manifest]}, one.rows)
    assert entries_of(merged)[0]["started"] == "2024-01-03"


def test_a_broken_line_is_named(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"history\.jsonl:1"):
        read(path)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none")


def test_the_command_keeps_a_history_and_draws_it(tmp_path, capsys):
    run = results(0.5, "2024-01-01").write(tmp_path / "run")
    arguments = [str(run), "--out", str(tmp_path / "out"), "--history", str(tmp_path / "h" / "history.jsonl")]
    assert main(arguments) == 0
    assert {path.name for path in (tmp_path / "h").iterdir()} == {"history.jsonl", "trend_mine.png", "trend_mine.svg"}
    assert (tmp_path / "out" / "systems.png").is_file()
