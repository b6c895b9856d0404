from __future__ import annotations

import numpy as np
import pytest
import torch

from memorai.recall.walk import walk
from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank


@pytest.mark.parametrize("damping", [0.0, 0.3, 0.6, 0.9])
def test_scores_are_those_of_the_research_engine(damping):
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 8, 20), rng.integers(8, 14, 20)
    weight = rng.random(20)
    restart = np.zeros(15)  # node 14 has no edge: its mass goes back to the restart
    restart[[0, 3, 14]] = [1.0, 2.0, 1.0]
    found = walk(15, source, target, weight, restart, damping, tol=1e-10)
    block = Block(
        slice(0, 8), slice(8, 14), torch.tensor(source), torch.tensor(target - 8), weight=torch.tensor(weight)
    )
    blocks = [WeightedBlock(block), WeightedBlock(block, reverse=True)]
    exact = pagerank(blocks, torch.tensor(restart)[:, None], damping, tol=1e-12, max_iter=500, engine="solve")
    np.testing.assert_allclose(found.scores, exact.scores[:, 0].numpy(), atol=1e-8)
    assert found.scores.sum() == pytest.approx(1)


def test_the_path_leads_from_the_seed():
    # 0 - 1 - 2 - 3, restart at 0
    found = walk(4, np.array([0, 1, 2]), np.array([1, 2, 3]), np.ones(3), np.array([1.0, 0, 0, 0]), 0.5)
    assert found.path(3) == [0, 1, 2, 3] and found.path(0) == [0]


def test_no_restart_is_equal_parts_and_no_node_is_none():
    assert walk(2, np.array([0]), np.array([1]), np.ones(1), np.zeros(2), 0.5).scores.tolist() == [0.5, 0.5]
    empty = np.empty(0, np.int64)
    assert walk(0, empty, empty, np.empty(0), np.empty(0), 0.5).scores.size == 0
    with pytest.raises(ValueError, match="damping"):
        walk(1, empty, empty, np.empty(0), np.ones(1), 1.0)
