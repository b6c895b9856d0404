"""Sweeps: interrupted and taken up again, over other launchers, with a system that fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from memorai.eval import main

ROOT = Path(__file__).resolve().parents[1]
QUICK = ("embedder=hashing", "bootstrap=20", "progress=false")
DAMPINGS = ("0.2", "0.4", "0.6", "0.8")


def sweep(chats: Path, folder: Path, *arguments: str) -> list[str]:
    return [
        *(sys.executable, "-m", "memorai.eval", "-m", "+experiment=ablation_damping", "dataset=jsonl"),
        *(f"dataset.path={chats}", *QUICK, f"hydra.sweep.dir={folder}"),
        *(f"systems.memorai.retriever.damping={','.join(DAMPINGS)}", *arguments),
    ]


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"MEMORAI_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}


def rows_of(folder: Path) -> list[str]:
    """The merged table's rows: everything but the revision and the command below it."""
    lines = (folder / "table.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("Data: ")]


def test_a_killed_sweep_goes_on_and_ends_in_the_same_table(chats, tmp_path, environment):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    options = {
        "env": environment,
        "cwd": tmp_path,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }
    process = subprocess.Popen(sweep(chats, killed), **options)
    deadline = time.monotonic() + 120
    while not (killed / "0" / "results.json").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL and not (killed / "table.md").exists()
    first = (killed / "0" / "results.json").stat().st_mtime_ns

    again = subprocess.run(sweep(chats, killed), **options, check=False)
    assert again.returncode == 0, again.stdout
    assert "which had finished" in again.stdout
    assert (killed / "0" / "results.json").stat().st_mtime_ns == first
    assert subprocess.run(sweep(chats, whole), **options, check=False).returncode == 0
    assert rows_of(killed) == rows_of(whole)
    assert all(f"damping={value}" in "".join(rows_of(killed)) for value in DAMPINGS)


def test_another_configuration_is_run_again(command, chats):
    arguments = ("-m", "+experiment=ablation_damping", "dataset=jsonl", f"dataset.path={chats}", *QUICK[:2])
    swept = "systems.memorai.retriever.damping=0.2,0.4"
    assert command(main, *arguments, swept).code == 0
    assert command(main, *arguments, swept).err.count("which had finished") == 2
    assert "which had finished" not in command(main, *arguments, swept, "seed=3").err
    assert "which had finished" not in command(main, *arguments, swept, "seed=3", "resume=false").err


@pytest.mark.parametrize(("launcher", "package"), [("joblib", "hydra_plugins.hydra_joblib_launcher"), ("ray", "ray")])
def test_a_sweep_runs_unchanged_over_two_workers(chats, tmp_path, environment, launcher, package):
    try:
        missing = find_spec(package) is None
    except ModuleNotFoundError:
        missing = True
    if missing:
        pytest.skip(f"pip install 'memorai[{'ray' if launcher == 'ray' else 'sweep'}]'")
    workers = {"joblib": "hydra.launcher.n_jobs=2", "ray": "+hydra.launcher.ray.init.num_cpus=2"}[launcher]
    options = {
        "env": environment,
        "cwd": tmp_path,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }
    here, there = tmp_path / "here", tmp_path / "there"
    assert subprocess.run(sweep(chats, here), **options, check=False).returncode == 0
    run = subprocess.run(sweep(chats, there, f"hydra/launcher={launcher}", workers), **options, check=False)
    assert run.returncode == 0, run.stdout
    assert rows_of(here) == rows_of(there)
    manifest = json.loads((there / "1" / "results.json").read_text(encoding="utf-8"))["manifest"]
    assert "-m +experiment=ablation_damping" in manifest["command"]


BROKEN = "memorai.retrieval.scores.RandomScores.score"


def test_a_failing_system_ends_a_run_with_status_1_and_everything_written(command, chats, monkeypatch):
    def broken(self, view):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(BROKEN, broken)
    run = command(main, "+experiment=demo", "dataset=jsonl", f"dataset.path={chats}", *QUICK[:2])
    assert run.code == 1
    assert "error: 2 failed: random on c1 (RuntimeError: out of luck); random on c2" in run.err
    assert [f["conversation"] for f in run.results["manifest"]["failures"]] == ["c1", "c2"]
    assert {row["value"] for row in run.results["rows"] if row["system"] == "random"} == {0.0}
    assert {row["n"] for row in run.results["rows"] if row["category"] == "weighted"} == {3}
    table = (run.folder / "table.md").read_text(encoding="utf-8")
    assert "FAILED: random on c1 (RuntimeError: out of luck); its questions there count as not found." in table


def test_a_failing_system_ends_a_multirun_with_status_1_and_its_table(command, chats, monkeypatch):
    def broken(self, view):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(BROKEN, broken)
    arguments = ("-m", "+experiment=demo", "dataset=jsonl", f"dataset.path={chats}", *QUICK[:2])
    run = command(main, *arguments, "systems.memorai.retriever.damping=0.2,0.4")
    assert run.code == 1 and (run.folder / "table.md").is_file()
