from __future__ import annotations

import math

import pytest
import torch

from memorai.retrieval.transforms import Clip, Floor, MinMax, Shift, Softmax, SoftmaxZ

COSINES = torch.tensor([[-0.5], [0.0], [1.0]], dtype=torch.float64)


def test_values_by_hand():
    assert Clip()(COSINES).flatten().tolist() == [0, 0, 1]
    assert Floor(0.1)(COSINES).flatten().tolist() == [0.1, 0.1, 1]
    assert Shift()(COSINES).flatten().tolist() == [0.25, 0.5, 1]
    assert Softmax(0.5)(COSINES).flatten().tolist() == pytest.approx([math.exp(-3), math.exp(-2), 1])
    assert MinMax()(COSINES).flatten().tolist() == pytest.approx([0, 1 / 3, 1])
    assert MinMax()(torch.ones(2, 1)).flatten().tolist() == [1, 1]


def test_softmax_of_z_scores_ignores_scale_and_shift():
    assert torch.allclose(SoftmaxZ(0.7)(COSINES), SoftmaxZ(0.7)(COSINES * 100 + 3))


@pytest.mark.parametrize("transform", [Clip(), Floor(), Shift(), Softmax(), SoftmaxZ(), MinMax()])
def test_empty_and_extreme_scores_give_finite_weights(transform):
    assert transform(torch.zeros(0, 2, dtype=torch.float64)).shape == (0, 2)
    weights = transform(torch.tensor([[-1e6], [1e6], [0.0]], dtype=torch.float64))
    assert torch.isfinite(weights).all() and (weights >= 0).all()


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="temperature=0"):
        Softmax(0)
    with pytest.raises(ValueError, match="floor=-1"):
        Floor(-1)
