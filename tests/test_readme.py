"""The README's figures come from a recorded run, and its Python says what its comments promise."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
JSON_LINES = re.findall(r"```json\n(.*?)```", README, flags=re.DOTALL)


def test_the_table_is_the_recorded_one(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["update_readme.py", "--check"])
    runpy.run_path(str(ROOT / "scripts" / "update_readme.py"), run_name="__main__")
    assert (ROOT / "README.md").read_text(encoding="utf-8") == README


@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_the_python_runs(code, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "block.py"
    script.write_text(code, encoding="utf-8")
    names = runpy.run_path(str(script))
    shown = capsys.readouterr().out
    assert shown
    if "memory" in names:  # the answers that its comments promise
        assert shown.splitlines()[:2] == ["I moved to Shanghai.", "I live in Beijing."]
        assert shown.splitlines()[2].startswith("My cat is called Biscuit. 2022-03-01")
    if "ranking" in names:  # the first turn shown answers the question
        assert "Bergen" in shown.splitlines()[0]
    if "walk" in names:  # the two queries really walk differently
        scores = names["pagerank"](names["walk"], names["restart"]).scores
        assert (scores[:, 0] - scores[:, 1]).abs().max() > 0.01


def test_the_example_of_own_conversations_is_read(tmp_path):
    from memorai import load_dataset

    path = tmp_path / "chats.jsonl"
    path.write_text(JSON_LINES[0], encoding="utf-8")
    dataset = load_dataset("jsonl", f"dataset.path={path}")
    assert dataset.counts["turns"] == 2 and dataset.counts["scored"] == 1
    assert dataset.notes == ()
