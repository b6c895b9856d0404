from __future__ import annotations

import numpy as np
import pytest

from memorai.graph.schema import ENTITY, MENTIONED_IN, PART_OF, RELATION, SNIPPET, TURN
from memorai.graph.synthetic import MENTIONS, memory_shape, memory_vectors


@pytest.mark.parametrize("nodes", [20, 333, 4000])
def test_sizes_ranges_and_provenance(nodes: int) -> None:
    shape = memory_shape(nodes, seed=1)
    assert shape.num_nodes == nodes
    for (source, _, target), edges in shape.edges.items():
        assert edges.index.min() >= 0
        assert edges.index[0].max() < shape.sizes[source] and edges.index[1].max() < shape.sizes[target]
        assert edges.weight.shape == (edges.index.shape[1],)
    entity, turn = shape.edges[MENTIONED_IN].index
    assert set(entity.tolist()) == set(range(shape.sizes[ENTITY])), "every entity was named"
    assert np.bincount(turn, minlength=shape.sizes[TURN]).min() >= 1
    assert np.bincount(turn).max() <= MENTIONS
    assert set(shape.edges[PART_OF].index[1].tolist()) == set(range(shape.sizes[SNIPPET]))
    assert (shape.edges[RELATION].index[0] != shape.edges[RELATION].index[1]).all()


def test_has_the_density_and_the_tail_of_a_memory() -> None:
    shape = memory_shape(20_000)
    assert 3.0 < shape.num_directed / shape.num_nodes < 3.4
    degree = np.bincount(shape.edges[MENTIONED_IN].index[0])
    assert degree.max() > 100 * np.median(degree)


def test_relations_are_local_unless_long_range() -> None:
    for long_range, low, high in ((0.0, 0.85, 1.0), (1.0, 0.0, 0.05)):
        shape = memory_shape(4000, seed=2, long_range=long_range)
        turns: dict[int, set[int]] = {}
        for entity, turn in shape.edges[MENTIONED_IN].index.T.tolist():
            turns.setdefault(entity, set()).add(turn)
        together = [bool(turns[a] & turns[b]) for a, b in shape.edges[RELATION].index.T.tolist()]
        assert low <= np.mean(together) <= high


def test_same_seed_same_graph() -> None:
    first, second, other = memory_shape(500, 3), memory_shape(500, 3), memory_shape(500, 4)
    assert all(np.array_equal(first.edges[k].index, second.edges[k].index) for k in first.edges)
    assert not np.array_equal(first.edges[RELATION].index, other.edges[RELATION].index)


def test_vectors_are_unit_and_share_topics() -> None:
    vectors = memory_vectors(1000, 64, seed=1)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosine = vectors @ vectors.T
    same = np.arange(1000)[:, None] // 100 == np.arange(1000) // 100
    assert cosine[same].mean() > 0.35 > 0.2 > cosine[~same].mean() > 0.02


@pytest.mark.parametrize(("nodes", "long_range"), [(19, 0.1), (100, -0.1), (100, 1.1)])
def test_bad_arguments(nodes: int, long_range: float) -> None:
    with pytest.raises(ValueError, match="num_nodes"):
        memory_shape(nodes, long_range=long_range)
