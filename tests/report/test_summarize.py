import pytest

from memorai.report.summarize import summarize

SCORES = [
    [("ndcg", "turn", 10, 1.0), ("ndcg", "session", 10, 1.0)],
    [("ndcg", "turn", 10, 0.0)],
    [("ndcg", "turn", 10, 0.5)],
]


def _summarize(**changes):
    arguments = {"dataset": "d", "protocol": "zero_shot", "system": "s", "variant": "damping=0.3", "seed": 1}
    return summarize(SCORES, ["a", "b", "a"], ["x", "y", "y"], **{**arguments, **changes})


def test_rows_by_hand():
    rows = {(row.unit, row.category): row for row in _summarize(order=["b", "a"])}
    assert list(rows)[:4] == [("turn", "b"), ("turn", "a"), ("turn", "macro"), ("turn", "weighted")]
    assert (rows["turn", "a"].value, rows["turn", "b"].value) == (0.75, 0.0)
    assert (rows["turn", "macro"].value, rows["turn", "weighted"].value) == (0.375, 0.5)
    assert (rows["turn", "weighted"].n, rows["session", "weighted"].n) == (3, 1)
    row = rows["turn", "macro"]
    assert (row.dataset, row.protocol, row.system, row.variant, row.seed) == ("d", "zero_shot", "s", "damping=0.3", 1)
    assert (row.metric, row.k) == ("ndcg", 10)
    assert row.lo <= row.value <= row.hi


def test_no_resamples_no_intervals():
    assert all(row.lo is None and row.hi is None for row in _summarize(n_resamples=0))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="lengths differ"):
        summarize(SCORES, ["a"], ["x"], dataset="d", protocol="p", system="s")
