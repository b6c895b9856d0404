"""Train the learned gate on turns that answer a question, and measure what it loses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from memorai.errors import InputError
from memorai.metrics.classification import Bools, auc
from memorai.models.embedders import Embedder
from memorai.types import Conversation, Dataset, Turn
from memorai.write.gate import Gate
from memorai.write.gate_features import Floats, inputs
from memorai.write.gate_model import GateModel
from memorai.write.segment import SessionSegmenter

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """The turns of several conversations as rows.

    Args:
        x: float32 [n, D] inputs.
        gold: bool [n], whether the turn is evidence of a question.
        group: int [n], number of the turn's conversation; rows of a conversation stand together.
        names: of the data sets.
    """

    x: Floats
    gold: Bools
    group: npt.NDArray[np.int64]
    names: tuple[str, ...] = ()

    def __add__(self, other: Labelled) -> Labelled:
        """Put two sets together; their conversations stay apart."""
        group = np.concatenate([self.group, other.group + (self.group.max() + 1 if len(self.group) else 0)])
        x, gold = np.concatenate([self.x, other.x]), np.concatenate([self.gold, other.gold])
        return Labelled(x, gold, group, (*self.names, *other.names))


def gold_turns(conversation: Conversation) -> Bools:
    """Return bool [n_turn]: which turns are evidence of at least one question."""
    gold = {turn for question in conversation.questions for turn in question.evidence}
    return np.array([turn.id in gold for turn in conversation.turns], bool)


def labelled_conversations(dataset: Dataset, embedder: Embedder) -> list[Conversation]:
    """Return the conversations that have evidence, in a language that the embedder knows."""
    known = embedder.languages
    return [c for c in dataset.conversations if gold_turns(c).any() and (known is None or c.language in known)]


def label(
    dataset: Dataset, embedder: Embedder, text_format: Callable[[Turn], str], previous_vectors: bool = True
) -> Labelled:
    """Turn a data set into rows; conversations without evidence or in a language unknown to the embedder are left out.

    Raises:
        InputError: nothing is left.
    """
    usable = labelled_conversations(dataset, embedder)
    if not usable:
        raise InputError(f"data set {dataset.name}: no conversation has evidence in a language that the embedder knows")
    rows = []
    for conversation in usable:
        turns = conversation.turns
        rows.append(inputs(turns, embedder.embed([text_format(turn) for turn in turns]), previous_vectors))
    return Labelled(
        np.concatenate(rows),
        np.concatenate([gold_turns(c) for c in usable]),
        np.repeat(np.arange(len(usable)), [len(c.turns) for c in usable]),
        (dataset.name,),
    )


@dataclass(frozen=True)
class GateTrainer:
    """Logistic regression with an L2 penalty chosen, and calibrated, inside the training conversations.

    Args:
        penalties: L2 strengths on standardised inputs to choose from by the AUC of inner cross-validation.
        vector_scales: by what the standardised vectors are multiplied, chosen likewise: below 1 they are penalised more
            than the surface features, of which there are far fewer and which carry over to other talk.
        inner_folds: of whole conversations.
        max_fnr: the stored threshold loses at most this share of evidence in inner cross-validation.
    """

    penalties: Sequence[float] = (30.0, 300.0)
    vector_scales: Sequence[float] = (0.1, 0.3, 1.0)
    inner_folds: int = 2
    max_fnr: float = 0.05

    def fit(self, data: Labelled, embedder: str, n_vector: int, previous_vectors: bool = True) -> GateModel:
        """Choose the penalty, calibrate on left-out scores, and fit all rows.

        Args:
            data: at least two conversations.
            embedder: its name, kept in the model.
            n_vector: how many of the input's first columns belong to vectors.
            previous_vectors: kept in the model.

        Raises:
            InputError: fewer than two conversations, or no turn of one of the classes.
        """
        if data.group.max(initial=0) < 1 or data.gold.all() or not data.gold.any():
            raise InputError(
                "training a gate needs two conversations, and turns that are evidence and turns that are not"
            )
        folds = folds_of(data.group, self.inner_folds)
        grid = [(penalty, scale) for penalty in self.penalties for scale in self.vector_scales]
        tried = [(self._left_out(data, folds, choice, n_vector), choice) for choice in grid]
        scores, chosen = max(tried, key=lambda t: auc(t[0], data.gold))
        weights, bias = self._regress(data.x, data.gold, chosen, n_vector)
        slope, intercept = logistic(scores[:, None], data.gold, 1e-6)
        platt = (float(slope[0]), intercept)
        p = 1 / (1 + np.exp(-(platt[0] * scores + platt[1])))
        kept = np.sort(p[data.gold])
        threshold = float(kept[int(self.max_fnr * len(kept))])
        return GateModel(weights.astype(np.float32), bias, platt, embedder, previous_vectors, data.names, threshold)

    def _left_out(
        self, data: Labelled, folds: npt.NDArray[np.int64], choice: tuple[float, float], n_vector: int
    ) -> Doubles:
        scores = np.zeros(len(data.gold))
        for fold in range(folds.max() + 1):
            held = folds == fold
            weights, bias = self._regress(data.x[~held], data.gold[~held], choice, n_vector)
            scores[held] = data.x[held] @ weights + bias
        return scores

    def _regress(self, x: Floats, gold: Bools, choice: tuple[float, float], n_vector: int) -> tuple[Doubles, float]:
        """Weights on raw inputs; standardisation of the training rows is folded in."""
        mean, spread = x.mean(0, dtype=np.float64), x.std(0, dtype=np.float64)
        scale = np.where(spread > 1e-6, 1 / np.maximum(spread, 1e-6), 0.0)  # a constant says nothing
        scale[:n_vector] *= choice[1]
        standard, bias = logistic((x - mean) * scale, gold, choice[0])
        weights = standard * scale
        return weights, bias - float(mean @ weights)


def logistic(x: npt.NDArray[np.floating], gold: Bools, penalty: float) -> tuple[Doubles, float]:
    """Fit log-loss + penalty / 2 |w|^2 by L-BFGS and return (weights [D], intercept, which is not penalised)."""
    # single precision halves the time of the products, which are all of it, and is enough for a penalised loss
    rows, y = np.ascontiguousarray(x, np.float32), np.where(gold, 1.0, -1.0)

    def loss(theta: Doubles) -> tuple[float, Doubles]:
        margin = y * (rows @ theta[:-1].astype(np.float32) + theta[-1])
        pull = -y / (1 + np.exp(np.clip(margin, -500, 500)))
        gradient = np.append(rows.T @ pull.astype(np.float32) + penalty * theta[:-1], pull.sum())
        return float(np.logaddexp(0, -margin).sum() + penalty / 2 * theta[:-1] @ theta[:-1]), gradient

    start = np.zeros(rows.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200, "ftol": 1e-6})
    return found.x[:-1], float(found.x[-1])


def folds_of(group: npt.NDArray[np.int64], folds: int) -> npt.NDArray[np.int64]:
    """Deal whole conversations out to at most ``folds`` folds, in turn: int [n]."""
    _, number = np.unique(group, return_inverse=True)
    return np.asarray(number % min(folds, int(number.max()) + 1))


def leave_out(
    data: Labelled, trainer: GateTrainer, embedder: str, n_vector: int, previous_vectors: bool, folds: int = 10
) -> tuple[Doubles, Bools]:
    """Score every turn by a gate that has seen nothing of its conversation.

    With no more conversations than folds this is leave-one-conversation-out. Penalty, calibration and threshold are
    chosen inside each fold's training conversations.

    Returns:
        Probabilities float64 [n], and bool [n] whether the fold's own threshold keeps the turn.
    """
    probabilities, kept = np.zeros(len(data.gold)), np.zeros(len(data.gold), bool)
    fold = folds_of(data.group, folds)
    for held in range(fold.max() + 1):
        test = fold == held
        part = Labelled(data.x[~test], data.gold[~test], data.group[~test], data.names)
        model = trainer.fit(part, embedder, n_vector, previous_vectors)
        probabilities[test] = model.probability(data.x[test])
        kept[test] = probabilities[test] >= model.threshold
    return probabilities, kept


def gate_scores(dataset: Dataset, gate: Gate) -> tuple[Doubles, Bools, Bools, npt.NDArray[np.int64]]:
    """Ask a gate that needs no training: (scores, kept, gold, conversation number), [n] each."""
    scores: list[float] = []
    for conversation in dataset.conversations:
        found = gate.score(SessionSegmenter().segment(conversation), conversation.language)
        scores += [found[turn.id] for turn in conversation.turns]
    values = np.array(scores)
    gold = np.concatenate([gold_turns(c) for c in dataset.conversations])
    group = np.repeat(np.arange(len(dataset.conversations)), [len(c.turns) for c in dataset.conversations])
    return values, values >= gate.threshold, gold, group


def dropped_at(scores: Doubles, group: npt.NDArray[np.int64], share: float) -> Bools:
    """Which turns go when each conversation drops this share of its turns, lowest scores first; see `kept_ids`."""
    dropped = np.zeros(len(scores), bool)
    for number in range(int(group.max()) + 1):
        rows = np.flatnonzero(group == number)
        order = rows[np.argsort(scores[rows], kind="stable")]
        dropped[order[: int(share * len(rows))]] = True
    return dropped
