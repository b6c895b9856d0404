from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.report.dashboard.data import Runs, dashboard, read
from memorai.report.results import FILE_NAME, Results, Row
from tests.report.dashboard.made_runs import CATEGORIES, DATA, manifest, rows_of, sweep, value_of

ROOT = Path(__file__).resolve().parents[3]
RECORDED = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "experiments").rglob(FILE_NAME))


@pytest.fixture
def shown(tmp_path):
    return dashboard(read([sweep(tmp_path / "sweep")]))


def values(shown: dict, line: dict) -> set[tuple]:
    """The cells of a line as the rows of results.json have them."""
    found = set()
    for m, c, *numbers in line["cells"]:
        measure = shown["measures"][m]
        found.add((shown["categories"][c], measure["metric"], measure["unit"], measure["k"], *numbers))
    return found


def told(row: Row) -> tuple:
    return row.category, row.metric, row.unit, row.k, row.value, row.lo, row.hi, row.n


def test_the_lines_are_the_rows_of_the_runs(shown):
    assert shown["runs"] == ["0", "1"] and shown["datasets"] == ["demo"]
    lines = {(line["system"], line["variant"]): line for line in shown["lines"]}
    assert list(lines) == [
        ("memorai", "damping=0.3"), ("bm25", ""), ("oracle", ""), ("memorai", "damping=0.7"),
    ]  # fmt: skip
    for (system, variant), line in lines.items():
        rows = [row for row in rows_of(variant[-3:] or "0.3") if row.system == system]
        assert values(shown, line) == {told(row) for row in rows} and len(line["cells"]) == 16
    assert [line["runs"] for line in lines.values()] == [[0], [0, 1], [0, 1], [1]]
    assert [line["ceiling"] for line in lines.values()] == [False, False, True, False]
    assert lines["memorai", "damping=0.7"]["swept"] == {"damping": "0.7"}
    assert lines["memorai", "damping=0.3"]["parts"] == "embedder mini"


def test_a_value_can_be_found_by_hand(shown):
    measure = next(i for i, m in enumerate(shown["measures"]) if m["name"] == "turn R@1")
    cell = next(c for c in shown["lines"][0]["cells"] if c[:2] == [measure, shown["categories"].index("多跳")])
    # memorai at 0.3 has 0.41; second measure: 0.01 less; fourth category: 0.003 less, and 40 - 3 questions
    assert cell[2:] == [0.397, 0.377, 0.427, 37] == [value_of("memorai", "0.3", 1, 3), 0.377, 0.427, 37]


def test_measures_and_categories_come_in_the_order_of_the_tables(shown):
    assert [m["name"] for m in shown["measures"]] == ["turn nDCG@10", "turn R@1", "turn R@10", "session nDCG@10"]
    assert {m["scale"] for m in shown["measures"]} == {100}
    assert tuple(shown["categories"]) == CATEGORIES


def test_a_metric_that_is_no_share_keeps_its_scale(tmp_path):
    row = replace(rows_of("0.3")[0], metric="ms_build", k=None, value=1244.0, lo=None, hi=None)
    Results(manifest(0.3), [row]).write(tmp_path)
    assert dashboard(read([tmp_path]))["measures"][0]["scale"] == 1


def test_timings_and_costs_name_their_run(shown):
    assert shown["timings"] == [
        [0, "memorai", "retrieve", 9.5, 1234.567, 40],
        [1, "memorai", "retrieve", 10.5, 1234.567, 40],
    ]
    assert shown["costs"] == [
        [0, "memorai", "gate", 100, 123456, 9, 3, 2.5, 1],
        [1, "memorai", "gate", 101, 123456, 9, 3, 2.5, 1],
    ]


def test_failures_and_jobs_without_results_are_named(shown):
    assert shown["failures"] == [["1", "memorai", "c1", "ValueError: no"]]
    assert shown["unfinished"] == ["sweep/2"]


