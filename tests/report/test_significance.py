from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.report.compare import scored_rows
from memorai.report.render import to_markdown
from memorai.report.significance import versus, versus_table
from memorai.report.tables import Measure
from tests.report.comparing import DATASET, GOOD, POOR

SCORED = {o.system: scored_rows(DATASET, o, [1, 3]) for o in (GOOD, POOR)}
R1 = Measure("recall", "turn", 1)


def test_wins_ties_losses_and_p_by_hand():
    macro, weighted = versus(SCORED, "poor", [R1])
    # good is right on all four, poor on a:q1 alone
    assert (weighted.system, weighted.difference) == ("good", pytest.approx(0.75))
    assert (weighted.wins, weighted.ties, weighted.losses) == (3, 1, 0)
    # two conversations, four sign flips, of which two are as extreme
    assert (weighted.p, weighted.p_holm, macro.difference) == (0.5, 0.5, pytest.approx(0.75))


def test_the_table_and_a_baseline_that_does_not_run():
    text = to_markdown(versus_table(versus(SCORED, "good", [R1]), "good"))
    assert "| poor | turn R@1 | weighted | -75.0 | 0.500 | 0.500 | 0 / 1 / 3 |" in text
    with pytest.raises(InputError, match="baseline=best is not among"):
        versus(SCORED, "best", [R1])


def test_different_questions_are_refused():
    other = {"good": SCORED["good"], "poor": scored_rows(DATASET, POOR, [1])}
    object.__setattr__(other["poor"], "clusters", ("a",))
    with pytest.raises(ValueError, match="different questions"):
        versus(other, "good", [R1])
