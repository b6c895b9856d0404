import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "leakage.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("leakage_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(text, language):
    return text.lower().split()


def test_table(script, tmp_path, capsys):
    path = tmp_path / "own.jsonl"
    turn = {"conversation": "c", "speaker": "Ann", "text": "my red boat"}
    question = {"conversation": "c", "question": "red boat when why", "evidence": ["t1"], "category": "x"}
    path.write_text("\n".join(map(json.dumps, [turn, question])), encoding="utf-8")
    assert script.main(["jsonl", "--path", str(path)], words) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["x", "1", "0.500", "0.500", "0.000"]


@pytest.mark.parametrize("argv", [["jsonl"], ["demo", "--path", "x"], ["locomo", "--path", "missing.json"]])
def test_errors_are_one_line(script, argv, capsys):
    assert script.main(argv, words) == 2
    assert capsys.readouterr().err.startswith("error: ")
