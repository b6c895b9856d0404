from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

pytest.importorskip("numba", reason="numba is not installed")

from memorai.retrieval.pagerank import pagerank, pagerank_dense
from memorai.retrieval.pagerank.compiled import merged, plan_of
from memorai.retrieval.pagerank.walk import prepare
from tests.retrieval.pagerank.graphs import convert, random_blocks, random_restart


def test_a_plan_is_made_once_for_new_factors_on_the_same_blocks():
    blocks, nodes = random_blocks(1, (6, 9, 2), 20, 3)
    restart = random_restart(1, nodes, 3)
    first = plan_of(prepare(blocks, restart))
    assert plan_of(prepare(convert(blocks, lambda factor: factor * 2), restart)) is first
    # one that no longer shares its factors has other slots, and so another plan
    assert plan_of(prepare(blocks[:3], restart)) is not first


def test_each_dtype_has_its_own_static_weights():
    blocks, nodes = random_blocks(2, (6, 9, 2), 20, 3)
    restart = random_restart(2, nodes, 3)
    narrow = pagerank(blocks, restart, engine="compiled", dtype=torch.float32).scores
    wide = pagerank(blocks, restart, engine="compiled", dtype=torch.float64).scores
    assert (narrow.dtype, wide.dtype) == (torch.float32, torch.float64)
    assert torch.allclose(narrow.double(), wide, atol=1e-5)


def test_the_merged_edges_of_a_single_query_sum_to_one_at_each_node_that_has_any():
    blocks, nodes = random_blocks(3, (6, 9, 2), 20, 1)
    _, plan = merged(prepare(blocks, random_restart(3, nodes, 1)))
    pointer, column, weight = (plan.graph[i] for i in (6, 7, 9))
    sums = torch.zeros(nodes, dtype=torch.float64)
    sums.index_add_(0, torch.from_numpy(column[: pointer[-1]]), torch.from_numpy(weight))
    out = torch.zeros(nodes, 1, dtype=torch.float64)
    for b in blocks:
        out[b.from_rows] += b.out_sum(1, torch.float64)
    assert torch.allclose(sums, (out[:, 0] > 0).double())


def test_calls_from_several_threads_at_once_do_not_disturb_each_other():
    blocks, nodes = random_blocks(4, (20, 40, 4), 120, 4, reversible=True)
    restart = random_restart(4, nodes, 4)
    exact = pagerank_dense(blocks, restart, 0.5)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(pagerank, blocks, restart, 0.5, 1e-10, engine="compiled") for _ in range(12)]
        assert all(torch.allclose(job.result().scores, exact, atol=1e-9) for job in jobs)
