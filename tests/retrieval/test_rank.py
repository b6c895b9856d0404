from __future__ import annotations

import pytest
import torch

from memorai.retrieval.rank import rank
from memorai.retrieval.retrievers import Retrieved
from tests.toys import toy_view


def ranked(*scores: float, k: int = 5):
    view = toy_view()
    return rank(view, Retrieved(torch.tensor(scores, dtype=torch.float64)[:, None], [{}]), k)[0]


def test_best_first_and_ties_to_the_earlier_turn():
    found = ranked(0.1, 0.5, 0.5, 0.9, 0.1)
    assert found.ids == ("t4", "t2", "t3", "t1", "t5")
    assert found.scores == (0.9, 0.5, 0.5, 0.1, 0.1)
    assert ranked(0.1, 0.5, 0.5, 0.9, 0.1, k=2).ids == ("t4", "t2")


def test_what_the_subgraph_does_not_reach_is_not_retrieved():
    assert ranked(0.1, float("-inf"), 0.2, float("-inf"), 0.0).ids == ("t3", "t1", "t5")


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_an_error_not_a_lost_turn(bad):
    with pytest.raises(ValueError, match="score of turn 1 for query q0 is"):
        ranked(0.1, bad, 0.2, 0.3, 0.4)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_is_a_whole_number_of_at_least_one(k):
    with pytest.raises(ValueError, match="k="):
        ranked(1, 2, 3, 4, 5, k=k)
