from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.report.paper import check_paper, paper_table
from memorai.report.run import rows_of
from tests.report.comparing import DATASET, GOOD, POOR

PAPER = {"reference": "good", "settings": {"poor": "uniform weights"}}


def test_our_change_beside_theirs():
    dataset = replace(DATASET, name="locomo")
    rows = [row for o in (GOOD, POOR) for row in rows_of(dataset, o, [10], n_resamples=0)]
    good, poor = (line.labels for line in paper_table(dataset, [GOOD, POOR], rows, [10], PAPER).lines)
    assert good == ("good", "100.0", "–", "–", "full", "64.7", "–", "–")
    # three turns are all within the first ten; the paper loses 62.01 - 64.68
    assert poor == ("poor", "100.0", "+0.0", "1.000", "uniform weights", "62.0", "-2.7", "+2.7")


def test_a_data_set_of_which_the_paper_says_nothing():
    rows = [row for o in (GOOD, POOR) for row in rows_of(DATASET, o, [10], n_resamples=0)]
    lines = paper_table(DATASET, [GOOD, POOR], rows, [10], PAPER).lines
    assert [line.labels[5:] for line in lines] == [("–", "–", "–")] * 2


@pytest.mark.parametrize(
    ("paper", "says"),
    [
        ({"reference": "best", "settings": {}}, "paper.reference=best"),
        ({"reference": "good", "settings": {"good": "without sleep"}}, "without sleep"),
        ({"reference": "good"}, "give reference and settings"),
    ],
)
def test_bad_settings(paper, says):
    assert check_paper(PAPER, ["good", "poor"], [10]) == PAPER
    with pytest.raises(InputError, match=says):
        check_paper(paper, ["good", "poor"], [10])
    with pytest.raises(InputError, match="needs 10"):
        check_paper(PAPER, ["good", "poor"], [1])
