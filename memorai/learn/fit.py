"""Fit a scorer of evidence: candidates, standardisation, epochs, early stopping, and the choice of settings."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn

from memorai.errors import InputError
from memorai.learn.examples import Group
from memorai.learn.features import CANDIDATES
from memorai.learn.scorer import LOSSES, EvidenceScorer
from memorai.metrics.retrieval import ndcg
from memorai.metrics.statistics import aggregate
from memorai.retrieval.pagerank.threads import suited_threads

#: questions scored at once
_AT_ONCE = 32
#: what is called after each epoch: epoch, training loss, validation nDCG@10 or None
OnEpoch = Callable[[int, float, float | None], None]
Make = Callable[[Tensor, Tensor], nn.Module]


@dataclass(frozen=True)
class Settings:
    """How to train.

    Args:
        hidden: units of the scorer; 0 = linear.
        loss: ``softmax`` or ``lambda``.
        epochs: most passes over the training questions.
        patience: stop after so many epochs without a better validation score.
        lr: highest learning rate of one cycle (Smith and Topin, 2018).
        weight_decay: of AdamW.
        dropout: of hidden units.
        candidates: turns a question is trained on: the best by `CANDIDATES`; gold beyond them is not seen.
        batch: questions a step.
    """

    hidden: int = 32
    loss: str = "softmax"
    epochs: int = 20
    patience: int = 5
    lr: float = 5e-3
    weight_decay: float = 1e-2
    dropout: float = 0.1
    candidates: int = 100
    batch: int = 128

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise InputError(f"learning: loss={self.loss}; use one of {', '.join(LOSSES)}")
        for name in ("epochs", "patience", "candidates", "batch"):
            if getattr(self, name) < 1:
                raise InputError(f"learning: {name}={getattr(self, name)} is less than 1")


@dataclass(frozen=True)
class Fitted:
    """A trained scorer, how it went, and the epoch whose weights it has.

    Args:
        model: in evaluation mode.
        settings: those of the training.
        epoch: from 1.
        curve: (epoch, training loss, validation nDCG@10 or None).
        validation: the best validation score, None without validation.
    """

    model: nn.Module
    settings: Settings
    epoch: int
    curve: tuple[tuple[int, float, float | None], ...]
    validation: float | None = None


@dataclass(frozen=True)
class _Lists:
    x: Tensor  # [Q, K, F]
    gold: Tensor  # [Q, K]
    real: Tensor  # bool [Q, K], False where a conversation has fewer than K turns


def fit(
    train: Sequence[Group],
    settings: Settings,
    seed: int,
    validation: Sequence[Group] = (),
    stop_at: int | None = None,
    on_epoch: OnEpoch | None = None,
) -> Fitted:
    """Train on some conversations; with others as validation, return the epoch that ranks those best.

    Everything that is estimated (mean and scale of the evidence, weights, the epoch) comes from these arguments alone.

    Args:
        train: at least one group with gold.
        settings: how.
        seed: of initial weights, order and dropout.
        validation: groups that decide when to stop; none = all epochs.
        stop_at: stop after this epoch of the same schedule.
        on_epoch: told of each epoch.

    Raises:
        InputError: no question of the training groups has gold among its candidates.
    """
    lists = _lists(train, settings.candidates)
    some = (lists.gold.sum(1) > 0).nonzero()[:, 0]
    if not len(some):
        raise InputError(
            "learning: no training question has its evidence among the candidates; give more conversations"
        )
    flat = lists.x[lists.real]
    mean, scale = flat.mean(0), flat.std(0, unbiased=False)
    scale = torch.where(scale > 1e-4, scale, 1.0)
    with torch.random.fork_rng(), suited_threads(lists.x.numel() // max(1, len(lists.x)) * settings.batch):
        torch.manual_seed(seed)
        model = EvidenceScorer(mean, scale, settings.hidden, settings.dropout)
        optimiser = torch.optim.AdamW(model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
        steps = -(-len(some) // settings.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.lr, total_steps=steps * settings.epochs)
        best: tuple[float, int, dict[str, Tensor]] | None = None
        curve: list[tuple[int, float, float | None]] = []
        for epoch in range(1, (stop_at or settings.epochs) + 1):
            losses = []
            model.train()
            for part in some[torch.randperm(len(some))].split(settings.batch):
                scores = model(lists.x[part]).masked_fill(~lists.real[part], float("-inf"))
                loss = LOSSES[settings.loss](scores, lists.gold[part])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                schedule.step()
                losses.append(float(loss.detach()))
            model.eval()
            value = ndcg_of(model, validation) if validation else None
            curve.append((epoch, float(np.mean(losses)), value))
            if on_epoch:
                on_epoch(*curve[-1])
            if value is not None and (best is None or value > best[0]):
                best = (value, epoch, copy.deepcopy(model.state_dict()))
            if best is not None and epoch - best[1] >= settings.patience:
                break
    if best is None:
        return Fitted(model, settings, len(curve), tuple(curve))
    model.load_state_dict(best[2])
    return Fitted(model, settings, best[1], tuple(curve), best[0])


def choose_and_fit(
    train: Sequence[Group],
    grid: Sequence[Settings],
    seed: int,
    share: float = 0.25,
    on_epoch: OnEpoch | None = None,
) -> Fitted:
    """Choose settings and number of epochs on a part of the training conversations, then train on all of them.

    Args:
        train: training conversations; of fewer than two nothing can be held out, and the first settings are taken.
        grid: settings to choose from; equals go to the first.
        seed: of the draw and of training.
        share: of the conversations held out for the choice, at least one.
        on_epoch: told of each epoch of every fit.
    """
    if len(train) < 2:
        return fit(train, grid[0], seed, on_epoch=on_epoch)
    order = np.random.default_rng(seed).permutation(len(train))
    cut = min(len(train) - 1, max(1, round(share * len(train))))
    held, rest = [train[i] for i in sorted(order[:cut])], [train[i] for i in sorted(order[cut:])]
    tried = [fit(rest, settings, seed, held, on_epoch=on_epoch) for settings in grid]
    best = max(tried, key=lambda fitted: fitted.validation or 0.0)
    final = fit(train, best.settings, seed, stop_at=best.epoch, on_epoch=on_epoch)
    return replace(final, curve=best.curve, validation=best.validation)


def scores_of(model: nn.Module, group: Group) -> np.ndarray:
    """Return float64 [Q, n], the model's score of every turn."""
    values = torch.from_numpy(np.ascontiguousarray(group.features.values))
    with torch.inference_mode(), suited_threads(values[:_AT_ONCE].numel()):
        rows = [model(part) for part in values.split(_AT_ONCE)]
    return torch.cat(rows).double().numpy()


