"""What the compiled engine walks on: the edges of all blocks in one flow, and a batch's weights on them.

One loop a node instead of one a block and node is worth the multiplications (docs/pagerank.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from memorai.retrieval.pagerank import kernels
from memorai.retrieval.pagerank.blocks import LARGEST_INDEX, Block, WeightedBlock
from memorai.retrieval.pagerank.walk import check_out, least_out

Array = np.ndarray[Any, Any]

#: numbers of queries that kernels are compiled for; fewer queries are padded with empty ones
WIDTHS = (1, 4, 8, 16)
#: edges and rows in a chunk, the least that is worth a thread
CHUNK = 1 << 14


class Merged(NamedTuple):
    """The edges of all blocks by the node that they enter: those of ``node[i]`` are ``pointer[i]:pointer[i + 1]``.

    Args:
        node: uint32 or uint64 [N], the nodes by their number of entering edges: a processor foresees the end of a loop
            that is as long as the last one.
        pointer: likewise [N + 1].
        column: likewise [E], the node that an edge leaves.
        places: for each block, the places [E_b] of its edges among all; likewise.
        ends: for each block, the local index of the node that each edge leaves, and of the one that it enters.
        chunks: places among the nodes at which chunks of about equal work begin, and the end.
        blocks: keeps alive what the cache's key names.
    """

    node: Array
    pointer: Array
    column: Array
    places: list[Array]
    ends: list[tuple[Array, Array]]
    chunks: Array
    blocks: Sequence[object]


def merged(blocks: Sequence[WeightedBlock], num_nodes: int) -> Merged:
    """Sort the edges of all blocks, once for each combination of blocks."""
    if not blocks:
        return _merge([], num_nodes)
    # ids stay valid as long as the cache does: it belongs to the first block, and the entry keeps the others alive
    key = ("merged", num_nodes, *((id(b.block), b.reverse) for b in blocks))
    cache = blocks[0].block.cache
    if key not in cache:
        cache[key] = _merge(blocks, num_nodes)
    found: Merged = cache[key]
    return found


def _merge(blocks: Sequence[WeightedBlock], num_nodes: int) -> Merged:
    ends = [_ends(b) for b in blocks]
    none = np.zeros(0, np.int64)
    pairs = list(zip(ends, blocks, strict=True))
    start = np.concatenate([none, *(np.add(x, b.from_rows.start, dtype=np.int64) for (x, _), b in pairs)])
    end = np.concatenate([none, *(np.add(x, b.to_rows.start, dtype=np.int64) for (_, x), b in pairs)])
    degree = np.bincount(end, minlength=num_nodes)
    node = np.argsort(degree, kind="stable")
    rank = np.empty(num_nodes, np.int64)
    rank[node] = np.arange(num_nodes)
    order = torch.argsort(torch.from_numpy(rank[end] * num_nodes + start), stable=True).numpy()  # quicker than numpy's
    index: Any = np.uint32 if max(num_nodes, len(order)) <= LARGEST_INDEX else np.uint64
    pointer = np.concatenate([[0], degree[node].cumsum()])
    place = np.empty(len(order), index)
    place[order] = np.arange(len(order), dtype=index)
    places = np.split(place, np.cumsum([b.block.num_edges for b in blocks]))[:-1]
    column, chunks = start[order].astype(index), _chunks(pointer)
    return Merged(node.astype(index), pointer.astype(index), column, places, ends, chunks, [b.block for b in blocks])


def weigh(edges: Merged, blocks: Sequence[WeightedBlock], restart: Tensor) -> tuple[Array, bool]:
    """Multiply out the weights of the queries of a restart [N, Q] and normalise them.

    Returns:
        weight of each merged edge [E, width], divided by the sum of those that leave its node; whether a node dangles.

    Raises:
        ValueError: the weights that leave a node overflow the dtype.
    """
    num_queries, dtype = restart.shape[1], restart.dtype
    width = width_of(num_queries)
    lanes, none = (0,) * width, restart.new_zeros(0, width)
    product = aligned(len(edges.column), none.numpy())
    out = np.zeros((len(restart), width))
    filled: dict[int, Array] = {}
    for b, place, ends in zip(blocks, edges.places, edges.ends, strict=True):
        factors = []
        for factor in (b.from_scale, b.to_scale, b.value):
            if id(factor) not in filled:
                filled[id(factor)] = fill_up(none if factor is None else factor, width)
            factors.append(filled[id(factor)])
        factors.append(_static(b.block, dtype))
        kernels.multiply(lanes, product, out, b.from_rows.start, place, ends, tuple(factors))
    dangling = check_out(torch.from_numpy(out)[:, :num_queries], dtype)
    kernels.divide(lanes, product, out, least_out(dtype), edges.column, np.empty_like(out, product.dtype))
    return product, dangling


def width_of(num_queries: int) -> int:
    """Number of queries of the narrowest kernel that serves."""
    return next(width for width in WIDTHS if width >= num_queries)


def fill_up(array: Tensor, width: int) -> Array:
    """Fill an array [n, Q] up to ``width`` columns with zeros; no copy where none is needed."""
    if array.shape[1] == width:
        return array.numpy()
    wide = array.new_zeros(len(array), width)
    wide[:, : array.shape[1]] = array
    return wide.numpy()


def aligned(rows: int, like: Array) -> Array:
    """Return an unset array [rows, Q] like another one; rows of 64 bytes are cache lines: a gather reads one each."""
    shape = (rows, *like.shape[1:])
    size = math.prod(shape) * like.itemsize
    if like.itemsize * math.prod(shape[1:]) % 64:
        return np.empty(shape, like.dtype)
    buffer = np.empty(size + 64, np.uint8)  # large ones numpy asks huge pages for: fewer address look-ups
    start = -buffer.__array_interface__["data"][0] % 64
    return buffer[start : start + size].view(like.dtype).reshape(shape)


def _chunks(pointer: Array) -> Array:
    """Cut the rows into chunks of about equal work; their number depends on the graph alone, not on the threads."""
    total = pointer[1:] + 3 * np.arange(1, len(pointer))  # a row by itself costs about three edges
    work = int(total[-1]) if len(total) else 0
    count = max(1, min(256, work // CHUNK))
    inner = np.searchsorted(total, work * np.arange(1, count) // count)
    return np.array([0, *inner, len(pointer) - 1], np.int64)


def _static(block: Block, dtype: torch.dtype) -> Array:
    """Static weights of a block's edges; empty where all are 1."""

    def make() -> Array:
        weight = block.weight.detach()
        # a copy: what is kept must not change with the tensor
        return (weight[:0] if block.unit else weight).to(dtype, copy=True).contiguous().numpy()

    found: Array = block.of_weight(("static", dtype), make)
    return found


def _ends(block: WeightedBlock) -> tuple[Array, Array]:
    source, target = block.block.source.contiguous().numpy(), block.block.target.contiguous().numpy()
    return (target, source) if block.reverse else (source, target)
