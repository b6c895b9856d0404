from __future__ import annotations

import pytest
import torch

from memorai.retrieval.pagerank import Block, WeightedBlock


def block(weight: list[float] | None = None) -> Block:
    # two sources (rows 0-1), three targets (rows 2-4): 0->0, 0->2, 1->2
    return Block(
        slice(0, 2),
        slice(2, 5),
        torch.tensor([0, 0, 1]),
        torch.tensor([0, 2, 2]),
        torch.tensor(weight or [1.0, 2.0, 3.0], dtype=torch.float64),
    )


def t(*rows: list[float]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_push_and_out_sum_by_hand():
    scaled = WeightedBlock(block(), source_scale=t([1.0], [2.0]), target_scale=t([1.0], [1.0], [10.0]))
    # weights: 0->0: 1, 0->2: 20, 1->2: 60
    assert scaled.push(t([1.0], [1.0])).tolist() == [[1.0], [0.0], [80.0]]
    assert scaled.out_sum(1, torch.float64).tolist() == [[21.0], [60.0]]


def test_reverse_walks_the_same_weights_back():
    scaled = WeightedBlock(block(), t([1.0], [2.0]), t([1.0], [1.0], [10.0]), reverse=True)
    assert scaled.push(t([1.0], [1.0], [1.0])).tolist() == [[21.0], [60.0]]
    assert scaled.out_sum(1, torch.float64).tolist() == [[1.0], [0.0], [80.0]]
    assert (scaled.from_rows, scaled.to_rows) == (slice(2, 5), slice(0, 2))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_value_per_edge_equals_the_scaling_it_spells_out(reverse):
    source, target = t([1.0, 0.5], [2.0, 0.0]), t([1.0, 3.0], [1.0, 1.0], [10.0, 0.25])
    b = block()
    by_scale = WeightedBlock(b, source, target, reverse=reverse)
    by_value = WeightedBlock(b, value=source[b.source] * target[b.target], reverse=reverse)
    mass = torch.rand(by_scale.from_rows.stop - by_scale.from_rows.start, 2, dtype=torch.float64)
    assert torch.allclose(by_scale.push(mass), by_value.push(mass))
    assert torch.allclose(by_scale.out_sum(2, torch.float64), by_value.out_sum(2, torch.float64))


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_bad_weights_name_the_first_index(bad):
    with pytest.raises(ValueError, match=r"weight of an edge at \[1\]"):
        block([1.0, bad, bad])
    with pytest.raises(ValueError, match=r"source_scale at \[1, 0\]"):
        WeightedBlock(block(), source_scale=t([1.0], [bad]))
    with pytest.raises(ValueError, match=r"value at \[2, 1\]"):
        WeightedBlock(block(), value=t([1.0, 1.0], [1.0, 1.0], [1.0, bad]))


def test_indices_and_shapes_are_checked():
    with pytest.raises(ValueError, match="source lies outside its 2 nodes"):
        Block(slice(0, 2), slice(2, 5), torch.tensor([2]), torch.tensor([0]), torch.ones(1))
    with pytest.raises(ValueError, match="target lies outside its 3 nodes"):
        Block(slice(0, 2), slice(2, 5), torch.tensor([0]), torch.tensor([-1]), torch.ones(1))
    with pytest.raises(ValueError, match=r"target_scale has shape \(2, 1\)"):
        WeightedBlock(block(), target_scale=t([1.0], [1.0]))
