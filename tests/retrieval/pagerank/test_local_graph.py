from __future__ import annotations

import numpy as np
import pytest
import torch

from memorai.graph.schema import ENTITY, MENTIONED_IN, NEXT, PART_OF, RELATION, SNIPPET, TURN, Edges
from memorai.retrieval.pagerank.local_graph import (
    LocalEdges,
    cosine_local_graph,
    edge_weights,
    local_graph,
    weighted_local_graph,
)
from tests.retrieval.pagerank.graphs import random_blocks

SIZES = {ENTITY: 3, TURN: 2, SNIPPET: 1}
TYPES = {"relation": 2.0, "mentioned_in": 1.0, "part_of": 0.5, "next": 0.25}


def edges(*pairs: tuple[int, int]) -> Edges:
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Edges(index, np.full(len(pairs), 3.0, dtype=np.float32))


def small() -> dict:
    return {
        RELATION: edges((0, 1), (0, 1)),
        MENTIONED_IN: edges((0, 0), (1, 0), (1, 1)),
        PART_OF: edges((0, 0), (1, 0)),
        NEXT: edges((0, 1)),
    }


def rows(graph) -> list[list[tuple[int, float, int]]]:
    return [
        [(int(graph.target[e]), float(graph.weight[e]), int(graph.item[e])) for e in range(start, stop)]
        for start, stop in zip(graph.indptr[:-1], graph.indptr[1:], strict=True)
    ]


def test_edges_and_their_items_by_hand() -> None:
    # nodes: entities 0-2, turns 3-4, snippet 5; items: entities 0-2, relations 3-4, turns (groups) 5-6
    graph = cosine_local_graph(SIZES, small(), TYPES)
    assert rows(graph) == [
        [(1, 2.0, 3), (1, 2.0, 4), (3, 1.0, 0)],
        [(0, 2.0, 3), (0, 2.0, 4), (3, 1.0, 1), (4, 1.0, 1)],
        [],
        [(0, 1.0, 0), (1, 1.0, 1), (5, 0.5, 5), (4, 0.25, -1)],
        [(1, 1.0, 1), (5, 0.5, 6), (3, 0.25, -1)],
        [(3, 0.5, 5), (4, 0.5, 6)],
    ]
    assert graph.num_items == 5
    assert graph.group_indptr.tolist() == [0, 2, 3] and graph.group_item.tolist() == [0, 1, 1]
    assert (graph.num_nodes, graph.num_edges, graph.num_groups) == (6, 16, 2)


def test_reverse_and_static_weights() -> None:
    none = cosine_local_graph(SIZES, small(), TYPES, reverse="none")
    assert rows(none)[3:] == [[(5, 0.5, 5), (4, 0.25, -1)], [(5, 0.5, 6)], []]
    uniform = cosine_local_graph(SIZES, small(), {"mentioned_in": 1.0}, reverse="uniform", static=True)
    assert rows(uniform)[1] == [(3, 3.0, 1), (4, 3.0, 1)]
    assert rows(uniform)[3] == [(0, 3.0, -1), (1, 3.0, -1)]


def test_written_out_weights_match_the_blocks() -> None:
    blocks, nodes = random_blocks(3, (5, 6, 2), 20, 3)
    dense = np.zeros((nodes, nodes))
    weights = edge_weights(blocks, 1)
    for u, row in enumerate(rows(weighted_local_graph(blocks, nodes))):
        for v, unit, item in row:
            dense[u, v] += weights[item]
            assert unit == 1
    eye = torch.eye(nodes, dtype=torch.float64)
    expected = torch.zeros(nodes, nodes, dtype=torch.float64)
    for block in blocks:
        factors = (f if f is None else f[:, 1:2].expand(-1, nodes) for f in factors_of(block))
        every = type(block)(block.block, *factors, reverse=block.reverse)
        expected[block.to_rows] += every.push(eye[block.from_rows])
    np.testing.assert_allclose(dense, expected.T.numpy(), atol=1e-12)


def factors_of(block):
    return block.source_scale, block.target_scale, block.value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": np.array([0, 9])}, "source 9 at 1"),
        ({"target": np.array([-1, 0])}, "target -1 at 0"),
        ({"item": np.array([0, 7])}, "item 7 at 1"),
        ({"weight": np.array([1.0, np.nan])}, "weight of edge 1 is nan"),
        ({"weight": np.array([-2.0, np.inf])}, "weight of edge 0 is -2.0"),
    ],
)
def test_bad_edges_are_named(change: dict, message: str) -> None:
    good = {"source": np.array([0, 1]), "target": np.array([1, 0]), "weight": np.ones(2), "item": np.array([0, -1])}
    with pytest.raises(ValueError, match=message):
        local_graph(2, [LocalEdges(**(good | change))], num_items=1)


@pytest.mark.parametrize("types", [{"likes": 1.0}, {"relation": -1.0}, {"relation": float("inf")}])
def test_bad_types(types: dict) -> None:
    with pytest.raises(ValueError, match="edge type"):
        cosine_local_graph(SIZES, small(), types)


@pytest.mark.parametrize("indptr", [[0, 5], [1, 1], [0, 2, 1], [], [0, 0]])
def test_groups_that_do_not_fit_their_items_are_refused(indptr: list[int]) -> None:
    groups = (np.array(indptr, np.int64), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="group_indptr must rise from 0 to the 1 items"):
        local_graph(2, [], 1, groups)


@pytest.mark.parametrize("source", [np.array([0.7]), np.array([0, 1]), np.array([[0]])])
def test_ends_are_one_integer_an_edge(source: np.ndarray) -> None:
    edges = LocalEdges(source, np.array([1]), np.ones(1))
    with pytest.raises(ValueError, match=r"source is .* expected integers \(1,\)"):
        local_graph(2, [edges])