def ndcg_of(model: nn.Module, groups: Sequence[Group], k: int = 10) -> float:
    """Return nDCG@k of a model, the mean over categories of its means over questions."""
    values, categories = [], []
    for group in groups:
        order = np.argsort(-scores_of(model, group), axis=1, kind="stable")[:, :k]
        for question, row in zip(group.questions, order, strict=True):
            values.append(ndcg([group.turn_ids[i] for i in row], question.evidence, k))
            categories.append(question.category)
    return aggregate(values, categories, ["all"] * len(values), n_resamples=0)[-2].value  # macro


def _lists(groups: Sequence[Group], k: int) -> _Lists:
    rows = []
    for group in groups:
        order = np.argsort(-group.features.column(CANDIDATES), axis=1, kind="stable")[:, :k]
        x = np.take_along_axis(group.features.values, order[:, :, None], axis=1)
        gold = np.take_along_axis(group.gold, order, axis=1)
        short = k - order.shape[1]
        rows.append(
            (
                np.pad(x, ((0, 0), (0, short), (0, 0))),
                np.pad(gold, ((0, 0), (0, short))),
                np.pad(np.ones_like(gold), ((0, 0), (0, short))),
            )
        )
    x, gold, real = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    return _Lists(torch.from_numpy(x), torch.from_numpy(gold).float(), torch.from_numpy(real))


@dataclass
class Curves:
    """Collects learning curves, told epoch by epoch."""

    label: str = ""
    rows: list[tuple[str, int, float, float | None]] = field(default_factory=list)

    def __call__(self, epoch: int, loss: float, validation: float | None) -> None:
        """Take one epoch."""
        self.rows.append((self.label, epoch, loss, validation))
