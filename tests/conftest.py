from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hydra.core.global_hydra import GlobalHydra


@dataclass(frozen=True)
class Finished:
    """What a command left: exit status, what it printed, and its folder."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def results(self) -> dict:
        return json.loads((self.folder / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def command(tmp_path, monkeypatch, capsys) -> Callable[..., Finished]:
    """Run an entry point in this process, as ``python -m`` would, inside a folder of its own."""

    def run(main: Callable[[], None], *arguments: str) -> Finished:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MEMORAI_CACHE", str(tmp_path / "cache"))
        multirun = "-m" in arguments
        place = "hydra.sweep.dir" if multirun else "hydra.run.dir"
        monkeypatch.setattr(sys, "argv", ["memorai", *arguments, f"{place}={tmp_path / 'run'}", "progress=false"])
        GlobalHydra.instance().clear()
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            GlobalHydra.instance().clear()
        shown = capsys.readouterr()
        return Finished(code, shown.out, shown.err, tmp_path / "run")

    return run


LINES = [
    {"conversation": "c1", "session": "s1", "id": "a1", "speaker": "Ann", "text": "I adopted a puppy called Rex."},
    {"conversation": "c1", "session": "s1", "id": "a2", "speaker": "Bob", "text": "How lovely! I moved to Rome."},
    {"conversation": "c1", "session": "s2", "id": "a3", "speaker": "Ann", "text": "Rex loves the beach."},
    {"conversation": "c1", "session": "s2", "id": "a4", "speaker": "Bob", "text": "My new job is in a bakery."},
    {"conversation": "c2", "session": "s1", "id": "b1", "speaker": "Cid", "text": "I play the cello."},
    {"conversation": "c2", "session": "s1", "id": "b2", "speaker": "Dan", "text": "I paint at night."},
    {"conversation": "c1", "question": "Where did Bob move?", "evidence": ["a2"], "category": "single"},
    {
        "conversation": "c1",
        "question": "What does Ann's puppy love?",
        "evidence": ["a1", "a3"],
        "category": "multi",
    },
    {"conversation": "c1", "question": "What does Bob drink?", "category": "single"},
    {"conversation": "c2", "question": "Who plays the cello?", "evidence": ["b1"], "category": "single"},
]


@pytest.fixture
def chats(tmp_path) -> Path:
    """A small data set of two conversations as a JSON Lines file."""
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    return path
