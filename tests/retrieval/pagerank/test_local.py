from __future__ import annotations

import importlib.util
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.graph.schema import EDGE_TYPES, ENTITY, NODE_TYPES, TURN
from memorai.graph.synthetic import memory_shape, memory_vectors
from memorai.retrieval.pagerank import Block, WeightedBlock, local, local_kernel, pagerank_dense
from memorai.retrieval.pagerank.local import ItemVectors, LocalPageRank
from memorai.retrieval.pagerank.local_graph import (
    LocalEdges,
    LocalGraph,
    cosine_local_graph,
    edge_weights,
    local_graph,
    weighted_local_graph,
)
from tests.retrieval.pagerank.graphs import random_blocks

TYPES = {"relation": 1.0, "mentioned_in": 1.0, "part_of": 1.0}


def chain(*edges: tuple[int, int], nodes: int, weights: list[float] | None = None) -> LocalPageRank:
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    weight = np.array(weights if weights is not None else [1.0] * len(edges))
    return LocalPageRank(local_graph(nodes, [LocalEdges(pairs[:, 0], pairs[:, 1], weight)]))


def one(walk: LocalPageRank, *mass: float, damping: float = 0.85, eps: float = 1e-12) -> np.ndarray:
    seeds = np.flatnonzero(mass)
    return walk(seeds, np.array(mass)[seeds], damping=damping, eps=eps).dense(walk.graph.num_nodes)


def memory(nodes: int, dtype: type = np.float32) -> tuple[LocalGraph, ItemVectors, np.ndarray]:
    """A conditioned graph, its vectors and five queries."""
    shape = memory_shape(nodes, seed=1, long_range=0.5)
    graph = cosine_local_graph(shape.sizes, shape.edges, TYPES)
    entities = shape.sizes[ENTITY]
    vectors = memory_vectors(graph.num_items, 32, seed=1, topic_rows=10).astype(dtype)
    return graph, ItemVectors(vectors[:entities], vectors[entities:]), memory_vectors(5, 32, seed=1, topic_rows=1)


