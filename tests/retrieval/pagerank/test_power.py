from __future__ import annotations

import pytest
import torch

from memorai.retrieval.pagerank import pagerank, pagerank_dense
from memorai.retrieval.pagerank.power import Edges, until_check
from memorai.retrieval.pagerank.walk import prepare
from tests.retrieval.pagerank.graphs import random_blocks, random_restart


def test_a_product_adds_what_the_blocks_push_one_by_one():
    blocks, nodes = random_blocks(1, (6, 9, 2), 30, 3)
    restart = random_restart(1, nodes, 3)
    walk = prepare(blocks, restart)
    y, total = torch.rand_like(restart), torch.rand_like(restart)
    out = torch.zeros_like(restart)
    for b in blocks:
        out[b.from_rows] += b.out_sum(3, restart.dtype)
    leaving = torch.where(out > 0, y / out, 0)
    expected = total.clone()
    for b in blocks:
        expected[b.to_rows] += 0.7 * b.push(leaving[b.from_rows])
    edges = Edges(walk, 0.7)
    first = edges.add(y, total.clone())
    assert torch.allclose(first, expected, rtol=1e-12)
    # the arrays that it works in hold nothing over
    edges.scratch.fill_(float("nan"))
    assert torch.equal(edges.add(y, total.clone()), first)


@pytest.mark.parametrize(
    ("reduced", "steps", "left", "expected"),
    [
        (0.0, 3, 10.0, 1),  # the first check knows no rate
        (1.5, 1, 10.0, 1),  # a residual that grew
        (0.5, 1, 1024.0, 6),  # 10 halvings are left, two thirds of them
        (0.25, 2, 1024.0, 6),  # the same rate over two steps
        (0.5, 1, 2.0, 1),
        (0.999, 1, 1e6, 32),
    ],
)
def test_until_check(reduced: float, steps: int, left: float, expected: int):
    assert until_check(reduced, steps, left) == expected


@pytest.mark.parametrize("engine", ["power", "batched"])
def test_residuals_between_checks_do_not_hide_the_limit_of_steps(engine: str):
    blocks, nodes = random_blocks(2, (20, 30, 4), 90, 4, reversible=True)
    restart = random_restart(2, nodes, 4)
    exact = pagerank_dense(blocks, restart, 0.95)
    for most in range(1, 12):
        with pytest.warns(RuntimeWarning, match="did not reach"):
            found = pagerank(blocks, restart, 0.95, 1e-14, most, engine=engine)
        assert found.iterations == most
        # |p - p*| <= residual / (1 - d): the residual that is reported is that of what is returned
        assert ((found.scores - exact).abs().sum(0) <= found.residual / 0.05 + 1e-12).all()
