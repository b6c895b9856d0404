from __future__ import annotations

import numpy as np
import pytest

from memorai.report.gate import gate_rows, gate_table
from memorai.report.render import to_markdown

# two conversations of ten turns; the evidence of the first stands at places 0 and 9 by score, of the second at 8 and 9
SCORES = np.tile(np.linspace(0.05, 0.95, 10), 2)
GOLD = np.zeros(20, bool)
GOLD[[0, 9, 18, 19]] = True
GROUP = np.repeat([0, 1], 10)


def rows(n_resamples: int = 50):
    options = {"dataset": "toy", "protocol": "loco", "system": "learned", "seed": 0, "n_resamples": n_resamples}
    return gate_rows(SCORES, SCORES >= 0.3, GOLD, GROUP, **options)


def test_values_by_hand():
    value = {(row.metric, row.k): row.value for row in rows()}
    for k in (10, 20, 30, 40, 50):
        assert value["evidence_fnr", k] == pytest.approx(0.25)
    assert value["keep_rate", None] == pytest.approx(0.7)
    assert value["recall", None] == pytest.approx(3 / 4)
    assert value["precision", None] == pytest.approx(3 / 14)
    # every positive against every of the 16 negatives, ties half
    positives, negatives = SCORES[GOLD], SCORES[~GOLD]
    pairs = np.mean([(p > n) + 0.5 * (p == n) for p in positives for n in negatives])
    assert value["auc_evidence", None] == pytest.approx(pairs)


def test_intervals_come_from_conversations():
    found = {(row.metric, row.k): row for row in rows(200)}["evidence_fnr", 30]
    # a resample holds the first conversation twice, once or never: 1/2, 1/4 or 0 of the evidence is lost
    assert (found.lo, found.hi, found.n) == (0.0, 0.5, 20)
    assert all(row.lo is None for row in rows(0))


def test_a_gate_of_two_scores_has_only_decisions():
    options = {"dataset": "toy", "protocol": "untrained", "system": "rules", "n_resamples": 0}
    found = gate_rows((SCORES > 0.3).astype(float), SCORES > 0.3, GOLD, GROUP, **options)
    assert {row.metric for row in found} == {"keep_rate", "precision", "recall", "f1"}


def test_the_table_has_a_line_a_gate():
    text = to_markdown(gate_table(rows()))
    assert "evidence_fnr@30" in text
    assert sum("learned" in line for line in text.splitlines()) == 1