def dense_cosine(nodes: int, similarity: np.ndarray, seeds: np.ndarray, mass: np.ndarray, damping: float) -> np.ndarray:
    """The same walk through WeightedBlocks and the dense solve."""
    shape = memory_shape(nodes, seed=1, long_range=0.5)
    offset = dict(zip(NODE_TYPES, np.cumsum([0, *shape.sizes.values()]).tolist(), strict=False))
    cosine = torch.from_numpy(similarity.astype(np.float64)).clamp_min(0)[:, None]
    entity, turn = (torch.from_numpy(ends) for ends in shape.edges[EDGE_TYPES[1]].index)
    of_turns = torch.zeros(shape.sizes[TURN], 1, dtype=torch.float64).index_add_(0, turn, cosine[entity])
    of_turns /= torch.bincount(turn, minlength=shape.sizes[TURN])[:, None]
    entities = shape.sizes[ENTITY]
    factors = ((None, None, cosine[entities:]), (cosine[:entities], None, None), (of_turns, None, None))
    blocks = []
    for kind, factor in zip(EDGE_TYPES[:3], factors, strict=True):
        index = torch.from_numpy(shape.edges[kind].index)
        rows = [slice(offset[name], offset[name] + shape.sizes[name]) for name in (kind[0], kind[2])]
        block = Block(*rows, index[0], index[1], torch.ones(index.shape[1], dtype=torch.float64))
        blocks += [WeightedBlock(block, *factor), WeightedBlock(block, *factor, reverse=True)]
    restart = torch.zeros(shape.num_nodes, 1, dtype=torch.float64)
    restart[torch.from_numpy(seeds), 0] = torch.from_numpy(mass)
    return pagerank_dense(blocks, restart, damping)[:, 0].numpy()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.tuples(st.integers(0, 8), st.integers(1, 8), st.integers(0, 4)),
    edges=st.integers(0, 30),
    damping=st.sampled_from([0.0, 0.15, 0.5, 0.85, 0.95]),
    eps=st.sampled_from([0.3, 1e-2, 1e-4, 1e-10]),
)
def test_is_the_dense_solve_up_to_the_reported_error(seed, sizes, edges, damping, eps) -> None:
    blocks, nodes = random_blocks(seed, sizes, edges, 2)
    restart = torch.rand(nodes, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    restart *= restart > 0.4
    restart[0] += 0.1
    exact = pagerank_dense(blocks, restart, damping)[:, 1].numpy()
    seeds = np.flatnonzero(restart[:, 1].numpy())
    walk = LocalPageRank(weighted_local_graph(blocks, nodes))
    weights = edge_weights(blocks, 1)
    found = walk(seeds, restart[seeds, 1].numpy(), similarity=weights, damping=damping, eps=eps)
    scores = found.dense(nodes)
    assert found.converged
    assert (scores <= exact + 1e-12).all(), "each score is a lower bound"
    assert np.abs(scores - exact).sum() == pytest.approx(found.error, abs=1e-9)
    assert scores.sum() + found.error == pytest.approx(1)
    if eps == 1e-10:
        assert found.error < 1e-6


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_lazy_weights_are_equation_one(dtype: type, damping: float) -> None:
    graph, items, queries = memory(300, dtype)
    assert items.second is not None
    walk = LocalPageRank(graph, items)
    seeds, mass = np.array([3, 50, 51]), np.array([0.5, 0.25, 0.25])
    for query in queries:
        similarity = np.concatenate([items.first, items.second]).astype(np.float32) @ query
        lazy = walk(seeds, mass, query=query, damping=damping, eps=1e-11).dense(300)
        given_ = walk(seeds, mass, similarity=similarity, damping=damping, eps=1e-11).dense(300)
        exact = dense_cosine(300, similarity, seeds, mass, damping)
        # an edge whose similarity is 0 up to float32 rounding may be there or not: those nodes move a little
        assert np.abs(lazy - exact).sum() < 1e-4
        assert np.abs(given_ - exact).sum() < 1e-7


def test_vectors_may_lie_in_a_read_only_file(tmp_path: Path) -> None:
    graph, items, queries = memory(100, np.float16)
    assert items.second is not None
    np.save(tmp_path / "entities.npy", items.first)
    stored = ItemVectors(np.load(tmp_path / "entities.npy", mmap_mode="r"), items.second)
    seeds, mass = np.array([4], dtype=np.int32), np.ones(1)
    found, expected = (LocalPageRank(graph, i)(seeds, mass, query=queries[0]) for i in (stored, items))
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_transforms() -> None:
    graph, items, queries = memory(100)
    assert items.second is not None
    similarity = np.concatenate([items.first, items.second]) @ queries[0]
    seeds, mass = np.array([0, 9]), np.ones(2)
    shifted = LocalPageRank(graph, ItemVectors(items.first, items.second, slope=0.5, offset=0.5))
    floored = LocalPageRank(graph, ItemVectors(items.first, items.second, floor=0.2))
    plain = LocalPageRank(graph)
    for walk, values in ((shifted, (1 + similarity) / 2), (floored, np.maximum(similarity, 0.2))):
        found = walk(seeds, mass, query=queries[0], eps=1e-10).dense(100)
        expected = plain(seeds, mass, similarity=values, eps=1e-10).dense(100)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def plain_kernel():
    """The kernel's module as it is where numba is not installed."""
    spec = importlib.util.spec_from_file_location("local_kernel_without_numba", local_kernel.__file__)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)
        spec.loader.exec_module(module)
    assert not module.COMPILED
    return module


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_without_numba_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch, dtype: type) -> None:
    pytest.importorskip("numba")
    graph, items, queries = memory(300, dtype)
    seeds, mass = np.array([1, 2, 240]), np.array([1.0, 2.0, 3.0])
    similarity = np.random.default_rng(0).random(graph.num_items)
    compiled = LocalPageRank(graph, items)
    by_query = [compiled(seeds, mass, query=query, eps=1e-7) for query in queries]
    by_number = compiled(seeds, mass, similarity=similarity, eps=1e-7)
    monkeypatch.setattr(local, "kernel", plain_kernel())
    fallback = LocalPageRank(graph, items)
    again = fallback(seeds, mass, similarity=similarity, eps=1e-7)
    np.testing.assert_array_equal(again.nodes, by_number.nodes)
    np.testing.assert_array_equal(again.scores, by_number.scores)
    for query, expected in zip(queries, by_query, strict=True):
        found = fallback(seeds, mass, query=query, eps=1e-7)
        np.testing.assert_allclose(found.dense(300), expected.dense(300), atol=1e-5)


