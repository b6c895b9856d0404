from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank
from tests.retrieval.pagerank.graphs import ITERATIVE

TIGHT = {"tol": 1e-13, "max_iter": 2000}


def positive(seed: int, *shape: int) -> torch.Tensor:
    drawn = torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (drawn + 0.1).requires_grad_()


# 3 entities (rows 0-2), 4 turns (rows 3-6); turn 6 has no edge and entity 2 sends only to itself and entity 0
MENTIONS = (torch.tensor([0, 0, 1, 1, 1]), torch.tensor([0, 1, 1, 2, 2]))
RELATIONS = (torch.tensor([0, 2, 2]), torch.tensor([1, 0, 2]))


def scores_of(engine: str, reverse: bool, mask: torch.Tensor | None = None) -> Callable[..., torch.Tensor]:
    def scores(scale, target, value, weight, restart, damping):
        if mask is not None:
            scale, target = scale * mask[:3], target * mask[3:]
        mentions = Block(slice(0, 3), slice(3, 7), *MENTIONS, weight)
        relations = Block(slice(0, 3), slice(0, 3), *RELATIONS, torch.ones(3, dtype=torch.float64))
        blocks = [WeightedBlock(mentions, scale, target), WeightedBlock(relations, value=value)]
        if reverse:
            blocks += [
                WeightedBlock(mentions, scale, target, reverse=True),
                WeightedBlock(relations, None, None, value, True),
            ]
        return pagerank(blocks, restart, damping, engine=engine, **TIGHT).scores

    return scores


def inputs(queries: int = 2) -> tuple[torch.Tensor, ...]:
    damping = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    shapes = ((3, queries), (4, queries), (3, queries), (5,), (7, queries))
    return (*(positive(i, *shape) for i, shape in enumerate(shapes)), damping)


@pytest.mark.parametrize("engine", [*ITERATIVE, "solve"])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_equal_finite_differences(engine, reverse):
    # without reverse edges all turns dangle; with them turn 6 alone does
    assert torch.autograd.gradcheck(scores_of(engine, reverse), inputs(), eps=1e-6, atol=1e-6)


def test_gradients_inside_a_mask():
    mask = torch.tensor([[1, 1], [1, 0], [0, 1], [1, 1], [1, 1], [0, 1], [1, 1]], dtype=torch.float64)
    assert torch.autograd.gradcheck(scores_of("batched", True, mask), inputs(), eps=1e-6, atol=1e-6)


def test_gradients_of_static_scalings_without_values():
    block = Block(slice(0, 3), slice(3, 7), *MENTIONS, torch.ones(5, dtype=torch.float64))

    def scores(scale, restart):
        blocks = [WeightedBlock(block, scale), WeightedBlock(block, scale, reverse=True)]
        return pagerank(blocks, restart, 0.85, **TIGHT).scores

    assert torch.autograd.gradcheck(scores, (positive(0, 3, 2), positive(1, 7, 2)), eps=1e-6, atol=1e-6)


def test_gradient_by_hand():
    # 0 -> 1, 1 dangling, restart on 0: p0 = 1 / (1 + d), so its derivative is -1 / (1 + d)^2
    block = Block(slice(0, 2), slice(0, 2), torch.tensor([0]), torch.tensor([1]), torch.ones(1, dtype=torch.float64))
    damping = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    restart = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
    pagerank([WeightedBlock(block)], restart, damping, **TIGHT).scores[0, 0].backward()
    assert float(damping.grad) == pytest.approx(-1 / 1.5**2)


def test_a_factor_of_the_source_alone_has_no_gradient():
    # it cancels in the out-normalisation where the source has one kind of edge (docs/design.md)
    scale = positive(3, 3, 1)
    block = Block(slice(0, 3), slice(3, 7), *MENTIONS, torch.ones(5, dtype=torch.float64))
    result = pagerank([WeightedBlock(block, scale)], positive(4, 7, 1).detach(), **TIGHT)
    result.scores[3:].square().sum().backward()
    assert float(scale.grad.abs().max()) < 1e-12


def test_no_graph_is_kept_where_no_gradient_is_wanted():
    scores = scores_of("batched", True)
    plain = [x.detach() for x in inputs()]
    assert not scores(*plain).requires_grad
    with torch.no_grad():
        assert not scores(*inputs()).requires_grad
