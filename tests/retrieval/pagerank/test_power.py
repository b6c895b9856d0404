from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank, pagerank_dense
from tests.retrieval.pagerank.graphs import random_blocks


def chain(*edges: tuple[int, int], nodes: int, weights: list[float] | None = None) -> list[WeightedBlock]:
    pairs = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2)
    weight = torch.tensor(weights if weights is not None else [1.0] * len(edges), dtype=torch.float64)
    whole = slice(0, nodes)
    return [WeightedBlock(Block(whole, whole, pairs[:, 0], pairs[:, 1], weight))]


def column(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)[:, None]


def test_two_nodes_by_hand():
    # 0 -> 1, 1 dangling, restart on 0: p0 = 1 - d + d p1 and p1 = d p0, so p0 = 1 / (1 + d)
    result = pagerank(chain((0, 1), nodes=2), column(1, 0), damping=0.5, tol=1e-12)
    assert torch.allclose(result.scores, column(2 / 3, 1 / 3), atol=1e-11)


def test_weights_split_the_mass_by_hand():
    # 0 gives 3/4 to 1 and 1/4 to 2; both are dangling and return to 0: p0 = 1 / (1 + d)
    result = pagerank(chain((0, 1), (0, 2), nodes=3, weights=[3.0, 1.0]), column(1, 0, 0), damping=0.5, tol=1e-12)
    assert torch.allclose(result.scores, column(2 / 3, 1 / 4, 1 / 12), atol=1e-11)


