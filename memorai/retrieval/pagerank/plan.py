"""How the edges of a graph's blocks lie in memory for the compiled kernels: made once, kept on the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from torch import Tensor

from memorai.retrieval.pagerank import kernels
from memorai.retrieval.pagerank.blocks import LARGEST_INDEX, WeightedBlock
from memorai.retrieval.pagerank.walk import Walk

Array = np.ndarray[Any, Any]

#: edges and rows in a chunk, the least that is worth a thread
CHUNK = 1 << 14


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


def _plan(walk: Walk, scale_of: Sequence[int], value_of: Sequence[int]) -> Plan:
    blocks, num_nodes = walk.blocks, len(walk.restart)
    scaled = [scale_of.index(i) for i in range(max(scale_of, default=-1) + 1)]
    valued = [value_of.index(i) for i in range(max(value_of, default=-1) + 1)]
    slot_starts = _starts([rows.stop - rows.start for rows, _ in walk.slots])
    scale_starts = _starts([len(given(blocks[i].to_scale)) for i in scaled])
    value_starts = _starts([len(given(blocks[i].value)) for i in valued])
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
    return Plan((*lists, flows, *arrays), chunks_of(blocks, num_nodes), np.array(slot_starts[:-1]), scaled, valued)


def chunks_of(blocks: Sequence[WeightedBlock], num_nodes: int) -> Array:
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


def given(factor: Tensor | None) -> Tensor:
    """A factor that is known to be there."""
    assert factor is not None
    return factor


def weighed(block: WeightedBlock) -> Tensor:
    """Values of a block, times its static weights."""
    value = given(block.value)
    return value if block.block.unit else value * block.block.weight.detach().to(value.dtype)[:, None]
