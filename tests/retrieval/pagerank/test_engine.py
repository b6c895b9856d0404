"""Every exact engine against the dense solve, other libraries and the definition; and what bad input does."""

from __future__ import annotations

import dataclasses
import warnings

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank, pagerank_dense
from tests.retrieval.pagerank.graphs import (
    ITERATIVE,
    both_ways,
    chain,
    convert,
    plain_power,
    random_blocks,
    random_restart,
)

ENGINES = [*ITERATIVE, "push", "solve"]
NEEDS_CUDA = [pytest.mark.cuda, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")]
DEVICES = ["cpu", pytest.param("cuda", marks=NEEDS_CUDA)]


def column(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)[:, None]


def on(device: str, blocks: list[WeightedBlock]) -> list[WeightedBlock]:
    """The same blocks on a device; shared blocks and factors stay shared."""
    moved: dict[int, Block] = {}
    for b in (w.block for w in blocks):
        rows = (b.source_rows, b.target_rows)
        moved.setdefault(id(b), Block(*rows, b.source.to(device), b.target.to(device), b.weight.to(device)))
    there = convert(blocks, lambda factor: factor.to(device))
    return [WeightedBlock(moved[id(w.block)], w.source_scale, w.target_scale, w.value, w.reverse) for w in there]


@pytest.mark.parametrize("engine", ENGINES)
def test_two_nodes_by_hand(engine):
    # 0 -> 1, 1 dangling, restart on 0: p0 = 1 - d + d p1 and p1 = d p0, so p0 = 1 / (1 + d)
    result = pagerank(chain((0, 1), nodes=2), column(1, 0), damping=0.5, tol=1e-12, engine=engine)
    assert torch.allclose(result.scores, column(2 / 3, 1 / 3), atol=1e-11)
    assert result.engine == engine


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_split_the_mass_by_hand(engine):
    # 0 gives 3/4 to 1 and 1/4 to 2; both are dangling and return to 0: p0 = 1 / (1 + d)
    blocks = chain((0, 1), (0, 2), nodes=3, weights=[3.0, 1.0])
    result = pagerank(blocks, column(1, 0, 0), damping=0.5, tol=1e-12, engine=engine)
    assert torch.allclose(result.scores, column(2 / 3, 1 / 4, 1 / 12), atol=1e-11)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.tuples(st.integers(0, 8), st.integers(1, 8), st.integers(0, 4)),
    edges=st.integers(0, 30),
    queries=st.integers(1, 18),
    damping=st.sampled_from([0.0, 0.15, 0.5, 0.85, 0.95]),
    reversible=st.booleans(),
    unit=st.booleans(),
)
def test_equals_the_dense_solve_and_sums_to_one(engine, device, seed, sizes, edges, queries, damping, reversible, unit):
    if engine in ("compiled", "push") and device != "cpu":
        pytest.skip(f"{engine} runs on the CPU")
    blocks, nodes = random_blocks(seed, sizes, edges, queries, reversible, unit)
    restart = random_restart(seed, nodes, queries)
    blocks_there = on(device, blocks)
    result = pagerank(blocks_there, restart.to(device), damping, tol=1e-8, max_iter=2000, engine=engine)
    exact = pagerank_dense(blocks, restart, damping)
    scores = result.scores.cpu()
    assert result.converged.all()
    assert float((scores - exact).abs().sum(0).max()) < 1e-6
    assert torch.allclose(scores.sum(0), torch.ones(queries, dtype=torch.float64), atol=1e-12)
    assert float(scores.min()) >= 0


