from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from ingest_bench import growth, report, talk  # noqa: E402
from ingest_bench.clock import Cost, timed  # noqa: E402
from ingest_bench.stages import Row  # noqa: E402

from memorai.types import Conversation, Session, Turn  # noqa: E402


def conversation(name: str, sessions: int) -> Conversation:
    def session(number: int) -> Session:
        turns = tuple(Turn(f"{number}:{i}", str(number), name, f"word{number} {i}") for i in range(3))
        return Session(str(number), turns)

    return Conversation(name, tuple(session(number) for number in range(sessions)))


def test_the_long_conversation_knows_the_speakers_of_what_is_appended() -> None:
    found = [conversation("Ann", 2), conversation("Bob", 7)]
    sessions, held_back = talk.growing(found)
    assert [session.id for session in sessions] == ["Bob/0", "Bob/1", "Ann/0", "Ann/1"]
    assert [session.id for session in held_back] == [f"Bob/{i}" for i in range(2, 7)]
    longer = talk.of_size(sessions, 20)
    assert len(longer.turns) == 21 and len({turn.id for turn in longer.turns}) == 21
    assert longer.sessions[4].id == "r1/Bob/0"


def test_costs_are_medians_a_turn() -> None:
    found, cost = timed(lambda: "x", turns=4, runs=3)
    assert found == "x" and cost.runs == 3 and cost.wall >= 0
    assert Cost(1.0, 0.5, 5) + Cost(2.0, 1.0, 1) == Cost(3.0, 1.5, 1)


def test_totals_and_ratios() -> None:
    shared = {
        "segment: sessions": 1.0,
        "gate: rules": 2.0,
        "index BM25": 10.0,
        "embed turns, threads: 1": 20.0,
        "embed turns, threads: 2": 30.0,
    }
    rows = [Row("shared", stage, Cost(ms, ms, 5)) for stage, ms in shared.items()]
    rows += [Row("memorai_plus", stage, Cost(ms, ms, 5)) for stage, ms in (("extract", 3.0), ("build graph", 4.0))]
    assert [(r.setting, r.stage, r.cost.wall) for r in report.totals(rows)] == [
        ("memorai_plus", "total without embedding", 10.0),
        ("memorai_plus", "total with BM25 and embedding", 40.0),
    ]
    points = [growth.Point("append", "stems", n, Cost(ms, 1.0, 5)) for n, ms in ((1000, 2.0), (6000, 3.0))]
    assert "| stems | 2.000 | 3.000 | 1.50 | 1.00 |" in report.markdown(rows, points)
    assert report.records(rows, points)[-1] == {
        **{"kind": "append", "setting": "stems", "stage": "all", "turns": 6000},
        **{"wall_ms": 3.0, "cpu_ms": 1.0, "runs": 5},
    }


def test_the_script_falls_back_to_the_demo_and_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORAI_DATA", str(tmp_path))
    script = runpy.run_path(str(SCRIPTS / "bench_ingest.py"))
    script["main"](["--threads", "--runs", "1", "--sizes", "20", "40", "--record", str(tmp_path / "out")])
    assert "bundled English demo" in capsys.readouterr().out
    written = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert written["data"] == "demo"
    assert {row["kind"] for row in written["rows"]} == {"stage", "build", "append"}
    settings = {row["setting"] for row in written["rows"] if row["kind"] == "append"}
    assert settings == {setting.name for setting in growth.settings()}
    assert (tmp_path / "out" / "table.md").read_text(encoding="utf-8").count("total without embedding") == 3
