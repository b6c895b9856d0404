"""Gradients of PageRank scores by the adjoint solve, without keeping any iterate.

At the solution p = F(p, theta), where theta are weights, restart and damping, the implicit function theorem gives

    dL/dtheta = (dF/dtheta)^T lambda,      lambda = g + J^T lambda,   g = dL/dp,   J = dF/dp = d (P^T + s a^T),

so that the gradient costs one more PageRank-like solve, on the transpose: lambda_u = g_u + d sum_v P_uv lambda_v, or
g_u + d s . lambda at a dangling node (a = 1). J^T contracts the largest absolute value by d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.walk import inverse_out

#: iterations beyond any need: at d = 0.999 a gradient's error falls below 1e-12 in 28,000
MOST = 100_000


class _Adjoint(torch.autograd.Function):
    """Identity whose backward solves lambda = g + J^T lambda."""

    @staticmethod
    def forward(ctx: Any, step: Tensor, scores: Tensor, solve: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.solve = solve
        return scores.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return ctx.solve(gradient), None, None


def differentiable(
    scores: Tensor,
    blocks: Sequence[WeightedBlock],
    restart: Tensor,
    damping: float | Tensor,
    d: float,
    tol: float,
) -> Tensor:
    """Attach the gradient to scores [N, Q] if anything that they depend on requires one.

    Args:
        scores: the solution, without a graph.
        blocks: weighted edges.
        restart: [N, Q], each column sums to 1; may carry a graph.
        damping: a number, or a 0-dimensional tensor that may carry a graph.
        d: its value.
        tol: the scores' tolerance; the adjoint is solved a thousand times closer, as far as the dtype allows.
    """
    factors = [f for b in blocks for f in (b.block.weight, b.source_scale, b.target_scale, b.value) if f is not None]
    inputs = [restart, *factors, *([damping] if isinstance(damping, Tensor) else [])]
    if not (torch.is_grad_enabled() and any(x.requires_grad for x in inputs)):
        return scores
    memo: dict[int, Tensor] = {}
    everything = slice(0, restart.shape[1])
    cast = [block.columns(everything, restart.dtype, memo) for block in blocks]
    inverse, _ = inverse_out(cast, restart)
    dangling = (inverse == 0).to(restart.dtype)

    leaving = scores * inverse
    moved = torch.zeros_like(restart)
    for block in cast:
        moved[block.to_rows] += block.push(leaving[block.from_rows])
    step = (1 - damping + damping * (scores * dangling).sum(0)) * restart + damping * moved

    s, scale = restart.detach(), inverse.detach()

    def solve(gradient: Tensor) -> Tensor:
        aim = max(tol * 1e-3, torch.finfo(gradient.dtype).eps) * float(gradient.abs().max())
        worth = gradient
        for _ in range(MOST):
            pulled = torch.zeros_like(worth)
            for block in cast:
                pulled[block.from_rows] += block.pull(worth[block.to_rows])
            following = gradient + d * (scale * pulled + dangling * (s * worth).sum(0))
            change = float((following - worth).abs().max())
            worth = following
            if not change * d > aim * (1 - d):
                break
        return worth

    result: Tensor = _Adjoint.apply(step, scores, solve)
    return result