@pytest.mark.parametrize("engine", ITERATIVE)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), reversible=st.booleans(), damping=st.sampled_from([0.3, 0.85]))
def test_the_residual_bounds_that_of_the_scores(engine, seed, reversible, damping):
    blocks, nodes = random_blocks(seed, (9, 14, 3), 40, 3, reversible)
    restart = random_restart(seed, nodes, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = pagerank(blocks, restart, damping, tol=1e-4, max_iter=6, engine=engine)
    image = _image(blocks, result.scores, restart, damping)
    assert bool(((image - result.scores).abs().sum(0) <= result.residual * 1.01 + 1e-12).all())


def _image(blocks, scores, restart, damping):
    """F(p), by one plain step from p."""
    s = restart / restart.sum(0)
    out = torch.zeros_like(s)
    for block in blocks:
        out[block.from_rows] += block.out_sum(s.shape[1], s.dtype)
    leaving = torch.where(out > 0, scores / torch.where(out > 0, out, 1), 0)
    moved = torch.zeros_like(s)
    for block in blocks:
        moved[block.to_rows] += block.push(leaving[block.from_rows])
    return (1 - damping + damping * (scores * (out <= 0)).sum(0)) * s + damping * moved


def weighted_digraph(seed: int) -> tuple[nx.DiGraph, list[float], torch.Tensor]:
    graph = nx.gnp_random_graph(40, 0.12, seed=seed, directed=True)
    weights = [1.0 + i % 5 for i in range(graph.number_of_edges())]
    for (u, v), weight in zip(graph.edges, weights, strict=True):
        graph[u][v]["weight"] = weight
    return graph, weights, torch.tensor([1.0 + node % 3 for node in graph], dtype=torch.float64)


@pytest.mark.parametrize("engine", ENGINES)
def test_agrees_with_networkx(engine):
    graph, weights, restart = weighted_digraph(3)
    mass = dict(enumerate(restart.tolist()))
    expected = nx.pagerank(graph, alpha=0.3, personalization=mass, dangling=mass, tol=1e-14, max_iter=1000)
    result = pagerank(chain(*graph.edges, nodes=40, weights=weights), restart[:, None], 0.3, tol=1e-12, engine=engine)
    assert torch.allclose(result.scores, column(*[expected[n] for n in range(40)]), atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reversible", [False, True])
def test_agrees_with_igraph(engine, reversible):
    igraph = pytest.importorskip("igraph", reason="igraph (prpack) is not installed")
    graph, weights, restart = weighted_digraph(4)
    # prpack sends dangling mass to all nodes alike, so the comparison is defined on a graph without dangling nodes
    edges = [*graph.edges, *((node, (node + 1) % 40) for node in range(40))]
    weights = weights + [1.0] * 40
    peer = igraph.Graph(n=40, edges=edges, directed=not reversible)
    expected = peer.personalized_pagerank(damping=0.85, reset=restart.tolist(), weights=weights)
    blocks = chain(*edges, nodes=40, weights=weights)
    blocks = both_ways(blocks) if reversible else blocks
    result = pagerank(blocks, restart[:, None], 0.85, tol=1e-12, max_iter=500, engine=engine)
    assert torch.allclose(result.scores, column(*expected), atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reversible", [False, True])
def test_batch_equals_one_query_at_a_time(engine, reversible):
    blocks, nodes = random_blocks(7, (12, 20, 4), 60, 21, reversible)
    restart = random_restart(1, nodes, 21)
    options = {"tol": 1e-12, "max_iter": 1000, "engine": engine}
    together = pagerank(blocks, restart, **options).scores
    for q in range(21):
        some = convert(blocks, lambda factor, q=q: factor[:, q : q + 1])
        alone = pagerank(some, restart[:, q : q + 1], **options).scores
        assert torch.allclose(together[:, q : q + 1], alone, atol=1e-11)
    in_threes = pagerank(blocks, restart, batch_size=3, **options).scores
    assert torch.allclose(together, in_threes, atol=1e-11)


@pytest.mark.parametrize("engine", ITERATIVE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_is_bitwise_the_same_twice_and_on_any_number_of_threads(engine, dtype):
    blocks, nodes = random_blocks(11, (4000, 9000, 300), 30_000, 17, reversible=True)
    restart = random_restart(2, nodes, 17)
    once = pagerank(blocks, restart, engine=engine, dtype=dtype).scores
    assert torch.equal(once, pagerank(blocks, restart, engine=engine, dtype=dtype).scores)
    threads = torch.get_num_threads()
    if engine == "compiled":
        torch.set_num_threads(3 if threads != 3 else 2)
        try:
            assert torch.equal(once, pagerank(blocks, restart, engine=engine, dtype=dtype).scores)
        finally:
            torch.set_num_threads(threads)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reversible", [False, True])
def test_relabelling_the_nodes_changes_nothing(engine, reversible):
    edges, weights = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 1)], [1.0, 2.0, 3.0, 4.0, 5.0]
    order = [2, 0, 3, 1]
    moved = [(order[u], order[v]) for u, v in edges]
    plain, other = chain(*edges, nodes=4, weights=weights), chain(*moved, nodes=4, weights=weights)
    if reversible:
        plain, other = both_ways(plain), both_ways(other)
    restart = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    relabelled = torch.empty_like(restart)
    relabelled[order] = restart
    options = {"tol": 1e-13, "max_iter": 500, "engine": engine}
    scores = pagerank(plain, restart[:, None], **options).scores
    assert torch.allclose(scores, pagerank(other, relabelled[:, None], **options).scores[order], atol=1e-11)


@pytest.mark.parametrize("engine", ITERATIVE)
def test_float32_reaches_its_tolerance(engine):
    blocks, nodes = random_blocks(12, (300, 500, 40), 2000, 16, reversible=True)
    restart = random_restart(3, nodes, 16)
    result = pagerank(blocks, restart, 0.85, tol=1e-6, max_iter=200, engine=engine, dtype=torch.float32)
    assert result.scores.dtype == torch.float32
    assert result.converged.all()
    exact = pagerank_dense(blocks, restart, 0.85)
    assert float((result.scores.double() - exact).abs().sum(0).max()) < 1e-6 / (1 - 0.85)


@pytest.mark.parametrize("engine", ITERATIVE)
def test_a_reversible_walk_needs_fewer_products(engine):
    blocks = both_ways(chain(*((i, i + 1) for i in range(99)), nodes=100))
    result = pagerank(blocks, random_restart(4, 100, 2), 0.85, tol=1e-9, max_iter=400, engine=engine)
    assert result.iterations > 100 if engine == "power" else result.iterations < 50


@pytest.mark.parametrize("engine", ITERATIVE)
def test_masks_equal_the_subgraphs_one_by_one(engine):
    blocks, nodes = random_blocks(21, (15, 25, 5), 90, 6, reversible=True)
    restart = random_restart(5, nodes, 6)
    mask = torch.rand(nodes, 6, generator=torch.Generator().manual_seed(6)) > 0.4
    mask[0] = True
    inside = mask.double()
    masked = []
    for b in blocks:
        source, target = inside[b.block.source_rows], inside[b.block.target_rows]
        source = source if b.source_scale is None else source * b.source_scale
        target = target if b.target_scale is None else target * b.target_scale
        masked.append(WeightedBlock(b.block, source, target, b.value, b.reverse))
    options = {"tol": 1e-12, "max_iter": 2000, "engine": engine}
    together = pagerank(masked, restart * inside, candidates=mask, **options).scores
    for q in range(6):
        kept = mask[:, q].nonzero()[:, 0]
        place = torch.full((nodes,), -1)
        place[kept] = torch.arange(len(kept))
        whole, alone = slice(0, len(kept)), []
        for b in blocks:
            ends = (b.block.source + b.block.source_rows.start, b.block.target + b.block.target_rows.start)
            weight = b.block.weight.clone()
            for factor, at in ((b.source_scale, b.block.source), (b.target_scale, b.block.target), (b.value, ...)):
                weight = weight if factor is None else weight * factor[:, q][at]
            stays = mask[ends[0], q] & mask[ends[1], q]
            cut = Block(whole, whole, place[ends[0]][stays], place[ends[1]][stays], weight[stays])
            alone.append(WeightedBlock(cut, reverse=b.reverse))
        expected = torch.zeros(nodes, dtype=torch.float64)
        expected[kept] = pagerank(alone, restart[kept, q : q + 1], **options).scores[:, 0]
        assert torch.allclose(together[:, q], expected, atol=1e-10)


@pytest.mark.parametrize("engine", [*ITERATIVE, "auto"])
def test_the_top_50_of_a_memory_shaped_graph_are_those_of_the_plain_iteration(engine):
    blocks, nodes = random_blocks(31, (500, 300, 30), 1500, 20, reversible=True, unit=True)
    restart = random_restart(7, nodes, 20)
    expected = plain_power(blocks, restart, 0.85, steps=200)
    found = pagerank(blocks, restart, 0.85, tol=1e-8, max_iter=500, engine=engine).scores
    for q in range(20):
        best = found[:, q].topk(50).indices
        # to within ties: whoever is in the top 50 scores no less than the 50th, up to the tolerance
        assert float(expected[best, q].min()) >= float(expected[:, q].topk(50).values[-1]) - 1e-8


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("nodes", [0, 1, 4])
def test_without_edges_the_scores_are_the_restart(engine, nodes):
    restart = torch.arange(1, nodes + 1, dtype=torch.float64)[:, None]
    for blocks in ([], chain(nodes=nodes)):
        result = pagerank(blocks, restart, engine=engine)
        assert torch.allclose(result.scores, restart / restart.sum(0).clamp_min(1))
        assert result.converged.all()


@pytest.mark.parametrize("engine", ENGINES)
def test_no_queries_give_no_columns(engine):
    assert pagerank(chain((0, 1), nodes=2), torch.zeros(2, 0), engine=engine).scores.shape == (2, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_restart_falls_back_to_the_candidates_and_says_so(engine):
    candidates = torch.tensor([[True], [False], [True]])
    result = pagerank(chain(nodes=3), column(0, 0, 0), candidates=candidates, engine=engine)
    assert result.fallback.tolist() == [True]
    assert result.scores[:, 0].tolist() == pytest.approx([0.5, 0.0, 0.5])
    assert pagerank(chain(nodes=3), column(0, 0, 2), engine=engine).fallback.tolist() == [False]


@pytest.mark.parametrize("engine", ENGINES)
def test_isolated_seed_keeps_its_mass(engine):
    result = pagerank(both_ways(chain((1, 2), nodes=3)), column(1, 0, 0), damping=0.85, engine=engine)
    assert torch.allclose(result.scores, column(1, 0, 0))


@pytest.mark.parametrize("engine", ENGINES)
def test_duplicate_edges_add_and_loops_count(engine):
    doubled = pagerank(chain((0, 1), (0, 1), (0, 0), nodes=2), column(1, 0), tol=1e-12, engine=engine)
    summed = pagerank(chain((0, 1), (0, 0), nodes=2, weights=[2.0, 1.0]), column(1, 0), tol=1e-12, engine=engine)
    assert torch.allclose(doubled.scores, summed.scores, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reversible", [False, True])
def test_extreme_weights_and_restarts_stay_finite(engine, reversible):
    blocks = chain((0, 1), (1, 0), (1, 2), nodes=3, weights=[5e-324, 1e-300, 1e300])
    result = pagerank(both_ways(blocks) if reversible else blocks, column(5e-324, 1e-310, 0), engine=engine)
    assert torch.isfinite(result.scores).all()
    assert float(result.scores.sum()) == pytest.approx(1)


@pytest.mark.parametrize("engine", ITERATIVE)
def test_a_node_whose_weights_are_too_small_to_divide_by_dangles(engine):
    # 1 / (sum of the target factors) overflows, and the weight itself is below 1e-292
    block = chain((0, 1), nodes=2)[0].block
    scaled = WeightedBlock(block, source_scale=column(1e10, 1), target_scale=column(1, 1e-310))
    assert torch.equal(pagerank([scaled], column(1, 0), 0.5, engine=engine).scores, column(1, 0))


@pytest.mark.parametrize("engine", ITERATIVE)
def test_hubs_and_weights_of_many_magnitudes_converge(engine):
    generator = torch.Generator().manual_seed(8)
    edges = [(0, i) for i in range(1, 200)] + [(i, i + 1) for i in range(1, 199)]
    weights = (10 ** (20 * torch.rand(len(edges), generator=generator, dtype=torch.float64) - 10)).tolist()
    blocks = both_ways(chain(*edges, nodes=200, weights=weights))
    restart = random_restart(9, 200, 1)
    result = pagerank(blocks, restart, 0.85, tol=1e-8, max_iter=1000, engine=engine)
    assert result.converged.all()
    assert float((result.scores - pagerank_dense(blocks, restart, 0.85)).abs().sum()) < 1e-6


@pytest.mark.parametrize("damping", [-0.1, 1.0, 1.5, float("nan")])
def test_damping_outside_its_range_is_refused(damping):
    with pytest.raises(ValueError, match="damping"):
        pagerank([], column(1), damping)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_bad_restart_names_the_first_index(bad):
    with pytest.raises(ValueError, match="restart of node 1, query 0"):
        pagerank([], column(1, bad, bad))


@pytest.mark.parametrize("engine", ITERATIVE)
def test_weights_that_overflow_are_refused(engine):
    blocks = chain((0, 1), (0, 0), nodes=2, weights=[1.7e308, 1.7e308])
    with pytest.raises(ValueError, match="node 0, query 0 overflow"):
        pagerank(blocks, column(1, 0), engine=engine)
    with pytest.raises(ValueError, match="node 0, query 0 overflow"):
        pagerank(chain((0, 1), nodes=2, weights=[1e60]), column(1, 0), engine=engine, dtype=torch.float32)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"engine": "fast"}, "known: auto, power"),
        ({"dtype": torch.float16}, "float32 or float64"),
        ({"max_iter": 0}, "at least 1"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"batch_size": 2.0}, "batch_size=2.0"),
        ({"batch_size": True}, "batch_size=True"),
        ({"candidates": torch.ones(3, 1)}, "candidates is torch.float32"),
    ],
)
def test_bad_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        pagerank(chain((0, 1), nodes=2), column(1, 0), **options)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="rows beyond the 1 of the restart"):
        pagerank(chain((0, 1), nodes=2), column(1))
    with pytest.raises(ValueError, match="factors of 2 queries, the restart has 1"):
        pagerank([WeightedBlock(chain((0, 1), nodes=2)[0].block, torch.ones(2, 2))], column(1, 0))
    with pytest.raises(ValueError, match=r"expected \[N, Q\]"):
        pagerank([], torch.ones(3))


