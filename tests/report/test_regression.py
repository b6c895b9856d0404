from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.report.__main__ import main
from memorai.report.regression import falls
from memorai.report.results import Results, Row

ROW = Row("mine", "untrained", "bm25", "", 0, "weighted", "ndcg", "turn", 10, 0.5, 0.4, 0.6, 9)
DATA = {"name": "mine", "version": "1", "sha256": "0" * 64}


def results(*rows: Row, sha: str = "0" * 64) -> Results:
    return Results({"data": {**DATA, "sha256": sha}}, rows)


def test_only_a_fall_below_the_interval_counts():
    base = results(ROW)
    assert falls(base, results(replace(ROW, value=0.4))) == []
    assert falls(base, results(replace(ROW, value=0.9), replace(ROW, system="new"))) == []
    assert falls(base, results(replace(ROW, value=0.399, protocol="within")))[0].now.value == 0.399
    assert falls(results(replace(ROW, lo=None)), results(replace(ROW, value=0.499)))


def test_a_missing_row_is_a_fall():
    (fall,) = falls(results(ROW), results(replace(ROW, system="dense")))
    assert fall.now is None and "bm25" in str(fall) and "missing" in str(fall)


def test_other_data_is_no_comparison():
    with pytest.raises(InputError, match="different files"):
        falls(results(ROW), results(ROW, sha="1" * 64))
    with pytest.raises(InputError, match="share no data set"):
        falls(results(ROW), Results({"data": {**DATA, "name": "other"}}, (ROW,)))


@pytest.mark.parametrize(("value", "code"), [(0.45, 0), (0.3, 1)])
def test_the_command_exits_1_when_a_value_fell(tmp_path, capsys, value, code):
    base = results(ROW).write(tmp_path / "base")
    run = results(replace(ROW, value=value)).write(tmp_path / "run")
    assert main(["--baseline", str(base), str(run)]) == code
    shown = capsys.readouterr()
    assert ("worse: mine bm25 weighted: turn ndcg@10 fell from 50.0 to 30.0" in shown.err) == bool(code)


def test_a_missing_baseline_is_an_error(tmp_path):
    run = results(ROW).write(tmp_path / "run")
    assert main(["--baseline", str(tmp_path / "none"), str(run)]) == 2
