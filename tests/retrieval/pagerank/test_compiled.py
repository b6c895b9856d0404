from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

pytest.importorskip("numba", reason="numba is not installed")

from memorai.retrieval.pagerank import pagerank, pagerank_dense
from tests.retrieval.pagerank.graphs import random_blocks, random_restart


def test_each_dtype_has_its_own_static_weights():
    blocks, nodes = random_blocks(2, (6, 9, 2), 20, 3)
    restart = random_restart(2, nodes, 3)
    narrow = pagerank(blocks, restart, engine="compiled", dtype=torch.float32).scores
    wide = pagerank(blocks, restart, engine="compiled", dtype=torch.float64).scores
    assert (narrow.dtype, wide.dtype) == (torch.float32, torch.float64)
    assert torch.allclose(narrow.double(), wide, atol=1e-5)


def test_calls_from_several_threads_at_once_do_not_disturb_each_other():
    blocks, nodes = random_blocks(4, (20, 40, 4), 120, 4, reversible=True)
    restart = random_restart(4, nodes, 4)
    exact = pagerank_dense(blocks, restart, 0.5)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(pagerank, blocks, restart, 0.5, 1e-10, engine="compiled") for _ in range(12)]
        assert all(torch.allclose(job.result().scores, exact, atol=1e-9) for job in jobs)