@pytest.mark.parametrize("engine", ITERATIVE)
def test_not_converged_is_flagged_and_warned_of(engine):
    with pytest.warns(RuntimeWarning, match="1 of 1 queries did not reach"):
        result = pagerank(chain((0, 1), (1, 0), nodes=2), column(1, 0), 0.99, tol=1e-12, max_iter=3, engine=engine)
    assert result.iterations == 3
    assert not result.converged.any()
    assert float(result.residual) > 1e-12


def test_without_numba_auto_takes_torch_and_compiled_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("memorai.retrieval.pagerank.engine._has_numba", lambda: False)
    few, many = column(1, 0), torch.ones(2, 5, dtype=torch.float64)
    assert pagerank(chain((0, 1), nodes=2), few).engine == "solve"  # LU is quicker than torch's calls
    assert pagerank(chain((0, 1), nodes=2), many).engine == "batched"
    assert pagerank(chain((0, 1), nodes=129), torch.ones(129, 1)).engine == "batched"
    with pytest.raises(ValueError, match=r"pip install 'memorai\[fast\]'"):
        pagerank(chain((0, 1), nodes=2), column(1, 0), engine="compiled")


def test_the_dense_engine_refuses_large_graphs():
    with pytest.raises(ValueError, match="at most 8192 nodes"):
        pagerank([], torch.ones(8193, 1), engine="solve")


