from __future__ import annotations

import numpy as np
import pytest
import torch

from memorai.learn import walks
from memorai.learn.walks import WALKS, StaticWalks
from memorai.retrieval.pagerank import pagerank_dense
from memorai.retrieval.scores import z_score
from memorai.retrieval.transforms import SoftmaxZ
from memorai.retrieval.weights import StaticWeights
from tests.toys import TURNS, toy_view

ASKED = ("Which city did Bob move to?", "What is Rex?", "Who?")


def scores(seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(len(TURNS), len(ASKED)))
    return z_score(torch.from_numpy(drawn)).numpy()


def expected(view, fused: np.ndarray, single: list[np.ndarray]) -> list[np.ndarray]:
    """Each walk solved densely; some turns have no edge of a type, so dangling mass is among what is compared."""
    rows, found = view.graph.rows("turn"), []
    for name, seeds in [*((name, fused) for name in WALKS), *(("all", own) for own in single)]:
        restart = view.zeros()
        restart[rows] = SoftmaxZ(WALKS[name].temperature)(torch.from_numpy(seeds))
        blocks = StaticWeights(WALKS[name].types).weights(view, view.everything())
        mass = pagerank_dense(blocks, restart, WALKS[name].damping)[rows]
        found.append(z_score(torch.log(mass + 1e-12)).numpy())
    return found


@pytest.mark.parametrize("most", [0, 1024])
def test_walks_are_the_dense_solve_worked_out_beforehand_or_not(monkeypatch, most):
    monkeypatch.setattr(walks, "MOST_TURNS", most)
    view, fused, single = toy_view(texts=ASKED), scores(0), [scores(1), scores(2)]
    found = StaticWalks(view.indexed)(view, fused, single)
    assert len(found) == len(WALKS) + len(single)
    for ours, dense in zip(found, expected(view, fused, single), strict=True):
        np.testing.assert_allclose(ours, dense, atol=2e-3 if not most else 1e-5)


def test_a_question_alone_and_among_others_gives_the_same():
    view, fused = toy_view(texts=ASKED), scores(3)
    together = StaticWalks(view.indexed)(view, fused, [])
    for column, text in enumerate(ASKED):
        one = toy_view(texts=(text,))
        alone = StaticWalks(one.indexed)(one, fused[:, column : column + 1], [])
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole[:, column : column + 1], part, atol=1e-5)
