"""Dynamic Weighted PageRank by the compiled kernel: all blocks in one pass, weights as diagonal factors only."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from memorai.retrieval.pagerank import kernels
from memorai.retrieval.pagerank.blocks import LARGEST_INDEX, WeightedBlock
from memorai.retrieval.pagerank.schedule import LOST, Schedule
from memorai.retrieval.pagerank.walk import Solution, Walk

Array = np.ndarray[Any, Any]

#: numbers of queries that kernels are compiled for; fewer queries are padded with empty ones
WIDTHS = (1, 4, 8, 16)
#: edges and rows in a chunk, the least that is worth a thread
CHUNK = 1 << 14
#: steps in one kernel call where there is one thread
BURST = 32


@dataclass(frozen=True)
class Plan:
    """How the edges of all blocks lie in one array, for `kernels.step`.

    Stacked rows are cut wherever a block begins or ends; between two cuts all rows take part in the same blocks.

    Args:
        graph: cuts; for each cut range the flows (weighted blocks) that enter and the slots that leave; the flows'
            table; row pointers, columns (rows of the slots), edge numbers of valued flows, weights of weighted ones.
        chunks: rows at which chunks of about equal work begin, and the end.
        slot_starts: first row of each slot.
        scaled: blocks whose target factors are stacked, in order, each distinct one once.
        valued: likewise for values.
    """

    graph: tuple[Array, ...]
    chunks: Array
    slot_starts: Array
    scaled: Sequence[int]
    valued: Sequence[int]


def iterate(walk: Walk, damping: float, tol: float, max_iter: int, accelerate: bool) -> Solution:
    """Iterate as `power.iterate` does, with the same arguments, on the CPU and for at most `WIDTHS[-1]` queries.

    Where a power step ends the run its product is kept; Chebyshev's are mixed as they are made, so there the iterate
    that was measured is returned.
    """
    if walk.restart.shape[1] == 1 and walk.blocks:
        walk, plan = merged(walk)
    else:
        plan = plan_of(walk)
    num_queries, dtype, dangling = walk.restart.shape[1], walk.restart.dtype, walk.dangling
    width = next(width for width in WIDTHS if width >= num_queries)
    restart, gain = _stack([walk.restart], width, dtype), _stack([gain for _, gain in walk.slots], width, dtype)
    scales = _stack([_given(walk.blocks[i].to_scale) for i in plan.scaled], width, dtype)
    values = _stack([_weighed(walk.blocks[i]) for i in plan.valued], width, dtype)
    factors = (restart, gain, scales, values)
    leaving = [
        (rows, slice(start, start + rows.stop - rows.start))
        for (rows, _), start in zip(walk.slots, plan.slot_starts.tolist(), strict=True)
    ]
    del walk  # a large graph's gains need not lie in memory twice
    schedule = Schedule(damping, accelerate, tol, dtype)
    y, older, x, x_next = _aligned(restart), _aligned(restart), _aligned(gain), _aligned(gain)

    def start() -> None:
        y[:], older[:] = restart, 0
        for rows, places in leaving:
            np.multiply(y[rows], gain[places], out=x[places])

    chunks, lanes = len(plan.chunks) - 1, (0,) * width
    totals, residual, steps = np.zeros((chunks * 2, width)), np.zeros(width), 0
    threads = min(torch.get_num_threads(), chunks)
    shares = [(chunks * t // threads, chunks * (t + 1) // threads) for t in range(threads)]
    start()
    with ThreadPoolExecutor(threads - 1) if threads > 1 else nullcontext() as pool:
        while True:
            ahead = 1 if pool else min(max_iter - steps, BURST)
            omegas = np.array([schedule.next() for _ in range(ahead)])
            state = (damping, plan.graph, factors, y, older, x, x_next, totals)
            if pool:
                jobs = [
                    pool.submit(kernels.step, plan.chunks, *share, lanes, omegas[0], *state) for share in shares[1:]
                ]
                kernels.step(plan.chunks, *shares[0], lanes, omegas[0], *state)
                for job in jobs:
                    job.result()
                made = 1
                kernels.judge(totals, omegas[0], damping, dangling, tol, LOST, residual)
            else:
                made = kernels.run(omegas, tol, LOST, dangling, plan.chunks, lanes, *state, residual)
            steps += made
            if made % 2 == 0:
                y, older, x, x_next = older, y, x_next, x
            if steps >= max_iter or (residual <= tol).all():
                # of a power step F(y) itself was written, whose residual is at most d times that of y
                found = older if omegas[made - 1] == 1 else y
                bound = torch.from_numpy(residual[:num_queries]).to(dtype)
                return Solution(torch.from_numpy(found)[:, :num_queries], steps, bound)
            if not residual.max() < LOST:
                schedule.give_up(dtype)
                start()
                continue
            y, older, x, x_next = older, y, x_next, x


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


def _aligned(like: Array) -> Array:
    """Return an unset array of the same kind whose rows of 64 bytes are cache lines, so that a gather reads one."""
    buffer = np.empty(like.nbytes + 64, np.uint8)  # large ones numpy asks huge pages for: fewer address look-ups
    start = -buffer.ctypes.data % 64
    return buffer[start : start + like.nbytes].view(like.dtype).reshape(like.shape)


def plan_of(walk: Walk) -> Plan:
    """Return the plan of a walk's blocks, made once for each combination of blocks and shared factors."""
    blocks = walk.blocks
    if not blocks:
        return _plan(walk, [-1], [-1])
    scale_of = _distinct([None if b.to_scale is None else (id(b.to_scale), b.to_rows.start) for b in blocks])
    value_of = _distinct([None if b.value is None else (id(b.value), id(b.block)) for b in blocks])
    # ids stay valid as long as the cache does: it belongs to the first block, and the plan keeps the others alive
    parts = zip(blocks, walk.slot_of, scale_of, value_of, strict=True)
    key = ("plan", walk.restart.dtype, len(walk.restart), *((id(b.block), b.reverse, *places) for b, *places in parts))
    cache = blocks[0].block.cache
    if key not in cache:
        cache[key] = (_plan(walk, scale_of, value_of), [b.block for b in blocks])
    plan: Plan = cache[key][0]
    return plan


