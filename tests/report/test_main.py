from dataclasses import replace

import pytest

from memorai.datasets.locomo import OFFICIAL_SHA256
from memorai.report.__main__ import main
from memorai.report.results import Results, Row

ROW = Row("locomo_lmeb", "zero_shot", "memorai", "", None, "macro", "ndcg", "turn", 10, 0.5, 0.4, 0.6, 20)


def test_runs_become_one_table(tmp_path, capsys):
    manifest = {"data": {"name": "locomo_lmeb", "version": "v", "sha256": OFFICIAL_SHA256}}
    for job, damping in enumerate((0.3, 0.5)):
        Results(manifest, [replace(ROW, variant=f"damping={damping}")]).write(tmp_path / "sweep" / str(job))
    out = tmp_path / "out"
    assert main([str(tmp_path / "sweep"), "--out", str(out), "--published", "best"]) == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "sweep_damping.png",
        "sweep_damping.svg",
        "table.csv",
        "table.md",
        "table.tex",
    ]
    text = (out / "table.md").read_text(encoding="utf-8")
    assert "damping=0.3" in text and "damping=0.5" in text and "Nemotron" in text and "published" in text
    assert "wrote" in capsys.readouterr().out


def test_published_rows_can_be_left_out(tmp_path):
    Results(rows=[ROW]).write(tmp_path)
    assert main([str(tmp_path), "--out", str(tmp_path), "--published"]) == 0
    assert "published" not in (tmp_path / "table.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [None, "{broken", '{"manifest": {}, "rows": [1]}'])
def test_errors_are_one_line_and_status_two(tmp_path, capsys, content):
    path = tmp_path / "results.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and str(path) in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_unknown_published_model_is_an_error(tmp_path, capsys):
    Results(rows=[ROW]).write(tmp_path)
    assert main([str(tmp_path), "--out", str(tmp_path), "--published", "nobody"]) == 2
    assert "no model 'nobody'" in capsys.readouterr().err


def test_a_run_without_rows_is_an_error(tmp_path, capsys):
    Results().write(tmp_path)
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "rows is empty" in capsys.readouterr().err and not (tmp_path / "out").exists()
