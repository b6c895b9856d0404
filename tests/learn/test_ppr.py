from __future__ import annotations

import pytest
import torch

from memorai.learn.ppr import LearnedWalk, WalkExample, fit_walk, walk_loss
from memorai.retrieval.scores import z_score
from tests.toys import toy_view

ASKED = ("Which city did Bob move to?", "What is Rex?", "puppy")


def example():
    view = toy_view(texts=ASKED, entity_vectors="centroid")
    gold = torch.zeros(5, 3, dtype=torch.float64)
    gold[3, 0] = gold[2, 1] = gold[4, 1] = gold[0, 2] = 1
    return WalkExample(view, {"dense": z_score(view.similarity("turn")), "bm25": z_score(view.lexical)}, gold)


@pytest.mark.parametrize("name", ["seeds", "types", "damping", "relevance"])
def test_gradients_agree_with_differences(name):
    walk, data = LearnedWalk(("dense", "bm25")), example()
    with torch.no_grad():
        walk.relevance.fill_(0.3)
    walk_loss(walk(data), data.gold).backward()
    parameter = getattr(walk, name)
    flat, gradient, step = parameter.data.view(-1), parameter.grad.view(-1), 1e-3
    for i in range(len(flat)):
        values = []
        for sign in (1, -1):
            flat[i] += sign * step
            values.append(float(walk_loss(walk(data), data.gold).detach()))
            flat[i] -= sign * step
        assert float(gradient[i]) == pytest.approx((values[0] - values[1]) / (2 * step), abs=2e-3)


def test_training_lowers_the_loss_and_stays_in_range():
    data, losses = example(), []
    walk = fit_walk([data], ("dense", "bm25"), epochs=12, on_step=losses.append)
    assert losses[-1] < losses[0]
    values = walk.values()
    assert set(values) == {"seed/dense", "seed/bm25", "type/mentioned_in", "type/part_of", "damping", "relevance"}
    assert 0 < values["damping"] < 1 and values["type/part_of"] > 0 and values["relevance"] != 0
    plain = fit_walk([data], ("dense", "bm25"), epochs=2, conditioned=False)
    assert plain.values()["relevance"] == 0