@pytest.mark.parametrize(
    ("limit", "match"),
    [
        ({"tol": 0.0}, "tol=0.0"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"tol": float("nan")}, "tol=nan"),
        ({"tol": float("inf")}, "tol=inf"),
        ({"tol": None}, "tol=None"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"max_iter": 1.5}, "max_iter=1.5"),
        ({"max_iter": True}, "max_iter=True"),
        ({"candidates": torch.tensor([[1.0], [-0.5]])}, "candidates is torch.float32"),
    ],
)
def test_limits_and_candidates_are_checked(limit, match):
    with pytest.raises(ValueError, match=match):
        pagerank([], torch.ones(2, 1), **limit)


def test_limits_may_be_numbers_of_numpy():
    limits = {"damping": np.float32(0.5), "tol": np.float32(1e-6), "max_iter": np.int64(50), "batch_size": np.int32(1)}
    result = pagerank(chain((0, 1), nodes=2), column(1, 0), **limits)
    assert torch.allclose(result.scores, column(2 / 3, 1 / 3), atol=1e-5)


def test_rows_outside_the_graph_are_refused_not_broadcast():
    block = Block(slice(0, 2), slice(2, 3), torch.tensor([0, 1]), torch.tensor([0, 0]), torch.ones(2))
    with pytest.raises(ValueError, match="rows beyond the 2 of the restart"):
        pagerank([WeightedBlock(block)], torch.ones(2, 2))


