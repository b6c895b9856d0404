"""Dynamic Weighted PageRank by the compiled kernel: all blocks in one pass, weights as diagonal factors only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from memorai.retrieval.pagerank import kernels
from memorai.retrieval.pagerank.plan import Array, given, plan_of, weighed
from memorai.retrieval.pagerank.schedule import LOST, Schedule
from memorai.retrieval.pagerank.walk import Solution, Walk

#: numbers of queries that kernels are compiled for; fewer queries are padded with empty ones
WIDTHS = (4, 8, 16)
#: steps in one kernel call where there is one thread
BURST = 32
#: parts of a step for each thread, claimed one by one: a thread that is held up by other programs does fewer
SHARES = 8


@dataclass(frozen=True)
class Stepper:
    """What `drive` needs to know of a kernel.

    Args:
        step: kernel that makes one step of some chunks of rows.
        run: kernel that makes several of all, until converged.
        chunks: row at which each chunk starts, and the end.
        width: queries, those that fill up included.
        fixed: what no step changes.
        now: iterate k [N, width], and what else a step reads of it.
        following: iterate k - 1, and what else belongs to it; a step makes them k + 1.
        start: sets ``now`` and ``following`` to the beginning.
    """

    step: Callable[..., None]
    run: Callable[..., int]
    chunks: Array
    width: int
    fixed: tuple[Any, ...]
    now: tuple[Array, ...]
    following: tuple[Array, ...]
    start: Callable[[], None]


def iterate(walk: Walk, damping: float, tol: float, max_iter: int, accelerate: bool) -> Solution:
    """Iterate as `power.iterate` does, with the same arguments, on the CPU and for at most `WIDTHS[-1]` queries."""
    plan = plan_of(walk)
    num_queries, dtype, dangling = walk.restart.shape[1], walk.restart.dtype, walk.dangling
    width = next(width for width in WIDTHS if width >= num_queries)
    restart, gain = _stack([walk.restart], width, dtype), _stack([walk.gain], width, dtype)
    scales = _stack([given(walk.blocks[i].to_scale) for i in plan.scaled], width, dtype)
    values = _stack([weighed(walk.blocks[i]) for i in plan.valued], width, dtype)
    leaving = [
        (rows, slice(start, start + rows.stop - rows.start))
        for (rows, _), start in zip(walk.slots, plan.slot_starts.tolist(), strict=True)
    ]
    del walk  # where queries are filled up the gains were copied; a large graph's need not lie in memory twice
    y, older, x, x_next = aligned(restart), aligned(restart), aligned(gain), aligned(gain)

    def start() -> None:
        y[:], older[:] = restart, 0
        for rows, places in leaving:
            np.multiply(y[rows], gain[places], out=x[places])

    fixed = ((0,) * width, damping, plan.graph, (restart, gain, scales, values))
    stepper = Stepper(kernels.step, kernels.run, plan.chunks, width, fixed, (y, x), (older, x_next), start)
    schedule = Schedule(damping, accelerate, tol, dtype)
    found, steps, residual = drive(stepper, schedule, damping, tol, max_iter, dangling)
    bound = torch.from_numpy(residual[:num_queries]).to(dtype)
    return Solution(torch.from_numpy(found)[:, :num_queries], steps, bound)


def drive(
    stepper: Stepper, schedule: Schedule, damping: float, tol: float, max_iter: int, dangling: bool
) -> tuple[Array, int, Array]:
    """Step until every residual is at most tol or ``max_iter`` steps are made; by as many threads as torch has.

    Where a power step ends the run its product is kept; Chebyshev's are mixed as they are made, so there the iterate
    that was measured is returned.

    Returns:
        iterate [N, width]; steps made; residual [width].
    """
    chunks, now, following = stepper.chunks, stepper.now, stepper.following
    count, width = len(chunks) - 1, stepper.width
    totals, residual, steps = np.zeros((count * 2, width)), np.zeros(width), 0
    threads = min(torch.get_num_threads(), count)
    parts = min(count, SHARES * threads)
    shares = [(count * i // parts, count * (i + 1) // parts) for i in range(parts)]
    stepper.start()
    with ThreadPoolExecutor(threads - 1) if threads > 1 else nullcontext() as pool:
        while True:
            ahead = 1 if pool else min(max_iter - steps, BURST)
            omegas = np.array([schedule.next() for _ in range(ahead)])
            state = (stepper.fixed, now, following, totals)
            if pool:
                open_shares = iter(shares)
                jobs = [pool.submit(_work, open_shares, stepper, omegas[0], state) for _ in range(threads - 1)]
                _work(open_shares, stepper, omegas[0], state)
                for job in jobs:
                    job.result()
                made = 1
                kernels.judge(totals, omegas[0], damping, dangling, tol, LOST, residual)
            else:
                made = stepper.run(omegas, tol, LOST, damping, dangling, chunks, *state, residual)
            steps += made
            if made % 2 == 0:
                now, following = following, now
            if steps >= max_iter or (residual <= tol).all():
                # of a power step F(y) itself was written, whose residual is at most d times that of y
                return (following if omegas[made - 1] == 1 else now)[0], steps, residual
            if not residual.max() < LOST:
                schedule.give_up(torch.from_numpy(now[0]).dtype)
                now, following = stepper.now, stepper.following
                stepper.start()
                continue
            now, following = following, now


def _work(shares: Iterator[tuple[int, int]], stepper: Stepper, omega: float, state: tuple[Any, ...]) -> None:
    """Do shares of a step until none is left; the iterator is common to all threads."""
    for first, last in shares:
        stepper.step(stepper.chunks, first, last, omega, *state)


def _stack(arrays: Sequence[Tensor], width: int, dtype: torch.dtype) -> Array:
    """Put arrays [n, Q] below one another and fill them up to ``width`` columns; no copy where none is needed."""
    if len(arrays) == 1 and arrays[0].shape[1] == width:
        return arrays[0].numpy()
    stacked = torch.zeros(sum(len(array) for array in arrays), width, dtype=dtype)
    first = 0
    for array in arrays:
        stacked[first : first + len(array), : array.shape[1]] = array
        first += len(array)
    return stacked.numpy()


def aligned(like: Array) -> Array:
    """Return an unset array of the same kind whose rows of 64 bytes are cache lines, so that a gather reads one."""
    buffer = np.empty(like.nbytes + 64, np.uint8)  # large ones numpy asks huge pages for: fewer address look-ups
    start = -buffer.ctypes.data % 64
    return buffer[start : start + like.nbytes].view(like.dtype).reshape(like.shape)
