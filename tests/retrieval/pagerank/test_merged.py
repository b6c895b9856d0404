from __future__ import annotations

import dataclasses

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numba", reason="numba is not installed")

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank, pagerank_dense
from memorai.retrieval.pagerank.merged import merged, weigh
from tests.retrieval.pagerank.graphs import chain, random_blocks, random_restart


@given(
    seed=st.integers(0, 10**6), edges=st.integers(0, 60), reversible=st.booleans(), d=st.sampled_from((0.0, 0.5, 0.9))
)
def test_one_query_equals_the_dense_solution(seed: int, edges: int, reversible: bool, d: float):
    blocks, nodes = random_blocks(seed, (6, 9, 2), edges, 1, reversible=reversible)
    restart = random_restart(seed, nodes, 1)
    found = pagerank(blocks, restart, d, 1e-10, 1000, engine="compiled")
    assert (found.scores - pagerank_dense(blocks, restart, d)).abs().sum() < 1e-8
    assert found.converged.all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_one_query_alone_is_one_query_of_a_batch(dtype: torch.dtype):
    blocks, nodes = random_blocks(5, (40, 60, 7), 300, 5)
    restart = random_restart(5, nodes, 5).to(dtype)
    batch = pagerank(blocks, restart, 0.85, 1e-6, engine="compiled").scores
    for q in range(5):
        own = [_column(b, q) for b in blocks]
        alone = pagerank(own, restart[:, q : q + 1], 0.85, 1e-6, engine="compiled").scores
        assert (alone[:, 0] - batch[:, q]).abs().sum() < 2e-5  # two residuals of 1e-6 over 1 - d


@pytest.mark.parametrize("queries", [1, 3, 4, 16])
def test_the_weights_that_leave_a_node_sum_to_one_where_there_are_any(queries: int):
    blocks, nodes = random_blocks(3, (6, 9, 2), 20, queries)
    edges = merged(blocks, nodes)
    weight, dangling = weigh(edges, blocks, random_restart(3, nodes, queries))
    sums = torch.zeros(nodes, weight.shape[1], dtype=torch.float64)
    sums.index_add_(0, torch.from_numpy(edges.column.astype("int64")), torch.from_numpy(weight))
    out = torch.zeros(nodes, queries, dtype=torch.float64)
    for b in blocks:
        out[b.from_rows] += b.out_sum(queries, torch.float64)
    assert torch.allclose(sums[:, :queries], (out > 0).double())
    assert dangling == bool((out == 0).any())


def test_edges_lie_by_the_node_that_they_enter_and_nodes_by_their_number_of_edges():
    # 0 -> 1, 0 -> 2, 1 -> 2, and the last one back: nodes 0, 1 and 2 are entered 0, 2 and 2 times
    edges = merged([*chain((0, 1), (0, 2), (1, 2), nodes=3), chain((1, 2), nodes=3)[0].reversed()], 3)
    assert edges.node.tolist() == [0, 1, 2]
    assert edges.pointer.tolist() == [0, 0, 2, 4]
    assert edges.column.tolist() == [0, 2, 0, 1]
    assert [place.tolist() for place in edges.places] == [[0, 2, 3], [1]]
    few_last = merged(chain((0, 1), (2, 1), (1, 2), nodes=3), 3)
    assert (few_last.node.tolist(), few_last.column.tolist()) == ([0, 2, 1], [1, 0, 2])


def test_edges_are_sorted_once_for_the_same_blocks():
    blocks, nodes = random_blocks(6, (6, 9, 2), 20, 1)
    first = merged(blocks, nodes)
    assert merged([_column(b, 0) for b in blocks], nodes) is first
    assert merged(blocks[:2], nodes) is not first


def test_indices_of_any_layout_and_width_serve():
    pairs = torch.tensor([[0, 1], [1, 0], [2, 1], [0, 0]])
    restart = torch.tensor([[1.0], [0.0], [0.0], [0.0], [0.0]], dtype=torch.float64)
    weight = torch.ones(4, dtype=torch.float64)
    scores = []
    for index in (pairs, pairs.int(), pairs.T.contiguous().T):
        block = Block(slice(0, 3), slice(3, 5), index[:, 0], index[:, 1], weight)
        walk = [WeightedBlock(block), WeightedBlock(block, reverse=True)]
        scores.append(pagerank(walk, restart, 0.5, 1e-12, engine="compiled").scores)
    assert torch.equal(scores[0], scores[1]) and torch.equal(scores[0], scores[2])


def test_weights_whose_sum_leaves_the_dtype_are_refused_by_name():
    block = Block(slice(0, 1), slice(1, 3), torch.tensor([0, 0]), torch.tensor([0, 1]), torch.ones(2))
    walk = [WeightedBlock(block, torch.full((1, 1), 3e38))]
    with pytest.raises(ValueError, match=r"node 0, query 0 overflow torch\.float32"):
        pagerank(walk, torch.ones(3, 1), engine="compiled")


def test_threads_change_no_bit():
    blocks, nodes = random_blocks(7, (30_000, 20_000, 50), 200_000, 1, reversible=True)
    restart = random_restart(7, nodes, 1)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(pagerank(blocks, restart.repeat(6, 1)[:nodes], 0.85, engine="compiled").scores)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*found)


def _column(block: WeightedBlock, query: int) -> WeightedBlock:
    names = ("source_scale", "target_scale", "value")
    given = {name: getattr(block, name) for name in names}
    cut = {name: None if x is None else x[:, query : query + 1] for name, x in given.items()}
    return dataclasses.replace(block, **cut)