@pytest.mark.parametrize("engine", ITERATIVE)
@pytest.mark.parametrize("damping", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize(("isolated", "share"), [(1, 9.0), (30, 1.0), (300, 0.2)])
def test_mass_on_isolated_nodes_stops_no_reversible_walk_early(engine, damping, isolated, share):
    # Chebyshev's iterates of an isolated seed begin below zero: their sum says nothing of the residual then
    walk = both_ways(chain((0, 1), (1, 2), (0, 3), nodes=4 + isolated))
    restart = torch.full((4 + isolated, 5), share, dtype=torch.float64)
    restart[:4] = torch.rand(4, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    found = pagerank(walk, restart, damping, 1e-10, 5000, engine=engine)
    assert (found.residual >= 0).all() and found.converged.all()
    assert (found.scores - pagerank_dense(walk, restart, damping)).abs().sum(0).max() < 1e-7


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_static_weights_that_an_optimizer_changes_in_place_are_read_again(engine, dtype):
    weight = torch.ones(3, dtype=dtype, requires_grad=True)
    ends = torch.tensor([[0, 0, 1], [2, 3, 3]])
    block = Block(slice(0, 2), slice(2, 4), ends[0], ends[1] - 2, weight)
    walk = both_ways([WeightedBlock(block)])
    optimizer = torch.optim.SGD([weight], lr=0.5)
    for _ in range(3):
        scores = pagerank(walk, torch.ones(4, 1, dtype=torch.float64), 0.5, 1e-10, engine=engine).scores
        fresh = both_ways([WeightedBlock(dataclasses.replace(block, weight=weight.detach().clone()))])
        exact = pagerank_dense(fresh, torch.ones(4, 1, dtype=torch.float64), 0.5)
        assert torch.allclose(scores.detach(), exact, atol=1e-6)
        optimizer.zero_grad()
        (-scores[2, 0]).backward()
        optimizer.step()
    assert not torch.equal(weight.detach(), torch.ones(3, dtype=dtype))


@pytest.mark.parametrize("engine", ENGINES)
def test_factors_that_only_together_overflow_are_refused(engine):
    walk = [dataclasses.replace(chain((0, 1), nodes=2)[0], source_scale=torch.full((2, 1), 1e300, dtype=torch.float64))]
    walk = [dataclasses.replace(walk[0], target_scale=torch.full((2, 1), 1e300, dtype=torch.float64))]
    with pytest.raises(ValueError, match=r"node 0, query 0 overflow"):
        pagerank(walk, torch.ones(2, 1, dtype=torch.float64), engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_may_come_one_by_one(engine):
    walk, restart = both_ways(chain((0, 1), (1, 2), nodes=3)), torch.eye(3, dtype=torch.float64)
    one_by_one = pagerank((block for block in walk), restart, 0.5, engine=engine).scores
    assert torch.equal(one_by_one, pagerank(walk, restart, 0.5, engine=engine).scores)


@pytest.mark.parametrize("engine", ITERATIVE)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31 - 1),
    queries=st.integers(1, 40),
    reversible=st.booleans(),
    isolated=st.integers(0, 30),
    decades=st.sampled_from([0, 2, 6, 12]),
    seeds=st.sampled_from([0.05, 0.3, 1.0]),
    damping=st.sampled_from([0.5, 0.85, 0.95, 0.99]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_scores_are_as_close_as_their_residual_says(
    engine, seed, queries, reversible, isolated, decades, seeds, damping, dtype
):
    generator = torch.Generator().manual_seed(seed)

    def spread(factor: torch.Tensor) -> torch.Tensor:
        return factor * 10 ** (-decades * torch.rand(factor.shape, generator=generator, dtype=torch.float64))

    blocks, nodes = random_blocks(seed, (6, 8, 2), 30, queries, reversible)
    blocks = convert(blocks, spread)
    # most of the mass may lie on nodes that no edge leaves
    restart = torch.rand(nodes + isolated, queries, generator=generator, dtype=torch.float64)
    restart *= torch.rand(restart.shape, generator=generator) < seeds
    restart[0] += 1e-3
    restart = restart.to(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = pagerank(blocks, restart, damping, tol=1e-5, max_iter=3000, engine=engine)
    error = (found.scores.double() - pagerank_dense(blocks, restart, damping)).abs().sum(0)
    rounding = 1e-5 if dtype == torch.float32 else 1e-13
    assert bool((found.residual >= 0).all()) and bool((found.scores >= 0).all())
    assert bool((error <= (found.residual.double() + rounding) / (1 - damping)).all())
