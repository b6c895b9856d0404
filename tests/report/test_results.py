import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.report.results import PROTOCOLS, Cost, Results, Row, Timing

ROW = Row("locomo", "zero_shot", "bm25", "", None, "macro", "ndcg", "turn", 10, 0.5, 0.25, 0.75, 20)
RESULTS = Results(
    manifest={"command": "python -m memorai.eval", "seed": 0, "data": {"name": "locomo"}},
    rows=(ROW, replace(ROW, system="a", seed=3, k=None, lo=None, hi=None)),
    timings=(Timing("bm25", "search", 1.5, 2.25, 7),),
    costs=(Cost("memorai", "extract", 3, 100, 20, 1),),
)


def test_round_trip_through_a_folder_and_a_file(tmp_path):
    path = RESULTS.write(tmp_path / "run")
    assert path == tmp_path / "run" / "results.json"
    back = Results.read(path)
    assert back == Results.read(path.parent)
    assert back.manifest == RESULTS.manifest
    assert back.rows == (RESULTS.rows[1], ROW)  # sorted: system "a" first
    assert (back.timings, back.costs) == (RESULTS.timings, RESULTS.costs)


def test_an_empty_result_is_valid(tmp_path):
    assert Results.read(Results().write(tmp_path)) == Results(manifest={}, rows=(), timings=(), costs=())


texts = st.text(st.characters(codec="utf-8"), max_size=8)
rows = st.builds(
    Row,
    dataset=texts,
    protocol=st.sampled_from(PROTOCOLS),
    system=texts,
    variant=texts,
    seed=st.none() | st.integers(0, 9),
    category=texts,
    metric=texts,
    unit=texts,
    k=st.none() | st.integers(1, 50),
    value=st.floats(0, 1),
    lo=st.none() | st.floats(0, 1),
    hi=st.none() | st.floats(0, 1),
    n=st.integers(0, 2000),
)


IDENTITY = ("dataset", "protocol", "system", "variant", "seed", "category", "metric", "unit", "k")


@given(st.lists(rows, unique_by=lambda row: tuple(getattr(row, name) for name in IDENTITY), max_size=5), st.randoms())
def test_the_bytes_do_not_depend_on_the_order_of_rows(tmp_path_factory, some, random):
    folder = tmp_path_factory.mktemp("results")
    first = Results(rows=some).write(folder).read_bytes()
    shuffled = list(some)
    random.shuffle(shuffled)
    assert Results(rows=shuffled).write(folder).read_bytes() == first
    rounded = {
        replace(row, value=round(row.value, 6), lo=row.lo and round(row.lo, 6), hi=row.hi and round(row.hi, 6))
        for row in some
    }
    assert set(Results.read(folder).rows) == rounded


def test_floats_have_six_decimals_and_rows_one_line(tmp_path):
    text = Results(rows=[replace(ROW, value=1 / 3), ROW]).write(tmp_path).read_text(encoding="utf-8")
    assert sum('"value": 0.333333,' in line and '"metric": "ndcg"' in line for line in text.splitlines()) == 1


@pytest.mark.parametrize("name", ["value", "lo", "hi"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_row_is_finite(name, number):
    with pytest.raises(ValueError, match=f"{name} of bm25 macro ndcg@10 is"):
        replace(ROW, **{name: number})


GOOD = {name: getattr(ROW, name) for name in Row.__dataclass_fields__}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{not json", "cannot be read as JSON"),
        ("[]", "no manifest"),
        ('{"manifest": {}, "rows": {}}', "rows is not a list"),
        (json.dumps({"manifest": {}, "rows": [{"dataset": "x"}]}), r"rows\[0\] must have exactly the keys"),
        (json.dumps({"manifest": {}, "rows": [GOOD, {**GOOD, "n": "20"}]}), r"rows\[1\]\.n must be int, not '20'"),
        (json.dumps({"manifest": {}, "rows": [{**GOOD, "value": None}]}), r"rows\[0\]\.value must be float"),
        (json.dumps({"manifest": {}, "rows": [{**GOOD, "k": True}]}), r"rows\[0\]\.k must be int \| None"),
        (json.dumps({"manifest": {}, "rows": [{**GOOD, "lo": float("nan")}]}), r"rows\[0\]: lo of bm25"),
        ('{"manifest": {"systems": ["bm25"]}}', "manifest.systems must be a list of objects with a system"),
        ('{"manifest": {"systems": [{"system": ["bm25"]}]}}', "manifest.systems must hold texts"),
        ('{"manifest": {"systems": [{"system": "bm25", "variant": [1]}]}}', "manifest.systems must hold texts"),
        ('{"manifest": {"categories": [{"name": null}]}}', "manifest.categories must hold texts"),
        ('{"manifest": {"categories": [{"name": "a", "id": 1}]}}', "manifest.categories must hold texts"),
        ('{"manifest": {"data": ["locomo"]}}', "manifest.data must be an object of texts"),
        ('{"manifest": {"data": {"name": ["locomo"]}}}', "manifest.data must be an object of texts"),
        ('{"manifest": {"notes": 5}}', "manifest.notes must be a list of texts"),
        ('{"manifest": {"notes": [5]}}', "manifest.notes must be a list of texts"),
        ('{"manifest": {"runs": 5}}', "manifest.runs must be a list of manifests"),
        ('{"manifest": {"runs": [{"notes": 5}]}}', "manifest.notes must be a list of texts"),
        ('{"manifest": ' + "[" * 100_000 + "]" * 100_000 + "}", "cannot be read as JSON"),
        ('{"manifest": {"notes": ["\\ud800"]}}', "cannot be read as JSON .*surrogates"),
        (json.dumps({"manifest": {}, "rows": [{**GOOD, "value": 10**400}]}), r"rows\[0\]: int too large"),
        (json.dumps({"manifest": {}, "rows": [{**GOOD, "protocol": "published"}]}), r"rows\[0\]\.protocol must be one"),
        (
            json.dumps({"manifest": {}, "rows": [GOOD, {**GOOD, "value": 0.7}]}),
            r"two rows differ on locomo bm25 macro turn ndcg@10 \(0\.5 and 0\.7",
        ),
        (json.dumps({"manifest": {}, "rows": [GOOD, {**GOOD, "n": 21}]}), "n 20 and 21"),
    ],
)
def test_corrupt_files_are_named_in_one_line(tmp_path, text, message):
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        Results.read(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "results.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        Results.read(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Results.read(tmp_path)
