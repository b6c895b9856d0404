from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from memorai.datasets.demo import load_demo
from memorai.errors import InputError
from memorai.learn.gate import (
    GateTrainer,
    Labelled,
    dropped_at,
    folds_of,
    gate_scores,
    gold_turns,
    label,
    leave_out,
    logistic,
)
from memorai.metrics.classification import auc
from memorai.models.embedders import HashingEmbedder
from memorai.write.gate import RuleGate
from tests.toys import CONVERSATION

TRAINER = GateTrainer(penalties=(1.0, 10.0), vector_scales=(1.0,))


def synthetic(n_group: int = 6, size: int = 60, seed: int = 0) -> Labelled:
    """Gold follows the third column; the first two stand for a vector and say nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_group * size, 5)).astype(np.float32)
    gold = x[:, 2] * 2 + rng.normal(size=len(x)) > 0
    return Labelled(x, gold, np.repeat(np.arange(n_group), size), ("synthetic",))


def test_logistic_regression_reaches_the_minimum():
    data = synthetic()
    weights, bias = logistic(data.x, data.gold, 2.0)
    y = np.where(data.gold, 1.0, -1.0)

    def loss(theta):
        return np.logaddexp(0, -y * (data.x @ theta[:-1] + theta[-1])).sum() + theta[:-1] @ theta[:-1]

    gradient = approx_fprime(np.append(weights, bias), loss, 1e-6)
    assert np.abs(gradient).max() < 0.5  # of gradients of about a hundred at the start
    assert np.abs(approx_fprime(np.zeros(6), loss, 1e-6)).max() > 50


def test_a_gate_learns_what_is_there_and_is_calibrated():
    data, test = synthetic(), synthetic(seed=1)
    model = TRAINER.fit(data, "m", 2)
    p = model.probability(test.x)
    assert auc(p, test.gold) > 0.9
    for low, high in ((0.0, 0.3), (0.7, 1.0)):
        chosen = (p >= low) & (p < high)
        assert abs(p[chosen].mean() - test.gold[chosen].mean()) < 0.1
    # the threshold is of inner cross-validation, so here it holds roughly
    assert (p[test.gold] < model.threshold).mean() < 0.12
    assert model.trained_on == ("synthetic",)


def test_leaving_out_sees_nothing_of_the_conversation():
    data = synthetic(4)
    noise = Labelled(data.x, np.random.default_rng(2).random(len(data.gold)) < 0.5, data.group)
    p, kept = leave_out(noise, TRAINER, "m", 2, True)
    assert abs(auc(p, noise.gold) - 0.5) < 0.12
    assert kept.shape == p.shape
    # what the labels of the held-out conversation are does not move its scores
    flipped = Labelled(data.x, np.where(data.group == 3, ~data.gold, data.gold), data.group)
    a, b = (leave_out(d, TRAINER, "m", 2, True)[0] for d in (data, flipped))
    assert np.array_equal(a[data.group == 3], b[data.group == 3])
    assert not np.array_equal(a[data.group == 0], b[data.group == 0])


def test_folds_hold_whole_conversations():
    group = np.array([0, 0, 4, 4, 4, 9, 11])
    assert folds_of(group, 2).tolist() == [0, 0, 1, 1, 1, 0, 1]
    assert folds_of(group, 99).tolist() == [0, 0, 1, 1, 1, 2, 3]


def test_each_conversation_drops_its_own_lowest():
    scores, group = np.array([0.9, 0.1, 0.5, 0.5, 0.2, 0.3]), np.array([0, 0, 0, 0, 1, 1])
    assert dropped_at(scores, group, 0.5).tolist() == [False, True, True, False, True, False]
    assert not dropped_at(scores, group, 0.2).any()


def test_labels_are_evidence():
    assert gold_turns(CONVERSATION).tolist() == [True, False, True, True, False]
    embedder = HashingEmbedder(dim=8)
    embedder.languages = ("en",)
    demo = load_demo()
    data = label(demo, embedder, lambda turn: turn.text)
    english = [c for c in demo.conversations if c.language == "en" and gold_turns(c).any()]
    assert len(data.gold) == sum(len(c.turns) for c in english)
    assert (data + data).group.max() == 2 * len(english) - 1
    with pytest.raises(InputError, match="demo_zh"):
        label(load_demo("zh"), embedder, lambda turn: turn.text)


def test_an_untrained_gate_is_asked_about_every_turn():
    demo = load_demo("en")
    scores, kept, gold, group = gate_scores(demo, RuleGate())
    assert len(scores) == len(kept) == len(gold) == len(group) == sum(len(c.turns) for c in demo.conversations)
    assert (kept == (scores == 1)).all()
    assert not (gold & ~kept).any()


def test_too_little_to_train_on():
    one = synthetic(1)
    with pytest.raises(InputError, match="two conversations"):
        TRAINER.fit(one, "m", 2)
