from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.report.merge import find_runs, merge, read_runs
from memorai.report.results import Cost, Results, Row, Timing

ROW = Row("locomo", "zero_shot", "bm25", "", None, "macro", "ndcg", "turn", 10, 0.5, 0.25, 0.75, 20)


def _run(*rows, sha256="1", systems=(), **manifest):
    data = {"name": "locomo", "version": "v", "sha256": sha256}
    return Results({"data": data, "systems": list(systems), **manifest}, rows, [Timing("s", "t", 1, 2, 3)], [])


def test_a_baseline_that_every_run_repeats_stands_once():
    swept = [replace(ROW, system="memorai", variant=f"damping={d}") for d in (0.3, 0.5)]
    merged = merge([("0", _run(ROW, swept[0])), ("1", _run(ROW, swept[1]))])
    assert merged.rows == (ROW, *swept)
    assert [run["name"] for run in merged.manifest["runs"]] == ["0", "1"]
    assert len(merged.timings) == 2


def test_runs_that_disagree_are_told_apart():
    other, swept = replace(ROW, value=0.6), replace(ROW, variant="damping=0.5")
    merged = merge([("a", _run(ROW, swept)), ("b", _run(other, replace(swept, value=0.1)))])
    assert [(row.variant, row.value) for row in merged.rows] == [
        ("run=a", 0.5),
        ("damping=0.5,run=a", 0.5),
        ("run=b", 0.6),
        ("damping=0.5,run=b", 0.1),
    ]


def test_labels_follow_their_variant_and_merges_can_be_merged():
    runs = [
        (name, _run(replace(ROW, variant=f"embedder={name}"), systems=[{"system": "bm25", "embedder": name}]))
        for name in "xy"
    ]
    expected = [{"system": "bm25", "variant": f"embedder={name}", "embedder": name} for name in "xy"]
    merged = merge(runs)
    assert merged.manifest["systems"] == expected
    assert merge([("m", merged)]).manifest["systems"] == expected


def test_notes_and_categories_are_united_in_order():
    first = _run(ROW, notes=["n1"], categories=[{"name": "b", "id": "1"}])
    second = _run(ROW, notes=["n1", "n2"], categories=[{"name": "b", "id": "1"}, {"name": "a", "id": "2"}])
    manifest = merge([("0", first), ("1", second)]).manifest
    assert manifest["notes"] == ["n1", "n2"]
    assert [entry["name"] for entry in manifest["categories"]] == ["b", "a"]


def test_different_data_are_not_mixed():
    with pytest.raises(InputError, match="runs a and b measured locomo on different files"):
        merge([("a", _run(ROW, sha256="1")), ("b", _run(ROW, sha256="2"))])


def test_runs_are_found_in_the_order_of_job_numbers(tmp_path):
    for job in ("10", "9", "x"):
        _run(ROW).write(tmp_path / job)
    assert [path.parent.name for path in find_runs(tmp_path)] == ["9", "10", "x"]
    assert find_runs(tmp_path / "9") == find_runs(tmp_path / "9" / "results.json")
    assert [name for name, _ in read_runs([tmp_path, tmp_path / "9"])] == ["9", "10", "x"]


def test_names_grow_until_they_differ(tmp_path):
    for folder in ("a/run", "b/run"):
        _run(ROW).write(tmp_path / folder)
    assert [name for name, _ in read_runs([tmp_path / "b/run", tmp_path / "a/run"])] == ["b/run", "a/run"]


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match=r"no results\.json in or below it"):
        find_runs(tmp_path)
    with pytest.raises(InputError, match=r"no results\.json"):
        find_runs(tmp_path / "missing")


def test_costs_are_kept():
    cost = Cost("memorai", "extract", 1, 2, 3, 0)
    run = replace(_run(ROW), costs=[cost])
    assert merge([("a", run)]).costs == merge([("a", run), ("b", _run(ROW))]).costs == (cost,)
    both = merge([("a", run), ("b", run)]).costs
    assert both == (replace(cost, system="memorai run=a"), replace(cost, system="memorai run=b"))


def test_rows_of_one_run_that_contradict_each_other_are_refused():
    with pytest.raises(InputError, match=r"two rows differ on locomo bm25 macro turn ndcg@10 \(0\.5 and 0\.6"):
        merge([("a", _run(ROW, replace(ROW, value=0.6)))])
    assert merge([("a", _run(ROW, ROW))]).rows == (ROW,)


def test_a_run_without_rows_is_named(tmp_path):
    path = _run().write(tmp_path)
    with pytest.raises(InputError, match="rows is empty") as caught:
        read_runs([tmp_path])
    assert str(caught.value).startswith(str(path))