def test_damping_is_the_probability_to_follow_an_edge_as_in_networkx():
    graph = nx.gnp_random_graph(30, 0.15, seed=3, directed=True)
    for i, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1 + i % 5
    restart = {node: 1 + node % 3 for node in graph}
    expected = nx.pagerank(graph, alpha=0.3, personalization=restart, dangling=restart, tol=1e-14, max_iter=1000)
    weights = [float(graph[u][v]["weight"]) for u, v in graph.edges]
    blocks = chain(*graph.edges, nodes=30, weights=weights)
    result = pagerank(blocks, column(*[restart[n] for n in range(30)]), damping=0.3, tol=1e-12)
    assert torch.allclose(result.scores, column(*[expected[n] for n in range(30)]), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.tuples(st.integers(0, 8), st.integers(1, 8), st.integers(0, 4)),
    edges=st.integers(0, 30),
    queries=st.integers(1, 4),
    damping=st.sampled_from([0.0, 0.15, 0.5, 0.85, 0.95]),
)
def test_equals_the_dense_solve_and_sums_to_one(seed, sizes, edges, queries, damping):
    blocks, nodes = random_blocks(seed, sizes, edges, queries)
    restart = torch.rand(nodes, queries, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    result = pagerank(blocks, restart, damping, tol=1e-10, max_iter=2000)
    assert result.converged.all()
    assert float((result.scores - pagerank_dense(blocks, restart, damping)).abs().sum(0).max()) < 1e-7
    assert torch.allclose(result.scores.sum(0), torch.ones(queries, dtype=torch.float64), atol=1e-9)


def test_batch_equals_one_query_at_a_time():
    blocks, nodes = random_blocks(7, (12, 20, 4), 60, 5)
    restart = torch.rand(nodes, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    together = pagerank(blocks, restart, 0.85, tol=1e-12, max_iter=1000).scores

    def only(block: WeightedBlock, q: int) -> WeightedBlock:
        factors = (
            None if f is None else f[:, q : q + 1] for f in (block.source_scale, block.target_scale, block.value)
        )
        return WeightedBlock(block.block, *factors, reverse=block.reverse)

    for q in range(5):
        alone = pagerank([only(b, q) for b in blocks], restart[:, q : q + 1], 0.85, tol=1e-12, max_iter=1000).scores
        assert torch.allclose(together[:, q : q + 1], alone, atol=1e-11)


def test_is_bitwise_the_same_twice():
    blocks, nodes = random_blocks(11, (40, 60, 6), 300, 8)
    restart = torch.rand(nodes, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    assert torch.equal(pagerank(blocks, restart).scores, pagerank(blocks, restart).scores)


def test_float32_is_close_to_float64():
    weight = torch.tensor([1.0, 2.0, 3.0])
    whole = slice(0, 3)
    block = Block(whole, whole, torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0]), weight)
    single = pagerank([WeightedBlock(block)], column(1, 0, 0).float(), tol=1e-6)
    assert single.scores.dtype == torch.float32
    exact = pagerank_dense([WeightedBlock(block)], column(1, 0, 0))
    assert torch.allclose(single.scores.double(), exact, atol=1e-5)


@pytest.mark.parametrize("nodes", [0, 1, 4])
def test_without_edges_the_scores_are_the_restart(nodes):
    restart = torch.arange(1, nodes + 1, dtype=torch.float64)[:, None]
    result = pagerank([], restart)
    assert torch.allclose(result.scores, restart / restart.sum(0).clamp_min(1))
    assert result.converged.all()


def test_no_restart_falls_back_to_the_candidates_and_says_so():
    candidates = torch.tensor([[True], [False], [True]])
    result = pagerank(chain(nodes=3), column(0, 0, 0), candidates=candidates)
    assert result.fallback.tolist() == [True]
    assert result.scores[:, 0].tolist() == [0.5, 0.0, 0.5]
    assert pagerank(chain(nodes=3), column(0, 0, 2)).fallback.tolist() == [False]


def test_isolated_seed_keeps_its_mass():
    result = pagerank(chain((1, 2), nodes=3), column(1, 0, 0), damping=0.85)
    assert torch.allclose(result.scores, column(1, 0, 0))


def test_duplicate_edges_add_and_loops_count():
    doubled = pagerank(chain((0, 1), (0, 1), (0, 0), nodes=2), column(1, 0), tol=1e-12)
    summed = pagerank(chain((0, 1), (0, 0), nodes=2, weights=[2.0, 1.0]), column(1, 0), tol=1e-12)
    assert torch.allclose(doubled.scores, summed.scores, atol=1e-12)


def test_tiny_weights_and_restarts_stay_finite():
    result = pagerank(chain((0, 1), (1, 0), nodes=2, weights=[5e-324, 1e-300]), column(5e-324, 1e-310))
    assert torch.isfinite(result.scores).all()
    assert float(result.scores.sum()) == pytest.approx(1)


@pytest.mark.parametrize("damping", [-0.1, 1.0, 1.5, float("nan")])
def test_damping_outside_its_range_is_refused(damping):
    with pytest.raises(ValueError, match="damping"):
        pagerank([], column(1), damping)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_bad_restart_names_the_first_index(bad):
    with pytest.raises(ValueError, match="restart of node 1, query 0"):
        pagerank([], column(1, bad, bad))


def test_weights_that_overflow_are_refused():
    blocks = chain((0, 1), (0, 0), nodes=2, weights=[1.7e308, 1.7e308])
    with pytest.raises(ValueError, match="node 0, query 0 overflow"):
        pagerank(blocks, column(1, 0))


def test_not_converged_is_flagged_and_warned_of():
    with pytest.warns(RuntimeWarning, match="1 of 1 queries did not reach"):
        result = pagerank(chain((0, 1), (1, 0), nodes=2), column(1, 0), damping=0.99, tol=1e-12, max_iter=3)
    assert result.iterations == 3
    assert not result.converged.any()
    assert float(result.residual) > 1e-12


def test_relabelling_the_nodes_changes_nothing():
    edges, weights = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 1)], [1.0, 2.0, 3.0, 4.0, 5.0]
    order = [2, 0, 3, 1]
    moved = [(order[u], order[v]) for u, v in edges]
    restart = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    plain = pagerank(chain(*edges, nodes=4, weights=weights), restart[:, None], tol=1e-13, max_iter=500).scores
    relabelled = torch.empty_like(restart)
    relabelled[order] = restart
    other = pagerank(chain(*moved, nodes=4, weights=weights), relabelled[:, None], tol=1e-13, max_iter=500).scores
    assert torch.allclose(plain, other[order], atol=1e-11)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda_equals_cpu():
    blocks, nodes = random_blocks(5, (20, 30, 4), 120, 6)
    restart = torch.rand(nodes, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(5))

    def to_cuda(block: WeightedBlock) -> WeightedBlock:
        b = block.block
        moved = Block(b.source_rows, b.target_rows, b.source.cuda(), b.target.cuda(), b.weight.cuda())
        factors = (None if f is None else f.cuda() for f in (block.source_scale, block.target_scale, block.value))
        return WeightedBlock(moved, *factors, reverse=block.reverse)

    gpu = pagerank([to_cuda(b) for b in blocks], restart.cuda(), tol=1e-12, max_iter=500).scores.cpu()
    assert torch.allclose(gpu, pagerank(blocks, restart, tol=1e-12, max_iter=500).scores, atol=1e-10)
