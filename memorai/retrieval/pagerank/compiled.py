"""Dynamic Weighted PageRank by the compiled kernels: steps until converged, shared among threads, on the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor

from memorai.retrieval.pagerank import kernels
from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.merged import aligned, fill_up, merged, weigh
from memorai.retrieval.pagerank.schedule import LOST, Schedule
from memorai.retrieval.pagerank.walk import Solution

#: steps in one kernel call where there is one thread
BURST = 32
#: parts of a step for each thread, claimed one by one: a thread that is held up by other programs does fewer
SHARES = 8


def iterate(
    blocks: Sequence[WeightedBlock], restart: Tensor, damping: float, tol: float, max_iter: int, accelerate: bool
) -> Solution:
    """Iterate as `power.iterate` does, by as many threads as torch has.

    Where a power step ends the run its product is kept; Chebyshev's are mixed as they are made, so there the iterate
    that was measured is returned.

    Args:
        blocks: weighted edges with contiguous factors [n, Q] of the restart's dtype.
        restart: [N, Q], each column sums to 1; Q at most `merged.WIDTHS[-1]`.
        damping: d in [0, 1).
        tol: L1 residual of p = y / sum(y).
        max_iter: most products, at least 1.
        accelerate: take Chebyshev's steps, allowed if the walk is reversible.

    Raises:
        ValueError: the weights that leave a node overflow the dtype.
    """
    num_queries, dtype = restart.shape[1], restart.dtype
    edges = merged(blocks, len(restart))
    weight, dangling = weigh(edges, blocks, restart)
    width = weight.shape[1]
    base = fill_up(restart, width)
    y, older = aligned(len(base), base), aligned(len(base), base)
    y[:], older[:] = base, 0
    now, following = (y,), (older,)
    fixed = ((0,) * width, damping, edges.node, edges.pointer, edges.column, weight, base)
    schedule = Schedule(damping, accelerate, tol, dtype)
    count = len(edges.chunks) - 1
    totals, residual, steps = np.zeros((count * 2, width)), np.zeros(width), 0
    threads = min(torch.get_num_threads(), count)
    with ThreadPoolExecutor(threads - 1) if threads > 1 else nullcontext() as pool:
        while True:
            omegas = np.array([schedule.next() for _ in range(1 if pool else min(max_iter - steps, BURST))])
            state = (edges.chunks, fixed, now, following, totals)
            if pool:
                _step(pool, threads, omegas[0], state)
                made = 1
                kernels.judge(totals, omegas[0], damping, dangling, tol, LOST, residual)
            else:
                made = kernels.run(omegas, tol, LOST, damping, dangling, *state, residual)
            steps += made
            if made % 2 == 0:
                now, following = following, now
            if steps >= max_iter or (residual <= tol).all():
                # of a power step F(y) itself was written, whose residual is at most d times that of y
                (found,) = following if omegas[made - 1] == 1 else now
                bound = torch.from_numpy(residual[:num_queries]).to(dtype)
                return Solution(torch.from_numpy(found)[:, :num_queries], steps, bound)
            if not residual.max() < LOST:
                schedule.give_up(dtype)
                y[:], older[:] = base, 0
                now, following = (y,), (older,)
                continue
            now, following = following, now


def _step(pool: Executor, threads: int, omega: float, state: tuple[Any, ...]) -> None:
    """Make one step, its chunks in shares that threads claim."""
    count = len(state[0]) - 1
    parts = min(count, SHARES * threads)
    shares = iter([(count * i // parts, count * (i + 1) // parts) for i in range(parts)])
    jobs = [pool.submit(_work, shares, omega, state) for _ in range(threads - 1)]
    _work(shares, omega, state)
    for job in jobs:
        job.result()


def _work(shares: Iterator[tuple[int, int]], omega: float, state: tuple[Any, ...]) -> None:
    """Do shares of a step until none is left; the iterator is common to all threads."""
    chunks, *rest = state
    for first, last in shares:
        kernels.step(chunks, first, last, omega, *rest)