def merged(walk: Walk) -> tuple[Walk, Plan]:
    """Return a walk of one query whose edges are one flow that carries all factors.

    A row's edges are few, and a loop over them costs a mispredicted branch: one loop a row instead of one a block is
    worth the multiplications of the factors, unless a batch shares the loops.
    """
    blocks, num_nodes = walk.blocks, len(walk.restart)
    cache = blocks[0].block.cache
    key = ("merged", num_nodes, *((id(b.block), b.reverse) for b in blocks))
    if key not in cache:
        ends = [(b.block.target, b.block.source) if b.reverse else (b.block.source, b.block.target) for b in blocks]
        start = torch.cat([a.long() + b.from_rows.start for (a, _), b in zip(ends, blocks, strict=True)])
        end = torch.cat([z.long() + b.to_rows.start for (_, z), b in zip(ends, blocks, strict=True)])
        order = torch.argsort(end * num_nodes + start, stable=True)
        pointer = np.concatenate([[0], np.bincount(end.numpy(), minlength=num_nodes).cumsum()])
        index = np.int32 if num_nodes <= LARGEST_INDEX else np.int64
        column = np.concatenate([start[order].numpy(), np.zeros(kernels.AHEAD)], dtype=index, casting="unsafe")
        shape = [np.array(x, np.int64) for x in ([0, num_nodes], [0, 1], [0], [0, 1], [0])]
        flows = np.zeros((1, 5), np.int64)
        flows[0, kernels.KIND] = kernels.WEIGHTED
        graph = (*shape, flows, pointer, column, np.zeros(0, column.dtype))
        cache[key] = (order, graph, _chunks(blocks, num_nodes), [b.block for b in blocks])
    order, graph, chunks, _ = cache[key]
    carried = []
    for b, slot in zip(blocks, walk.slot_of, strict=True):
        start, end = (b.block.target, b.block.source) if b.reverse else (b.block.source, b.block.target)
        factor = walk.slots[slot][1][:, 0][start]
        if b.to_scale is not None:
            factor *= b.to_scale[:, 0][end]
        if b.value is not None:
            factor *= b.value[:, 0]
        if not b.block.unit:
            factor *= b.block.weight.detach()
        carried.append(factor)
    weight = torch.cat(carried)[order].numpy()
    alone = Walk([], walk.restart, [(slice(0, num_nodes), torch.ones_like(walk.restart))], [], walk.dangling)
    return alone, Plan((*graph, weight), chunks, np.zeros(1, np.int64), [], [])


