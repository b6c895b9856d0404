from __future__ import annotations

import numpy as np
import pytest
import torch

from memorai.errors import InputError
from memorai.learn.fit import Curves, Settings, choose_and_fit, fit, ndcg_of, scores_of
from tests.learn.groups import group

QUICK = Settings(hidden=4, epochs=6, candidates=8, batch=8, lr=0.05)
TRAIN = [group(name) for name in "abcd"]


def same(one, two):
    return all(torch.equal(x, y) for x, y in zip(one.state_dict().values(), two.state_dict().values(), strict=True))


def test_learns_which_feature_matters():
    fitted = fit(TRAIN, QUICK, seed=0)
    test = group("z")
    assert ndcg_of(fitted.model, [test]) > 0.9 > ndcg_of(fit(TRAIN, Settings(epochs=1, lr=1e-9), 0).model, [test])
    best = scores_of(fitted.model, test).argmax(1)
    assert np.mean(best == test.gold.argmax(1)) > 0.6


def test_the_same_seed_gives_the_same_weights_and_leaves_torch_s_own_state_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, two, other = fit(TRAIN, QUICK, 1), fit(TRAIN, QUICK, 1), fit(TRAIN, QUICK, 2)
    assert same(one.model, two.model) and not same(one.model, other.model)
    assert torch.rand(1).equal(expected)


def test_early_stopping_returns_the_best_epoch():
    curves = Curves("x")
    fitted = fit(TRAIN[:3], Settings(hidden=0, epochs=30, patience=2, lr=0.5), 0, TRAIN[3:], on_epoch=curves)
    values = [value for *_, value in fitted.curve]
    assert len(values) < 30 and len(curves.rows) == len(values)
    assert fitted.epoch == values.index(max(values)) + 1
    assert ndcg_of(fitted.model, TRAIN[3:]) == pytest.approx(fitted.validation)


def test_standardisation_is_that_of_the_training_candidates():
    fitted = fit(TRAIN, QUICK, 0)
    rows = np.concatenate([_best(g, 8) for g in TRAIN])
    assert fitted.model.mean.numpy() == pytest.approx(rows.mean(0), abs=1e-5)
    assert fitted.model.scale.numpy() == pytest.approx(rows.std(0), abs=1e-5)


def test_the_choice_of_settings_uses_held_out_training_groups():
    useless = Settings(hidden=0, epochs=1, lr=1e-9, candidates=8)
    fitted = choose_and_fit(TRAIN, [useless, QUICK], seed=0)
    assert fitted.settings == QUICK and fitted.validation is not None
    assert len(choose_and_fit(TRAIN[:1], [useless, QUICK], seed=0).curve) == 1  # nothing to hold out: the first


def test_what_cannot_be_trained():
    empty = group("e")
    empty.gold[:] = False
    with pytest.raises(InputError, match="no training question"):
        fit([empty], QUICK, 0)
    with pytest.raises(InputError, match="loss=hinge"):
        Settings(loss="hinge")
    with pytest.raises(InputError, match="epochs=0"):
        Settings(epochs=0)


def test_conversations_shorter_than_the_candidates_are_padded():
    fitted = fit([group("a", turns=3), group("b", turns=9)], Settings(hidden=0, candidates=50, epochs=3), 0)
    assert all(torch.isfinite(x).all() for x in fitted.model.state_dict().values())


def _best(g, k):
    order = np.argsort(-g.features.values[..., 0], axis=1)[:, :k, None]
    return np.take_along_axis(g.features.values, order, axis=1).reshape(-1, 3)
