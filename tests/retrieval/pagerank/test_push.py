from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from memorai.retrieval.pagerank import pagerank, pagerank_dense
from memorai.retrieval.pagerank.push import solve
from tests.retrieval.pagerank.graphs import both_ways, chain, random_blocks, random_restart


@given(
    seed=st.integers(0, 10**6),
    d=st.sampled_from((0.0, 0.3, 0.85, 0.95)),
    tol=st.sampled_from((1e-1, 1e-3, 1e-6)),
    reversible=st.booleans(),
)
def test_the_error_is_within_what_the_residual_promises(seed: int, d: float, tol: float, reversible: bool):
    blocks, nodes = random_blocks(seed, (8, 12, 3), 40, 3, reversible)
    restart = random_restart(seed, nodes, 3)
    found = pagerank(blocks, restart, d, tol, 2000, engine="push")
    error = (found.scores - pagerank_dense(blocks, restart, d)).abs().sum(0)
    assert found.converged.all() and (found.residual <= tol).all()
    assert (error <= found.residual / (1 - d) + 1e-12).all()


def test_a_coarse_tolerance_leaves_far_nodes_untouched():
    # a path of 2,000 nodes: at d = 0.5 the mass k steps off is below 2^-k
    blocks = both_ways(chain(*((i, i + 1) for i in range(1999)), nodes=2000))
    restart = torch.zeros(2000, 1, dtype=torch.float64)
    restart[1000] = 1
    found = pagerank(blocks, restart, 0.5, 1e-3, engine="push")
    reached = found.scores[:, 0].nonzero()[:, 0]
    assert int(reached.min()) > 1000 - 15 and int(reached.max()) < 1000 + 15
    assert found.iterations == 1


def test_a_spent_budget_is_flagged():
    blocks, nodes = random_blocks(1, (20, 30, 4), 90, 2, reversible=True)
    with pytest.warns(RuntimeWarning, match="2 of 2 queries did not reach tol=1e-12 in 1 iterations"):
        found = pagerank(blocks, random_restart(1, nodes, 2), 0.95, 1e-12, 1, engine="push")
    assert not found.converged.any() and torch.allclose(found.scores.sum(0), torch.ones(2, dtype=torch.float64))


def test_what_is_pushed_never_exceeds_the_exact_scores():
    blocks, nodes = random_blocks(3, (8, 12, 3), 40, 4)
    restart = random_restart(3, nodes, 4)
    restart /= restart.sum(0)
    mass, _, residual = solve(blocks, restart, 0.85, 1e-2, 100)
    exact = pagerank_dense(blocks, restart, 0.85)
    assert (mass <= exact + 1e-12).all()
    assert ((exact - mass).sum(0) <= residual / (2 * 1.85) + 1e-12).all()