def test_missed_questions_stand_once_and_without_text(shown):
    missed = shown["missed"]
    assert [q["id"] for q in missed["questions"]] == ["q1", "q2"] and "text" not in missed["questions"][0]
    # in job 0 bm25 found q2; in job 1 nobody did
    assert missed["runs"] == {0: [0, 50.0, 0], 1: [0, 50.0, 0, 1, 0.0, -1]}
    assert missed["systems"] == ["memorai"] and missed["data"] == {0: "demo", 1: "demo"}


def test_missed_questions_are_quoted_where_asked(tmp_path):
    runs = read([sweep(tmp_path)])
    questions = dashboard(runs, {(DATA["sha256"], "q1"): ("What?", "Tea")})["missed"]["questions"]
    assert questions[0] == {
        "dataset": "demo", "id": "q1", "category": "easy", "gold": 2, "text": "What?", "answer": "Tea",
    }  # fmt: skip
    assert "text" not in questions[1]


def test_the_configurations_differ_in_what_was_swept(shown):
    assert shown["config"] == {"runs": ["0", "1"], "rows": [("systems.memorai.damping", ["0.3", "0.7"])]}


def test_provenance_has_what_a_reader_needs_to_run_it_again(shown):
    assert shown["provenance"][0] == {
        "run": "0",
        "command": "python -m memorai.eval systems.memorai.damping=0.3",
        "git_sha": "abc",
        "started": "2026-01-02T03:04:05+00:00",
        "seed": 0,
        "seconds": 1.5,
        "data_name": "demo",
        "data_version": "1",
        "data_sha256": "0" * 64,
        "hardware": "cores 2, cuda a, b",
        "packages": "python 3.11",
    }


def test_a_file_from_elsewhere_shows_no_path_and_no_secret(tmp_path):
    rows = rows_of("0.3")
    for name in ("a", "b"):
        config = {"path": f"/srv/somebody/{name}", "api_key": f"sk-{name}", "v": name}
        failures = [{"system": "x", "conversation": "c", "error": "no /srv/somebody/file"}]
        described = manifest(0.3, config=config, command="python /srv/somebody/x.py api_key=sk-1", failures=failures)
        Results(described, rows).write(tmp_path / name)
    text = json.dumps(dashboard(read([tmp_path])))
    assert "somebody" not in text and "sk-" not in text and '["v"' in text


def test_results_that_were_merged_show_the_runs_in_them(tmp_path):
    inner = [{"name": name, **manifest(damping)} for name, damping in (("x", 0.3), ("y", 0.7))]
    Results({"runs": inner, "notes": []}, rows_of("0.3")).write(tmp_path / "both")
    shown = dashboard(read([tmp_path / "both"]))
    assert [entry["run"] for entry in shown["provenance"]] == ["both/x", "both/y"]
    assert shown["config"]["rows"] == [("systems.memorai.damping", ["0.3", "0.7"])]


def test_lines_that_clash_are_told_apart_by_run_which_is_no_parameter(tmp_path):
    for name, change in (("a", 0.0), ("b", 0.05)):
        rows = [replace(row, value=row.value - change) for row in rows_of("0.3") if row.system == "bm25"]
        Results(manifest(0.3), rows).write(tmp_path / name)
    lines = dashboard(read([tmp_path]))["lines"]
    assert [(line["variant"], line["swept"], line["runs"]) for line in lines] == [
        ("run=a", {}, [0]),
        ("run=b", {}, [1]),
    ]


def test_runs_on_different_files_are_refused(tmp_path):
    for name in "ab":
        described = manifest(0.3, data=DATA | {"sha256": name * 64})
        Results(described, rows_of("0.3")).write(tmp_path / name)
    with pytest.raises(InputError, match="different files"):
        dashboard(read([tmp_path]))


@pytest.mark.parametrize("path", RECORDED)
def test_every_recorded_experiment_can_be_shown(path):
    try:
        results = Results.read(ROOT / path)
    except InputError:
        pytest.skip("of another form: a benchmark")
    if not results.rows:
        pytest.skip("no rows")
    shown = dashboard(Runs([("run", results)]))
    cells = [cell for line in shown["lines"] for cell in values(shown, line)]
    assert sorted(map(repr, cells)) == sorted(repr(told(row)) for row in results.rows)
