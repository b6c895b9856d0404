from __future__ import annotations

import json

import pytest

from memorai.errors import InputError
from memorai.report.comparison import check_compare, write_comparison
from memorai.report.run import rows_of
from tests.report.comparing import DATASET, GOOD, POOR

SETTINGS = {
    "baseline": "poor",
    "measures": [{"metric": "recall", "unit": "turn", "k": 1}],
    "failures_of": ["poor"],
    "per_category": 2,
    "quote": True,
}


def test_everything_a_comparison_writes(tmp_path):
    rows = [row for o in (GOOD, POOR) for row in rows_of(DATASET, o, [1, 10], n_resamples=10)]
    paths = write_comparison(tmp_path, DATASET, [GOOD, POOR], rows, [1, 10], SETTINGS, 10)
    assert all(path.stat().st_size for path in paths)
    assert {path.suffix for path in paths} == {".md", ".json", ".png", ".svg"}
    text = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    for title in ("Against poor", "by word overlap", "by difficulty", "What it costs"):
        assert title in text
    record = json.loads((tmp_path / "comparison.json").read_text(encoding="utf-8"))
    assert [(v["system"], v["category"], v["wins"]) for v in record["versus"]] == [
        ("good", "macro", 3),
        ("good", "weighted", 3),
    ]
    assert record["overlap"]["a:q0"] == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"baseline": "best"}, "compare.baseline=best"),
        ({"failures_of": ["best"]}, "compare.failures_of=best"),
        ({"measures": []}, "measures is empty"),
        ({"measures": [{"metric": "recall"}]}, "each is {metric, unit, k}"),
        ({"measures": [{"metric": "luck", "unit": "turn", "k": 1}]}, "is not computed"),
        ({"measures": [{"metric": "recall", "unit": "turn", "k": 7}]}, "is not computed"),
        ({"colour": "red"}, "give exactly"),
    ],
)
def test_bad_settings(change, says):
    assert check_compare(SETTINGS, ["good", "poor"], [1, 10]) == SETTINGS
    with pytest.raises(InputError, match=says):
        check_compare({**SETTINGS, **change}, ["good", "poor"], [1, 10])


def test_no_comparison_is_none():
    assert check_compare(None, [], []) is None


def test_id_sets_must_match(tmp_path):
    from memorai.harness.run import Outcome

    fewer = Outcome("fewer", dict(list(GOOD.rankings.items())[:3]))
    with pytest.raises(ValueError, match="different questions"):
        write_comparison(tmp_path, DATASET, [POOR, fewer], [], [1, 10], SETTINGS, 0)
