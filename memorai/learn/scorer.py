"""Scorers of evidence, and the losses over a question's list of turns that they are trained with."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

Loss = Callable[[Tensor, Tensor], Tensor]


class EvidenceScorer(nn.Module):
    """Linear in the standardised evidence, plus one hidden layer if ``hidden`` > 0.

    The linear part starts at zero and the hidden part's last layer at zero, so that training starts from equal scores.

    Args:
        mean: [F] of the training candidates.
        scale: [F] their standard deviations.
        hidden: units; 0 = a linear model.
        dropout: of the hidden units in training.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, mean: Tensor, scale: Tensor, hidden: int = 0, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.linear = nn.Linear(len(mean), 1, bias=False)
        nn.init.zeros_(self.linear.weight)
        self.hidden: nn.Sequential | None = None
        if hidden:
            last = nn.Linear(hidden, 1, bias=False)
            nn.init.zeros_(last.weight)
            self.hidden = nn.Sequential(nn.Linear(len(mean), hidden), nn.GELU(), nn.Dropout(dropout), last)

    def forward(self, evidence: Tensor) -> Tensor:
        """Return scores [...] of evidence [..., F]."""
        x = (evidence - self.mean) / self.scale
        score = self.linear(x)
        if self.hidden is not None:
            score = score + self.hidden(x)
        return score.squeeze(-1)


def softmax_cross_entropy(scores: Tensor, gold: Tensor) -> Tensor:
    """Cross-entropy of the softmax over a list and the uniform distribution over its gold (ListNet, Cao et al. 2007).

    Args:
        scores: [Q, K]; -inf where a list is shorter.
        gold: [Q, K], 1 for gold and 0 otherwise; a list without gold counts nothing.
    """
    target = gold / gold.sum(1, keepdim=True).clamp_min(1)
    logs = torch.log_softmax(scores, 1).masked_fill(torch.isinf(scores), 0.0)
    return -(target * logs).sum(1).mean()


def lambda_loss(scores: Tensor, gold: Tensor) -> Tensor:
    """LambdaRank's loss: a logistic loss a pair, weighed by what swapping the two would change in nDCG.

    Wang et al., "The LambdaLoss Framework for Ranking Metric Optimization" (CIKM 2018), Eq. 10.

    Args:
        scores: [Q, K]; -inf where a list is shorter.
        gold: [Q, K] of 0 and 1.
    """
    with torch.no_grad():
        order = scores.argsort(dim=1, descending=True, stable=True)
        rank = torch.empty_like(order).scatter_(1, order, torch.arange(scores.shape[1]).expand_as(order))
        discount = 1 / torch.log2(rank + 2.0)
        places = 1 / torch.log2(torch.arange(scores.shape[1]) + 2.0)
        first = torch.arange(scores.shape[1])[None] < gold.sum(1, keepdim=True)
        ideal = (places * first).sum(1).clamp_min(1e-9)
        better = gold[:, :, None] > gold[:, None, :]
        weight = (discount[:, :, None] - discount[:, None, :]).abs() / ideal[:, None, None] * better
    finite = scores.masked_fill(torch.isinf(scores), -1e4)
    pairs = nn.functional.softplus(-(finite[:, :, None] - finite[:, None, :]))
    return (weight * pairs).sum((1, 2)).mean()


LOSSES: dict[str, Loss] = {"softmax": softmax_cross_entropy, "lambda": lambda_loss}
