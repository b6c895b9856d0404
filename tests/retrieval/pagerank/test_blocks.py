from __future__ import annotations

import copy

import pytest
import torch

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank
from memorai.retrieval.pagerank.schedule import is_reversible


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
    forward = scaled.reversed()
    assert forward.push(t([1.0], [1.0])).tolist() == scaled.pull(t([1.0], [1.0])).tolist()
    assert (forward.reverse, scaled.reverse) == (False, True)
    assert is_reversible([scaled, forward])


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


def test_a_pull_is_the_transpose_of_a_push():
    scaled = WeightedBlock(block(), t([1.0], [2.0]), t([1.0], [3.0], [10.0]), t([0.5], [0.25], [2.0]))
    for way in (
        scaled,
        WeightedBlock(*(getattr(scaled, n) for n in ("block", "source_scale", "target_scale", "value")), True),
    ):
        mass = torch.rand(way.from_rows.stop - way.from_rows.start, 1, dtype=torch.float64)
        worth = torch.rand(way.to_rows.stop - way.to_rows.start, 1, dtype=torch.float64)
        assert torch.allclose((way.push(mass) * worth).sum(), (mass * way.pull(worth)).sum())


def test_indices_beyond_int32_are_refused():
    huge = slice(0, 2**31)
    with pytest.raises(ValueError, match="2147483648 source nodes and 1 edges is beyond int32"):
        Block(huge, huge, torch.tensor([0]), torch.tensor([1]), torch.ones(1))


def test_int32_indices_serve_as_well():
    b = block()
    narrow = Block(b.source_rows, b.target_rows, b.source.int(), b.target.int(), b.weight)
    value, mass = torch.rand(3, 2, dtype=torch.float64), torch.rand(2, 2, dtype=torch.float64)
    for plain, other in (
        (WeightedBlock(b), WeightedBlock(narrow)),
        (WeightedBlock(b, value=value), WeightedBlock(narrow, value=value)),
    ):
        assert torch.equal(plain.push(mass), other.push(mass))
        assert torch.equal(plain.out_sum(2, torch.float64), other.out_sum(2, torch.float64))


def test_rows_are_sorted_and_lead_back_to_their_edges():
    source, target = torch.tensor([1, 0, 1, 0]), torch.tensor([2, 1, 0, 1])
    rows = Block(slice(0, 2), slice(2, 5), source, target, torch.ones(4)).by_source
    assert rows.pointer.tolist() == [0, 2, 4]
    assert rows.column.tolist() == [1, 1, 0, 2]
    assert rows.edge.tolist() == [1, 3, 2, 0]


def test_shapes_that_differ_are_refused():
    with pytest.raises(ValueError, match="one shape"):
        Block(slice(0, 2), slice(2, 5), torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1))
    with pytest.raises(ValueError, match="not a run of rows"):
        Block(
            slice(2, 0),
            slice(2, 5),
            torch.tensor([], dtype=torch.int64),
            torch.tensor([], dtype=torch.int64),
            torch.ones(0),
        )


@pytest.mark.parametrize(
    ("rows", "source", "match"),
    [
        (slice(-3, -1), [0], "not a run of rows"),
        (slice(None), [0], "not a run of rows"),
        (slice(0, 4, 2), [0], "not a run of rows"),
        (slice(0, 2), [0.7], "source has dtype torch.float32"),
        (slice(0, 2), [True], "source has dtype torch.bool"),
    ],
)
def test_rows_and_indices_of_a_wrong_kind_are_refused(rows, source, match):
    with pytest.raises(ValueError, match=match):
        Block(rows, slice(0, 2), torch.tensor(source), torch.tensor([0]), torch.ones(1))


@pytest.mark.parametrize("engine", ["auto", "power", "batched", "solve", "push"])
def test_a_copy_of_a_used_block_walks_as_the_block_does(engine):
    scale = torch.tensor([[0.5], [2.0]], dtype=torch.float64)
    forward = WeightedBlock(block(), scale)
    walk, restart = [forward, forward.reversed()], torch.ones(5, 1, dtype=torch.float64)
    before = pagerank(walk, restart, engine=engine).scores
    copied = copy.deepcopy(walk)  # by the state that pickle would write
    assert not copied[0].block.cache and copied[0].block is copied[1].block is not walk[0].block
    assert is_reversible(copied)
    assert torch.equal(pagerank(copied, restart, engine=engine).scores, before)


@pytest.mark.parametrize("engine", ["power", "batched", "auto"])
@pytest.mark.parametrize("made_inside", [False, True])
def test_a_block_that_served_inference_serves_gradients_later(engine, made_inside):
    def gradient(shared: Block) -> torch.Tensor:
        scale, value = (torch.ones(n, 1, dtype=torch.float64, requires_grad=True) for n in (2, 3))
        walk = [WeightedBlock(shared, scale), WeightedBlock(shared, value=value, reverse=True)]
        scores = pagerank(walk, torch.ones(5, 1, dtype=torch.float64), tol=1e-12, engine=engine).scores
        return torch.cat(torch.autograd.grad(scores[2].sum(), [scale, value]))

    used = None if made_inside else block()
    with torch.inference_mode():
        used = used or block()
        walk = [WeightedBlock(used), WeightedBlock(used, value=torch.ones(3, 1).double(), reverse=True)]
        pagerank(walk, torch.ones(5, 1, dtype=torch.float64), engine=engine)
    assert torch.equal(gradient(used), gradient(block()))


def test_weights_that_are_no_real_numbers_are_refused():
    with pytest.raises(ValueError, match=r"weight of an edge has dtype torch\.complex64; weights are real numbers"):
        Block(slice(0, 1), slice(0, 1), torch.tensor([0]), torch.tensor([0]), torch.ones(1, dtype=torch.complex64))
    with pytest.raises(ValueError, match=r"value has dtype torch\.complex64"):
        WeightedBlock(block(), value=torch.ones(3, 1, dtype=torch.complex64))
