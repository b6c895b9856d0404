from __future__ import annotations

import pytest

from memorai.report.compare import Scored, comparison, mean_scored


def scored(*values):
    entries = tuple((("ndcg", "turn", 10, v), ("recall", "turn", 10, v / 2)) for v in values)
    return Scored(entries, tuple("ab"[i % 2] for i in range(len(values))), tuple(f"c{i}" for i in range(len(values))))


def test_means_are_per_question():
    mean = mean_scored([scored(0.0, 1.0, 0.5), scored(1.0, 1.0, 0.0)])
    assert mean.values("ndcg", "turn", 10) == [0.5, 1.0, 0.25]
    rows = mean.rows(dataset="d", protocol="loco", system="s", n_resamples=0)
    found = {(row.metric, row.category): row.value for row in rows}
    assert found["ndcg", "macro"] == pytest.approx((0.375 + 1) / 2)
    assert found["recall", "weighted"] == pytest.approx((0.5 + 1 + 0.25) / 6, abs=1e-6)


def test_differences_and_adjusted_p_values():
    ours, other = scored(*[1.0] * 8), scored(*[0.0] * 8)
    table = comparison("ours", ours, {"other": other, "same": ours})
    assert [line.labels for line in table.lines] == [("other",), ("same",)]
    first, second = ([cell.value for cell in line.cells] for line in table.lines)
    assert first[:4] == [100, 100, 50, 50] and second == [0] * 4 + [100] * 4
    # 8 conversations: the smallest p is 2 / 256, of 8 tests
    assert first[4] == pytest.approx(100 * 8 * 2 / 256)
