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


def run_in(folder):
    return str(Results(rows=[ROW]).write(folder).parent)


@pytest.mark.parametrize("named", [True, False])
def test_html_writes_one_page_and_no_tables(tmp_path, monkeypatch, capsys, named):
    monkeypatch.chdir(tmp_path)
    run = run_in(tmp_path / "run")
    given = ["--html", "deep/page.html", run] if named else [run, "--html", "--out", "there"]
    assert main(given) == 0
    page = tmp_path / ("deep/page.html" if named else "there/dashboard.html")
    assert "memorai: run" in page.read_text(encoding="utf-8") and "wrote" in capsys.readouterr().out
    assert sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file()) == [".html", ".json"]


def test_html_without_a_file_takes_no_run_for_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = run_in(tmp_path / "one"), run_in(tmp_path / "two") + "/results.json"
    before = (tmp_path / "two" / "results.json").read_bytes()
    assert main(["--html", two, one]) == 0
    assert (tmp_path / "two" / "results.json").read_bytes() == before
    assert "memorai: 2 runs" in (tmp_path / "dashboard.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--html", "a.html", "--history", "h.jsonl"], "--history"),
        (["--html", "a.html", "--baseline", "b.json"], "--baseline"),
        (["--html", "a.html", "--data", "d.jsonl"], "--data goes with --quote"),
        (["--quote"], "go with --html"),
        (["--html", "missing/page.html", "--data", "d.jsonl", "--quote"], "d.jsonl"),
    ],
)
def test_what_does_not_go_together_is_one_line(tmp_path, monkeypatch, capsys, given, message):
    monkeypatch.chdir(tmp_path)
    run = run_in(tmp_path / "run")
    assert main([run, *given]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("given", [["--html", "a.html"], ["--html"], []])
def test_no_run_is_an_error(capsys, given):
    with pytest.raises(SystemExit) as stop:
        main(given)
    assert stop.value.code == 2 and "name a run" in capsys.readouterr().err


def test_broken_predictions_are_named(tmp_path, capsys):
    run = run_in(tmp_path / "run")
    (tmp_path / "run" / "predictions.jsonl").write_text("{\n", encoding="utf-8")
    assert main([run, "--html", str(tmp_path / "a.html")]) == 2
    error = capsys.readouterr().err
    assert "predictions.jsonl:1" in error and error.count("\n") == 1 and not (tmp_path / "a.html").exists()