def test_two_nodes_and_split_mass_by_hand() -> None:
    # a dangling node returns its mass to the restart: p0 = 1 / (1 + d)
    np.testing.assert_allclose(one(chain((0, 1), nodes=2), 1, 0, damping=0.5), [2 / 3, 1 / 3], atol=1e-9)
    split = chain((0, 1), (0, 2), nodes=3, weights=[3.0, 1.0])
    np.testing.assert_allclose(one(split, 1, 0, 0, damping=0.5), [2 / 3, 1 / 4, 1 / 12], atol=1e-9)


def test_duplicates_add_and_loops_count() -> None:
    doubled = one(chain((0, 1), (0, 1), (0, 0), nodes=2), 1, 0)
    summed = one(chain((0, 1), (0, 0), nodes=2, weights=[2.0, 1.0]), 1, 0)
    np.testing.assert_allclose(doubled, summed, atol=1e-9)
    np.testing.assert_allclose(one(chain((0, 0), nodes=1), 1), [1], atol=1e-9)


def test_isolated_zero_weight_and_unreachable_nodes() -> None:
    np.testing.assert_allclose(one(chain((1, 2), nodes=4), 1, 0, 0, 0), [1, 0, 0, 0])
    np.testing.assert_allclose(one(chain((0, 1), (1, 0), nodes=2, weights=[0.0, 1.0]), 1, 0), [1, 0])
    found = chain((0, 1), (1, 0), nodes=50)(np.array([0]), np.ones(1))
    assert sorted(found.nodes.tolist()) == [0, 1]


def test_empty_graph_no_seeds_and_repeated_seeds() -> None:
    none = np.array([], dtype=np.int64)
    empty = chain(nodes=0)(none, np.array([]))
    assert empty.nodes.size == 0 and empty.error == 0 and empty.converged
    assert chain((0, 1), nodes=2)(none, np.array([])).top(5).size == 0
    walk = chain((0, 1), (1, 2), (2, 0), nodes=3)
    repeated = walk(np.array([0, 1, 0]), np.array([1.0, 2.0, 1.0]), eps=1e-12).dense(3)
    np.testing.assert_allclose(repeated, one(walk, 2, 2, 0), atol=1e-9)


def test_seeds_without_mass_share_it_and_say_so() -> None:
    found = chain(nodes=3)(np.array([0, 2]), np.zeros(2))
    assert found.fallback
    assert found.dense(3).tolist() == [0.5, 0, 0.5]
    assert not chain(nodes=3)(np.array([0]), np.array([5e-324])).fallback


def test_tiny_weights_stay_finite_and_huge_ones_are_refused() -> None:
    walk = chain((0, 1), (1, 0), nodes=2, weights=[5e-324, 1e-300])
    assert one(walk, 5e-324, 1e-310).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="leave node 0 overflow"):
        one(chain((0, 1), (0, 0), nodes=2, weights=[1.7e308, 1.7e308]), 1, 0)


