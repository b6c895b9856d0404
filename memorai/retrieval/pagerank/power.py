"""Dynamic Weighted PageRank (MemORAI, Eq. 2-3) in torch operations, on CPU or CUDA, for a block of queries.

Every array that a step writes is made once: a fresh one of some megabytes costs page faults, which take longer than the
arithmetic.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock
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
    edges = Edges(walk, damping)
    steps, due, last = 0, 1, (0, math.inf)
    while True:
        moved = edges.add(current, spare.copy_(base))
        steps += 1
        if steps >= min(due, max_iter):
            change = torch.sub(moved, current, out=edges.scratch).abs_().sum(0)
            residual = damping * (2 * change / moved.sum(0) if walk.dangling else change)
            worst = float(residual.max())
            if steps >= max_iter or worst <= tol:
                return Solution(moved, steps, residual)
            if not worst < LOST:
                schedule.give_up(walk.restart.dtype)
                current.copy_(walk.restart)
                spare, due, last = moved, steps + 1, (steps, math.inf)
                continue
            due, last = steps + until_check(worst / last[1], steps - last[0], worst / tol), (steps, worst)
        omega = schedule.next()
        following, spare = (moved, older) if omega == 1 else (older.lerp_(moved, omega), moved)
        older, current = current, following


def until_check(reduced: float, steps: int, left: float) -> int:
    """Steps to take before the residual is measured again, which costs a third of a step.

    Args:
        reduced: by what factor the last ``steps`` steps reduced it (0: not known).
        steps: how many those were.
        left: by what factor it is still too large, above 1.

    Returns:
        two thirds of the steps that this rate needs, at least 1 and at most 32: a residual falls fastest at first.
    """
    if not 0 < reduced < 1:
        return 1
    return max(1, min(32, int(2 / 3 * steps * math.log(left) / -math.log(reduced))))


class Edges:
    """The product d P^T y of a walk, and the arrays that it is worked out in.

    Args:
        walk: the normalised edges of the queries.
        damping: d in [0, 1).
    """

    def __init__(self, walk: Walk, damping: float) -> None:
        self.scratch = torch.empty_like(walk.restart)
        self._damping, self._slots = damping, walk.slots
        self._leaving = [torch.empty_like(gain) for _, gain in walk.slots]
        self._blocks = list(zip(walk.blocks, walk.slot_of, strict=True))
        most = max((b.block.num_edges for b in walk.blocks if b.value is not None), default=0)
        self._on_edges = walk.restart.new_empty(most, walk.restart.shape[1])

    def add(self, y: Tensor, total: Tensor) -> Tensor:
        """Add d P^T y [N, Q] to ``total`` in place and return it; ``scratch`` is written over."""
        for (rows, gain), leaving in zip(self._slots, self._leaving, strict=True):
            torch.mul(y[rows], gain, out=leaving)
        for block, slot in self._blocks:
            entered = total[block.to_rows]
            matrix, worth = self._product(block, self._leaving[slot])
            if block.to_scale is None:
                torch.addmm(entered, matrix, worth, alpha=self._damping, out=entered)
            else:
                part = self.scratch[block.to_rows]
                torch.addmm(part, matrix, worth, beta=0, out=part)
                entered.addcmul_(part, block.to_scale, value=self._damping)
        return total

    def _product(self, weighted: WeightedBlock, leaving: Tensor) -> tuple[Tensor, Tensor]:
        """Sparse matrix and array whose product is what enters along a block's edges, but for the target's factor."""
        block, to_target = weighted.block, not weighted.reverse
        if weighted.value is None:
            return block.matrix(to_target, leaving.dtype), leaving
        on_edges = self._on_edges[: block.num_edges]
        torch.index_select(leaving, 0, block.source if to_target else block.target, out=on_edges)
        return block.incidence(to_target, leaving.dtype), on_edges.mul_(weighted.value)
