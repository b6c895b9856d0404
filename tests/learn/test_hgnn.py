from __future__ import annotations

import numpy as np
import torch

from memorai.graph.schema import ENTITY, MENTIONED_IN, TURN
from memorai.learn.fit import Settings
from memorai.learn.hgnn import fit_hetero, hetero_scores, subgraph
from tests.learn.groups import group

TRAIN = [group(name) for name in "ab"]
QUICK = Settings(hidden=8, epochs=8, candidates=10, batch=8, lr=0.02)


def test_the_subgraph_of_a_question():
    g = group("a", turns=6)
    g.features.values[0, :, 0] = [5, 0, 4, 3, -1, 2]  # candidates: turns 0, 2, 3, 5
    data = subgraph(g, 0, 4)
    assert data[TURN].place.tolist() == [0, 2, 3, 5]
    assert data[TURN, "before", TURN].edge_index.tolist() == [[1], [2]]
    assert data[TURN, "after", TURN].edge_index.tolist() == [[2], [1]]
    # entity 0 is in turns 0 and 2; entity 1 is in turn 3 alone and is left out
    assert data[TURN, "mentions", ENTITY].edge_index.tolist() == [[0, 1], [0, 0]]
    assert data[MENTIONED_IN].edge_index.tolist() == [[0, 0], [0, 1]]
    assert len(data[ENTITY].x) == 1


def test_learns_and_ranks_candidates_above_the_rest():
    model, test = fit_hetero(TRAIN, QUICK, 0), group("z")
    scores = hetero_scores(model, test, 10)
    assert np.mean(scores.argmax(1) == test.gold.argmax(1)) > 0.6
    few = hetero_scores(model, test, 3)
    best = np.argsort(-test.features.values[0, :, 0])[:3]
    assert set(np.argsort(-few[0])[:3]) == set(best)


def test_the_same_seed_gives_the_same_weights():
    one, two = (fit_hetero(TRAIN, QUICK, 3).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)