@pytest.mark.parametrize("damping", [-0.1, 1.0, float("nan")])
def test_damping_outside_its_range(damping: float) -> None:
    with pytest.raises(ValueError, match="damping"):
        one(chain(nodes=1), 1, damping=damping)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_bad_numbers_are_named_and_the_workspace_survives(bad: float) -> None:
    graph, items, queries = memory(100)
    walk = LocalPageRank(graph, items)
    seeds, mass = np.array([0, 1]), np.ones(2)
    before = walk(seeds, mass, query=queries[0])
    with pytest.raises(ValueError, match="mass of seed 1"):
        walk(seeds, np.array([1.0, bad]), query=queries[0])
    if not np.isfinite(bad):
        with pytest.raises(ValueError, match="query at 3"):
            walk(seeds, mass, query=np.where(np.arange(32) == 3, bad, queries[0]))
        with pytest.raises(ValueError, match=r"similarity of item \d+ is not finite"):
            walk(seeds, mass, similarity=np.full(graph.num_items, bad))
    with pytest.raises(ValueError, match="eps"):
        walk(seeds, mass, query=queries[0], eps=-1.0)
    with pytest.raises(ValueError, match="seed 1 is node 100"):
        walk(np.array([0, 100]), mass, query=queries[0])
    after = walk(seeds, mass, query=queries[0])
    np.testing.assert_array_equal(before.nodes, after.nodes)
    np.testing.assert_array_equal(before.scores, after.scores)


def test_shapes_that_do_not_fit() -> None:
    graph, items, queries = memory(100)
    seeds = np.array([0])
    with pytest.raises(ValueError, match="item vectors for"):
        LocalPageRank(graph, ItemVectors(items.first))
    with pytest.raises(ValueError, match="must be integers, as many as mass"):
        LocalPageRank(graph, items)(seeds, np.ones(2), query=queries[0])
    with pytest.raises(ValueError, match="float64 must be integers"):
        LocalPageRank(graph, items)(np.array([0.5]), np.ones(1), query=queries[0])
    with pytest.raises(ValueError, match="query has shape"):
        LocalPageRank(graph, items)(seeds, np.ones(1), query=queries[0][:5])
    with pytest.raises(ValueError, match="similarity has shape"):
        LocalPageRank(graph, items)(seeds, np.ones(1), similarity=np.ones(3))
    with pytest.raises(ValueError, match="depend on a query"):
        LocalPageRank(graph, items)(seeds, np.ones(1))
    with pytest.raises(ValueError, match="C order"):
        ItemVectors(items.first.astype(np.float64))
    with pytest.raises(ValueError, match="floor"):
        ItemVectors(items.first, floor=-1.0)


def test_same_query_same_bits_whatever_came_between() -> None:
    graph, items, queries = memory(2000)
    walk = LocalPageRank(graph, items)
    seeds, mass = np.arange(0, 40, 2), np.linspace(1, 2, 20)
    first = walk(seeds, mass, query=queries[0], eps=1e-7)
    for query in queries[1:]:
        walk(seeds + 1, mass, query=query, eps=1e-8)
    second = walk(seeds, mass, query=queries[0], eps=1e-7)
    fresh = LocalPageRank(graph, items)(seeds, mass, query=queries[0], eps=1e-7)
    for other in (second, fresh):
        np.testing.assert_array_equal(first.nodes, other.nodes)
        np.testing.assert_array_equal(first.scores, other.scores)
        assert (first.pushes, first.error) == (other.pushes, other.error)


def test_nothing_of_the_graphs_size_is_allocated_or_left_behind() -> None:
    size = 400_000
    ring = np.arange(size)
    walk = LocalPageRank(local_graph(size, [LocalEdges(ring, (ring + 1) % size, np.ones(size, dtype=np.float32))]))
    seeds, mass = np.array([7]), np.ones(1)
    walk(seeds, mass)
    tracemalloc.start()
    found = walk(seeds, mass)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.nodes.size < 200
    assert peak < size / 4, "bytes, less than a quarter of one a node"
    assert (walk._work.place == -1).all()


def test_stops_by_tolerance_and_by_budget() -> None:
    graph, items, queries = memory(2000)
    walk = LocalPageRank(graph, items)
    seeds, mass = np.arange(20), np.ones(20)
    loose = walk(seeds, mass, query=queries[0], eps=1e-9, tol=0.1)
    assert loose.converged and 0.01 < loose.error <= 0.1
    cut = walk(seeds, mass, query=queries[0], eps=1e-9, max_edges=500)
    assert not cut.converged and 500 <= cut.edges < 2000
    tight = walk(seeds, mass, query=queries[0], eps=1e-9)
    assert tight.error < loose.error < cut.error


