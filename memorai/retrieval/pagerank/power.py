"""Dynamic Weighted PageRank (MemORAI, Eq. 2-3) in torch operations, on CPU or CUDA, for a block of queries."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.retrieval.pagerank.schedule import LOST, Schedule
from memorai.retrieval.pagerank.walk import Solution, Walk


def iterate(walk: Walk, damping: float, tol: float, max_iter: int, accelerate: bool) -> Solution:
    """Iterate y <- F(y) = (1 - d) s + d P^T y from y = s until the residual of every query is at most tol.

    The last product is kept: F is a contraction, so the residual of F(y) is at most d times that of y.

    Args:
        walk: the normalised edges of the queries.
        damping: d in [0, 1).
        tol: L1 residual of p = y / sum(y).
        max_iter: most products with P^T, at least 1.
        accelerate: take Chebyshev's steps, allowed if the walk is reversible.
    """
    schedule = Schedule(damping, accelerate, tol, walk.restart.dtype)
    base = (1 - damping) * walk.restart
    current, older, spare = walk.restart.clone(), torch.empty_like(base), torch.empty_like(base)
    steps = 0
    while True:
        moved = follow(walk, current, damping, spare.copy_(base))
        change = torch.linalg.vector_norm(moved - current, 1, 0)
        residual = damping * (2 * change / moved.sum(0) if walk.dangling else change)
        steps += 1
        if steps >= max_iter or bool((residual <= tol).all()):
            return Solution(moved, steps, residual)
        if not float(residual.max()) < LOST:
            schedule.give_up(walk.restart.dtype)
            current.copy_(walk.restart)
            spare = moved
            continue
        omega = schedule.next()
        following, spare = (moved, older) if omega == 1 else (older.lerp_(moved, omega), moved)
        older, current = current, following


def follow(walk: Walk, y: Tensor, damping: float, total: Tensor) -> Tensor:
    """Add d P^T y to ``total`` [N, Q] in place."""
    leaving = [y[rows] * gain for rows, gain in walk.slots]
    for block, slot in zip(walk.blocks, walk.slot_of, strict=True):
        entered = total[block.to_rows]
        if block.value is None and block.to_scale is None:
            matrix = block.block.matrix(not block.reverse, y.dtype)
            torch.addmm(entered, matrix, leaving[slot], alpha=damping, out=entered)
        elif block.to_scale is None:
            entered.add_(block.spread(leaving[slot]), alpha=damping)
        else:
            entered.addcmul_(block.spread(leaving[slot]), block.to_scale, value=damping)
    return total
