import io
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from rich.console import Console

import memorai
from memorai.report.multirun import MergeCallback, merge_folder
from memorai.report.results import Results, Row

ROW = Row("demo", "zero_shot", "memorai", "", None, "macro", "ndcg", "turn", 10, 0.5, 0.4, 0.6, 20)

APP = """
    import hydra
    from dataclasses import replace
    from hydra.core.hydra_config import HydraConfig
    from memorai.report.results import Results, Row

    @hydra.main(version_base="1.3", config_path=None, config_name=None)
    def main(config):
        if config.damping == 0.9:
            raise RuntimeError("no such damping")
        row = Row("demo", "zero_shot", "memorai", f"damping={config.damping}", None, "macro", "ndcg", "turn", 10,
                  config.damping, None, None, 20)
        Results(rows=[row]).write(HydraConfig.get().runtime.output_dir)

    main()
"""


def _multirun(folder, values):
    (folder / "app.py").write_text(textwrap.dedent(APP), encoding="utf-8")
    overrides = [
        f"+damping={values}",
        "+hydra.callbacks.merge._target_=memorai.report.multirun.MergeCallback",
        "hydra.sweep.dir=sweep",
        "hydra.job.chdir=true",
    ]
    return subprocess.run(
        [sys.executable, "app.py", "-m", *overrides],
        cwd=folder,
        env={"PYTHONPATH": str(Path(memorai.__file__).parents[1]), "COLUMNS": "200", "PATH": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_hydra_merges_the_jobs_of_a_multirun(tmp_path):
    done = _multirun(tmp_path, "0.3,0.5")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "sweep").iterdir() if path.is_file()) == [
        "multirun.yaml",
        "sweep_damping.png",
        "sweep_damping.svg",
        "table.csv",
        "table.md",
        "table.tex",
    ]
    text = (tmp_path / "sweep" / "table.md").read_text(encoding="utf-8")
    assert "damping=0.3" in text and "damping=0.5" in text
    assert "wrote table.md" in done.stdout and "no results" not in done.stdout


def test_hydra_merges_what_it_can_when_a_job_fails(tmp_path):
    done = _multirun(tmp_path, "0.3,0.9,0.5")
    assert done.returncode != 0 and "no such damping" in done.stderr
    text = (tmp_path / "sweep" / "table.md").read_text(encoding="utf-8")
    assert "damping=0.3" in text and "damping=0.5" in text
    assert "no results from job 1" in done.stdout and "no results from job 0" not in done.stdout


def _merge(folder):
    stream = io.StringIO()
    written = merge_folder(folder, (), Console(file=stream, width=200))
    return [path.name for path in written], stream.getvalue()


def test_a_corrupt_job_is_named_and_left_out(tmp_path):
    Results(rows=[ROW]).write(tmp_path / "0")
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "results.json").write_text("{", encoding="utf-8")
    written, text = _merge(tmp_path)
    assert written == ["table.md", "table.tex", "table.csv"]
    assert "left out:" in text and "results.json: cannot be read" in text


def test_nothing_to_merge(tmp_path):
    (tmp_path / "0" / ".hydra").mkdir(parents=True)
    written, text = _merge(tmp_path)
    assert written == [] and "no results from job 0" in text and "nothing to merge" in text


def test_jobs_on_different_data_are_not_merged(tmp_path):
    for job in "01":
        Results({"data": {"name": "demo", "sha256": job}}, [replace(ROW, variant=f"a={job}")]).write(tmp_path / job)
    written, text = _merge(tmp_path)
    assert written == [] and "not merged" in text


def test_whatever_goes_wrong_in_the_merge_is_said(tmp_path, monkeypatch):
    def broken(*_):
        raise RuntimeError("no\nroom")

    monkeypatch.setattr("memorai.report.multirun.write_tables", broken)
    Results(rows=[ROW]).write(tmp_path / "0")
    written, text = _merge(tmp_path)
    assert written == [] and "not merged: RuntimeError: no room" in text


def test_a_multirun_without_a_merged_table_does_not_end_well(tmp_path):
    callback = MergeCallback((), Console(file=io.StringIO()))
    config = OmegaConf.create({"hydra": {"sweep": {"dir": str(tmp_path)}}})
    callback.on_multirun_start(config)
    with pytest.raises(SystemExit) as stop:
        callback.on_multirun_end(config)
    assert stop.value.code == 2
    Results(rows=[ROW]).write(tmp_path / "0")
    callback.on_multirun_end(config)
    assert (tmp_path / "table.md").is_file()
