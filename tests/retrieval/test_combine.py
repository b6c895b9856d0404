from __future__ import annotations

import pytest
import torch

from memorai.retrieval.combine import MinMaxSum, ScoreProduct
from tests.toys import toy_view


class Given:
    def __init__(self, *scores: float) -> None:
        self.scores = scores

    def score(self, view):
        return torch.tensor(self.scores, dtype=torch.float64)[:, None]


A, B = Given(0, 10, 5, 0, 0), Given(4, 0, 0, 2, 0)


def test_sum_on_one_scale():
    assert MinMaxSum([A, B]).score(toy_view())[:, 0].tolist() == [1, 1, 0.5, 0.5, 0]
    assert MinMaxSum([A, B], [1, 0]).score(toy_view())[:, 0].tolist() == [0, 1, 0.5, 0, 0]
    with pytest.raises(ValueError, match="1 weights for 2 scorers"):
        MinMaxSum([A, B], [1.0])


def test_product_leaves_its_parts_as_they_are():
    one = Given(1, 2, 3, 4, 5)
    assert ScoreProduct([one, A]).score(toy_view())[:, 0].tolist() == [0, 20, 15, 0, 0]
    with pytest.raises(ValueError, match="scorers is empty"):
        ScoreProduct([])