def _plan(walk: Walk, scale_of: Sequence[int], value_of: Sequence[int]) -> Plan:
    blocks, num_nodes = walk.blocks, len(walk.restart)
    scaled = [scale_of.index(i) for i in range(max(scale_of, default=-1) + 1)]
    valued = [value_of.index(i) for i in range(max(value_of, default=-1) + 1)]
    slot_starts = _starts([rows.stop - rows.start for rows, _ in walk.slots])
    scale_starts = _starts([len(_given(blocks[i].to_scale)) for i in scaled])
    value_starts = _starts([len(_given(blocks[i].value)) for i in valued])
    index = np.int32 if max(slot_starts[-1], value_starts[-1]) <= LARGEST_INDEX else np.int64

    flows = np.zeros((len(blocks), 5), np.int64)
    pointers, columns, edges, weights = [np.zeros(0, np.int64)], [np.zeros(0, index)], [np.zeros(0, index)], []
    weights.append(np.zeros(0, walk.restart.numpy().dtype))
    num_pointers = num_columns = num_edges = num_weights = 0
    for f, block in enumerate(blocks):
        rows = block.block.by_source if block.reverse else block.block.by_target
        size = rows.column.numel()
        flows[f, kernels.POINTER] = num_pointers - block.to_rows.start
        pointers.append(rows.pointer.numpy() + num_columns)
        columns.append(np.add(rows.column.numpy(), slot_starts[walk.slot_of[f]], dtype=index))
        if block.value is not None:
            flows[f, kernels.KIND], flows[f, kernels.ASIDE] = kernels.VALUED, num_edges - num_columns
            edges.append(np.add(rows.edge.numpy(), value_starts[value_of[f]], dtype=index))
            num_edges += size
        elif not block.block.unit:
            flows[f, kernels.KIND], flows[f, kernels.ASIDE] = kernels.WEIGHTED, num_weights - num_columns
            weights.append(block.block.weight.detach()[rows.edge].to(walk.restart.dtype).numpy())
            num_weights += size
        if block.to_scale is not None:
            flows[f, kernels.SCALED] = 1
            flows[f, kernels.SCALE] = scale_starts[scale_of[f]] - block.to_rows.start
        num_pointers += rows.pointer.numel()
        num_columns += size

    ends = [end for b in blocks for rows in (b.from_rows, b.to_rows) for end in (rows.start, rows.stop)]
    cuts = sorted({0, num_nodes, *ends})
    in_pointer, in_flow, out_pointer, out_shift = [0], [], [0], []
    for start, stop in pairwise(cuts):
        in_flow += [f for f, b in enumerate(blocks) if b.to_rows.start <= start and stop <= b.to_rows.stop]
        inside = [k for k, (rows, _) in enumerate(walk.slots) if rows.start <= start and stop <= rows.stop]
        out_shift += [slot_starts[k] - walk.slots[k][0].start for k in inside]
        in_pointer.append(len(in_flow))
        out_pointer.append(len(out_shift))
    lists = [np.array(x, np.int64) for x in (cuts, in_pointer, in_flow, out_pointer, out_shift)]
    for x in (columns, edges):
        x.append(np.zeros(kernels.AHEAD, index))
    arrays = [np.concatenate(x) for x in (pointers, columns, edges, weights)]
    return Plan((*lists, flows, *arrays), _chunks(blocks, num_nodes), np.array(slot_starts[:-1]), scaled, valued)


def _chunks(blocks: Sequence[WeightedBlock], num_nodes: int) -> Array:
    """Cut the rows into chunks of about equal work; their number depends on the graph alone, not on the threads."""
    work = np.full(num_nodes, 3, np.int64)  # a row by itself costs about three edges
    for block in blocks:
        rows = block.block.by_source if block.reverse else block.block.by_target
        work[block.to_rows] += np.diff(rows.pointer.numpy())
    total = work.cumsum()
    count = max(1, min(256, int(total[-1]) // CHUNK))
    inner = np.searchsorted(total, total[-1] * np.arange(1, count) // count)
    return np.array([0, *inner, num_nodes], np.int64)


def _starts(sizes: Sequence[int]) -> list[int]:
    """First place of each part, and the end."""
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


def _distinct(keys: Sequence[tuple[int, int] | None]) -> list[int]:
    """Number equal keys alike, in order of appearance; None is -1."""
    places: dict[tuple[int, int], int] = {}
    return [-1 if key is None else places.setdefault(key, len(places)) for key in keys]


def _given(factor: Tensor | None) -> Tensor:
    assert factor is not None
    return factor


def _weighed(block: WeightedBlock) -> Tensor:
    """Values of a block, times its static weights."""
    value = _given(block.value)
    return value if block.block.unit else value * block.block.weight.detach().to(value.dtype)[:, None]
