from __future__ import annotations

import math

import pytest
import torch

from memorai.learn.scorer import EvidenceScorer, lambda_loss, softmax_cross_entropy

INF = float("-inf")


def test_a_new_scorer_scores_all_alike_and_a_linear_one_is_a_dot_product():
    evidence = torch.randn(3, 4, 2)
    assert not EvidenceScorer(torch.zeros(2), torch.ones(2), hidden=8)(evidence).any()
    scorer = EvidenceScorer(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 1.0]))
    scorer.linear.weight.data = torch.tensor([[4.0, -1.0]])
    assert scorer(torch.tensor([[3.0, 2.0]])).tolist() == [4 * 1 - 2]


def test_softmax_cross_entropy_by_hand():
    scores = torch.tensor([[0.0, math.log(2.0), INF], [1.0, 1.0, 1.0]])
    gold = torch.tensor([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    assert float(softmax_cross_entropy(scores, gold)) == pytest.approx((math.log(1.5) + math.log(3)) / 2)
    assert float(softmax_cross_entropy(scores, torch.zeros(2, 3))) == 0


def test_lambda_loss_by_hand():
    # ranks: b (2.0), a (1.0, gold), c; swapping a and b gains 1 - 1/log2(3), a and c loses 1/log2(3) - 1/2
    loss = lambda_loss(torch.tensor([[1.0, 2.0, 0.0]]), torch.tensor([[1.0, 0.0, 0.0]]))
    second = 1 / math.log2(3)
    expected = (1 - second) * math.log1p(math.e) + (second - 0.5) * math.log1p(math.exp(-1))
    assert float(loss) == pytest.approx(expected, rel=1e-5)


def test_gradients_pull_gold_up():
    for loss in (softmax_cross_entropy, lambda_loss):
        scores = torch.tensor([[0.0, 1.0, INF]], requires_grad=True)
        loss(scores, torch.tensor([[1.0, 0.0, 0.0]])).backward()
        assert scores.grad[0, 0] < 0 < scores.grad[0, 1]
        assert torch.isfinite(scores.grad[0, :2]).all()
