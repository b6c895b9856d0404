"""The README's figures come from a recorded run, and its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
JSON_LINES = re.findall(r"```json\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = re.findall(r"^python -m memorai\.(?:eval|train) ([^\n#]*)", README, flags=re.MULTILINE)


def test_the_table_is_the_recorded_one():
    script = [sys.executable, str(ROOT / "scripts" / "update_readme.py"), "--check"]
    assert subprocess.run(script, cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_the_python_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})  # our own text
    assert capsys.readouterr().out


def test_the_example_of_own_conversations_is_read(tmp_path):
    from memorai import load_dataset

    path = tmp_path / "chats.jsonl"
    path.write_text(JSON_LINES[0], encoding="utf-8")
    dataset = load_dataset("jsonl", f"dataset.path={path}")
    assert dataset.counts["turns"] == 2 and dataset.counts["scored"] == 1
    assert dataset.notes == ()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_composes(command):
    from hydra import compose, initialize_config_dir

    from memorai.harness.load import conf_dir

    words = command.split()
    name = "train" if f"memorai.train {command}" in README else "eval"
    overrides = [word for word in words if word != "-m"]
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        assert compose(name, overrides).systems
