"""Weights whose factors leave the dtype's range one by one: every engine must walk on their exact products."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank, pagerank_dense
from memorai.retrieval.pagerank.extremes import within_range
from memorai.retrieval.pagerank.walk import least_out
from tests.retrieval.pagerank.graphs import ITERATIVE, random_blocks, random_restart

ENGINES = [*ITERATIVE, "push", "solve"]
DTYPES = [torch.float32, torch.float64]
NODES = 4
#: exponents whose products can be anything from far below to far above both dtypes' range
REACH = {torch.float32: 120, torch.float64: 1000}


def exact_block(block: WeightedBlock, query: int) -> list[tuple[int, int, Fraction]]:
    """Source, target and weight of each edge, in rational numbers."""
    b, found = block.block, []
    for e, (u, v) in enumerate(zip(b.source.tolist(), b.target.tolist(), strict=True)):
        weight = Fraction(float(b.weight[e]))
        for scale, row in ((block.source_scale, u), (block.target_scale, v), (block.value, e)):
            weight *= 1 if scale is None else Fraction(float(scale[row, query]))
        found.append((v, u, weight) if block.reverse else (u, v, weight))
    return found


def exact(blocks: list[WeightedBlock], restart: torch.Tensor, damping: float, dtype: torch.dtype) -> torch.Tensor:
    """The walk on transition probabilities that are worked out in rational numbers, solved densely."""
    columns = []
    for q in range(restart.shape[1]):
        edges = [edge for block in blocks for edge in exact_block(block, q)]
        out = [sum((w for u, _, w in edges if u == node), Fraction(0)) for node in range(NODES)]
        share = [float(w / out[u]) if out[u] >= Fraction(least_out(dtype)) else 0.0 for u, _, w in edges]
        ends = torch.tensor([[u, v] for u, v, _ in edges], dtype=torch.int64).reshape(-1, 2)
        plain = Block(slice(0, NODES), slice(0, NODES), ends[:, 0], ends[:, 1], torch.tensor(share).double())
        columns.append(pagerank_dense([WeightedBlock(plain)], restart[:, q : q + 1].double(), damping))
    return torch.cat(columns, 1)


def powers(exponents: list[int], dtype: torch.dtype) -> torch.Tensor:
    return torch.exp2(torch.tensor(exponents, dtype=torch.float64)).to(dtype)


@st.composite
def wild(draw: st.DrawFn, dtype: torch.dtype) -> list[WeightedBlock]:
    """Up to two blocks, each walked both ways or one, whose factors are any powers of two."""
    reach = REACH[dtype]
    exponent = st.integers(-reach, reach)
    blocks = []
    for _ in range(draw(st.integers(1, 2))):
        count = draw(st.integers(1, 5))
        ends = [draw(st.lists(st.integers(0, NODES - 1), min_size=count, max_size=count)) for _ in range(2)]
        weight = powers(draw(st.lists(exponent, min_size=count, max_size=count)), dtype)
        whole = slice(0, NODES)
        block = Block(whole, whole, torch.tensor(ends[0]), torch.tensor(ends[1]), weight)
        factors = []
        for size in (NODES, NODES, count):
            some = draw(st.lists(exponent, min_size=2 * size, max_size=2 * size))
            factors.append(powers(some, dtype).reshape(size, 2) if draw(st.booleans()) else None)
        blocks.append(WeightedBlock(block, *factors))
        if draw(st.booleans()):
            blocks.append(blocks[-1].reversed())
    return blocks


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25)
@given(data=st.data())
def test_engines_walk_on_the_exact_products_or_refuse_them_alike(engine, dtype, data):
    blocks = data.draw(wild(dtype))
    restart = torch.tensor([[1.0, 0], [0, 2], [1, 1], [0, 1]], dtype=dtype)
    largest = max(
        (sum(w for u, _, w in edges if u == node) for q in (0, 1) for node in range(NODES)
         for edges in [[edge for block in blocks for edge in exact_block(block, q)]]),
        default=0,
    )  # fmt: skip
    if largest > Fraction(torch.finfo(dtype).max):
        with pytest.raises(ValueError, match=r"the weights that leave node \d, query \d overflow"):
            pagerank(blocks, restart, 0.5, tol=1e-5, engine=engine)
        return
    found = pagerank(blocks, restart, 0.5, tol=1e-5, engine=engine)
    assert bool(found.converged.all())
    assert (found.scores.double() - exact(blocks, restart, 0.5, dtype)).abs().sum() < 1e-4


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("static", "source", "target", "value"),
    [
        (1.0, 1e-30, 1e-30, 1e30),
        (1.0, 1e30, 1e30, 1e-30),
        (1.0, 1e30, 1e-30, 1e30),
        (1e-30, 1e-30, 1.0, 1e30),
        (1e20, 1e-30, 1e-25, 1e6),
    ],
)
def test_factors_that_cancel_by_hand(engine, static, source, target, value):
    # 0 -> 1 with weight w and 0 -> 2 with weight 3 w: p0 = 1 / (1 + d), of which 0 passes on d / 4 and 3 d / 4
    whole, weight = slice(0, 3), torch.full((2,), static)
    block = Block(whole, whole, torch.tensor([0, 0]), torch.tensor([1, 2]), weight)
    shares = torch.tensor([[value], [3 * value]])
    walk = [WeightedBlock(block, torch.full((3, 1), source), torch.full((3, 1), target), shares)]
    found = pagerank(walk, torch.tensor([[1.0], [0], [0]]), 0.5, tol=1e-6, engine=engine)
    assert torch.allclose(found.scores, torch.tensor([[2 / 3], [1 / 12], [1 / 4]]), atol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("weight", "dangles"), [(3e-32, True), (3e-31, False)])
def test_a_node_dangles_below_one_limit_in_every_engine(engine, weight, dangles):
    whole = slice(0, 2)
    block = Block(whole, whole, torch.tensor([0]), torch.tensor([1]), torch.tensor([weight]))
    found = pagerank([WeightedBlock(block)], torch.tensor([[1.0], [0]]), 0.5, tol=1e-6, engine=engine)
    expected = [[1.0], [0]] if dangles else [[2 / 3], [1 / 3]]
    assert torch.allclose(found.scores, torch.tensor(expected), atol=1e-5)


def test_modest_weights_are_left_alone():
    blocks, nodes = random_blocks(3, (4, 6, 2), 12, 3)
    assert within_range(tuple(blocks), random_restart(3, nodes, 3)) == tuple(blocks)


def test_transitions_are_multiplied_once_for_a_graph():
    block = Block(slice(0, 2), slice(0, 2), torch.tensor([0]), torch.tensor([1]), torch.tensor([1e30]))
    walk = [WeightedBlock(block)]
    first, second = (within_range(walk, torch.ones(2, 1))[0] for _ in range(2))
    assert first.block is second.block is not block
    assert first.value.tolist() == [[1.0]]


def test_gradients_pass_through():
    # of the weights' logarithms, against the same walk with all weights divided by 1e30, which changes no score
    whole, ends = slice(0, 3), (torch.tensor([0, 0, 1, 2]), torch.tensor([1, 2, 0, 0]))
    logs = torch.tensor([[0.1], [0.7], [-0.4], [0.2]], dtype=torch.float64, requires_grad=True)
    goal, restart = torch.tensor([[1.0], [-2], [3]]).double(), torch.tensor([[1.0], [1], [0]]).double()
    gradients = []
    for factor in (1.0, 1e30):
        block = Block(whole, whole, *ends, torch.full((4,), factor, dtype=torch.float64))
        scores = pagerank([WeightedBlock(block, value=logs.exp())], restart, 0.85, tol=1e-12).scores
        gradients.append(torch.autograd.grad((scores * goal).sum(), logs)[0])
    assert torch.allclose(*gradients, atol=1e-9)
    assert gradients[0].abs().max() > 1e-3


def test_a_factor_changed_in_place_is_looked_at_again():
    block = Block(slice(0, 2), slice(0, 2), torch.tensor([0]), torch.tensor([1]), torch.ones(1))
    scale = torch.ones(2, 1)
    walk = WeightedBlock(block, scale, scale.clone())
    assert walk.peak == 1
    scale.mul_(8)
    assert walk.peak == 8
    block.weight.mul_(4)
    assert walk.reversed().peak == 32
