from __future__ import annotations

import json

import pytest

from memorai.errors import InputError
from memorai.report.dashboard.data import dashboard, read
from memorai.report.dashboard.html import render, write_dashboard
from memorai.report.results import Results
from tests.report.dashboard.made_runs import HOSTILE, hostile, manifest, rows_of, sweep
from tests.report.html_tags import Tags


def test_the_page_holds_the_data(tmp_path):
    folder = sweep(tmp_path / "sweep")
    shown = json.loads(Tags(write_dashboard(tmp_path / "new" / "a.html", [folder]).read_text(encoding="utf-8")).data)
    assert shown.pop("title") == "memorai: 2 runs"
    assert shown == json.loads(json.dumps(dashboard(read([folder]))))


def test_the_same_runs_give_the_same_file(tmp_path):
    folder = sweep(tmp_path / "sweep")
    assert render(read([folder])) == render(read([folder]))


def test_hostile_names_become_no_element(tmp_path):
    page = render(read([hostile(tmp_path)]))
    tags = Tags(page)
    assert tags.names.count("script") == 6 and "img" not in tags.names
    assert json.loads(tags.data)["lines"][0]["system"] == HOSTILE and "<img" not in page


def test_a_hostile_run_name_is_text_in_the_title(tmp_path):
    Results(manifest(0.3), rows_of("0.3")).write(tmp_path / "<b>&")
    page = render(read([tmp_path / "<b>&"]))
    assert "<title>memorai: &lt;b&gt;&amp;</title>" in page and "b" not in Tags(page).names


def test_a_sweep_of_sixty_jobs_stays_small(tmp_path):
    for job in range(60):
        Results(manifest(job / 100), rows_of("0.3")).write(tmp_path / str(job))
    path = write_dashboard(tmp_path / "a.html", [tmp_path])
    assert path.stat().st_size < 1_000_000  # a baseline that every job repeats is kept once


def test_quoting_needs_the_data_itself(tmp_path):
    with pytest.raises(InputError, match=r"demo is not the data of the runs \(sha256\)"):
        write_dashboard(tmp_path / "a.html", [sweep(tmp_path / "sweep")], quote=True)
    assert not (tmp_path / "a.html").exists()