def test_top_breaks_ties_by_node_and_stays_in_its_range() -> None:
    found = local.LocalScores(np.array([5, 3, 9, 1]), np.array([0.2, 0.2, 0.5, 0.1]), 0, True, False, 0, 0, 0)
    assert found.top(2).tolist() == [9, 3]
    assert found.top(9).tolist() == [9, 3, 5, 1]
    assert found.top(2, start=1, stop=6).tolist() == [3, 5]
    assert found.top(0).size == 0


@pytest.mark.parametrize("limit", [{"tol": float("nan")}, {"tol": -1.0}, {"max_edges": -1}, {"max_edges": 10**30}])
def test_limits_of_a_walk_are_checked(limit: dict) -> None:
    graph = local_graph(2, [LocalEdges(np.array([0]), np.array([1]), np.ones(1))])
    with pytest.raises(ValueError, match=next(iter(limit))):
        LocalPageRank(graph)(np.array([0]), np.array([1.0]), **limit)


@pytest.mark.parametrize("limit", [{"tol": "a"}, {"max_edges": 1.5}, {"max_edges": True}, {"eps": "a"}])
def test_limits_of_another_kind_are_refused_in_one_line(limit: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(limit))):
        chain((0, 1), nodes=2)(np.array([0]), np.array([1.0]), **limit)


@pytest.mark.parametrize("k", [-1, 1.5, True])
def test_a_number_of_nodes_is_checked(k: object) -> None:
    found = local.LocalScores(np.array([5]), np.array([0.2]), 0, True, False, 0, 0, 0)
    with pytest.raises(ValueError, match="k="):
        found.top(k)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 7, 31])
def test_a_bad_vector_is_named_whatever_its_dtype(dtype: type, bad: float, place: int) -> None:
    graph, items, _ = memory(100)
    vectors = np.concatenate([items.first, items.second]).astype(dtype)
    vectors[:, place] = bad
    walk = LocalPageRank(graph, ItemVectors(vectors))
    with pytest.raises(ValueError, match=r"similarity of item \d+ is not finite"):
        walk(np.array([0, 1]), np.ones(2), query=np.ones(32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("scale", [1e-300, 1e-30, 2.0**20, 1e39, 1e300])
def test_a_query_of_any_length_gives_the_same_scores(dtype: type, scale: float) -> None:
    graph, items, queries = memory(100)
    walk = LocalPageRank(graph, ItemVectors(np.concatenate([items.first, items.second]).astype(dtype)))
    seeds, query = np.array([0, 1]), queries[0].astype(np.float64)
    expected, found = (walk(seeds, np.ones(2), query=q).dense(100) for q in (query, query * scale))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float16, np.float32, np.longdouble])
def test_numbers_of_any_real_dtype_serve(dtype: type) -> None:
    # 0 -> 1 and 0 -> 2 of weight 1 each, the first conditioned on an item of similarity 1
    edges = LocalEdges(np.array([0, 0]), np.array([1, 2]), np.ones(2, dtype), np.array([0, -1]))
    found = LocalPageRank(local_graph(3, [edges], 1))([0], np.ones(1, dtype), similarity=np.ones(1, dtype), damping=0.5)
    np.testing.assert_allclose(found.dense(3), [2 / 3, 1 / 6, 1 / 6], atol=1e-5)


@pytest.mark.parametrize("name", ["weight", "mass", "similarity", "query"])
def test_numbers_of_another_kind_are_named(name: str) -> None:
    given = {key: np.ones(1, complex if key == name else float) for key in ("weight", "mass", "similarity", "query")}
    vectors = ItemVectors(np.ones((1, 1), np.float32))
    with pytest.raises(ValueError, match=f"{name} has dtype complex128; real numbers are needed"):
        graph = local_graph(2, [LocalEdges(np.array([0]), np.array([1]), given["weight"], np.array([0]))], 1)
        asked = {"query": given["query"]} if name == "query" else {"similarity": given["similarity"]}
        LocalPageRank(graph, vectors)(np.array([0]), given["mass"], **asked)
