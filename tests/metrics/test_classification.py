from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.metrics.classification import auc, brier, expected_calibration_error, precision_recall_f1


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=30))
def test_auc_is_the_share_of_pairs_in_order(pairs):
    scores, gold = [float(s) for s, _ in pairs], [g for _, g in pairs]
    positive = [s for s, g in pairs if g]
    negative = [s for s, g in pairs if not g]
    if not positive or not negative:
        with pytest.raises(ValueError, match="both classes"):
            auc(scores, gold)
        return
    won = [(p > n) + 0.5 * (p == n) for p in positive for n in negative]
    assert auc(scores, gold) == pytest.approx(np.mean(won))


def test_brier_and_calibration_by_hand():
    assert brier([0.0, 0.5, 1.0], [False, True, True]) == pytest.approx(0.25 / 3)
    # bin [0.2, 0.3): mean 0.2, one of two positive, gap 0.3; bin [0.9, 1]: mean 0.95, both positive, gap 0.05
    ece = expected_calibration_error([0.2, 0.2, 0.9, 1.0], [True, False, True, True])
    assert ece == pytest.approx((2 * 0.3 + 2 * 0.05) / 4)


def test_decisions_by_hand():
    assert precision_recall_f1([True, True, False], [True, False, True]) == (0.5, 0.5, 0.5)
    assert precision_recall_f1([False, False], [True, False]) == (0.0, 0.0, 0.0)
    assert precision_recall_f1([True], [False]) == (0.0, 0.0, 0.0)
