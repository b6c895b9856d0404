"""One query on the compiled engine: its weights are multiplied out once, into one flow of edges.

A batch shares its loops over a node's edges between queries, so that factors are best left where they are; a single
query does not, and one loop a node instead of one a block is worth the multiplications.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from memorai.retrieval.pagerank import single_kernels as kernels
from memorai.retrieval.pagerank.blocks import LARGEST_INDEX, WeightedBlock
from memorai.retrieval.pagerank.compiled import Stepper, drive
from memorai.retrieval.pagerank.plan import Array, chunks_of
from memorai.retrieval.pagerank.schedule import Schedule
from memorai.retrieval.pagerank.walk import Solution, check_out


class Merged(NamedTuple):
    """The edges of all blocks by the node that they enter: those of node v are ``pointer[v]:pointer[v + 1]``.

    Args:
        pointer: uint32 or uint64 [N + 1].
        column: likewise [E], the node that an edge leaves.
        places: for each block, the places [E_b] of its edges among all; likewise.
        chunks: nodes at which chunks of about equal work begin, and the end.
        blocks: keeps alive what the cache's key names.
    """

    pointer: Array
    column: Array
    places: list[Array]
    chunks: Array
    blocks: list[object]


def iterate(
    blocks: Sequence[WeightedBlock], restart: Tensor, damping: float, tol: float, max_iter: int, accelerate: bool
) -> Solution:
    """Iterate as `power.iterate` does for one query, on the CPU.

    Args:
        blocks: weighted edges with factors [n, 1] of the restart's dtype.
        restart: [N, 1], sum 1.
        damping: d in [0, 1).
        tol: L1 residual of p = y / sum(y).
        max_iter: most products, at least 1.
        accelerate: take Chebyshev's steps, allowed if the walk is reversible.

    Raises:
        ValueError: the weights that leave a node overflow the dtype.
    """
    edges = merged(blocks, len(restart))
    weight, dangling = weigh(edges, blocks, restart)
    base = restart.numpy()[:, 0]
    y, older = np.empty_like(base), np.empty_like(base)

    def start() -> None:
        y[:], older[:] = base, 0

    fixed = (base.dtype.type(damping), edges.pointer, edges.column, weight, base)
    stepper = Stepper(kernels.step, kernels.run, edges.chunks, 1, fixed, (y,), (older,), start)
    schedule = Schedule(damping, accelerate, tol, restart.dtype)
    found, steps, residual = drive(stepper, schedule, damping, tol, max_iter, dangling)
    return Solution(torch.from_numpy(found)[:, None], steps, torch.from_numpy(residual).to(restart.dtype))


def merged(blocks: Sequence[WeightedBlock], num_nodes: int) -> Merged:
    """Sort the edges of all blocks, once for each combination of blocks."""
    if not blocks:
        nothing = np.zeros(0, np.uint32)
        return Merged(np.zeros(num_nodes + 1, np.uint32), nothing, [], np.array([0, num_nodes]), [])
    # ids stay valid as long as the cache does: it belongs to the first block, and the entry keeps the others alive
    key = ("merged", num_nodes, *((id(b.block), b.reverse) for b in blocks))
    cache = blocks[0].block.cache
    if key not in cache:
        ends = [_ends(b) for b in blocks]
        start = torch.cat([leaves.long() + b.from_rows.start for (leaves, _), b in zip(ends, blocks, strict=True)])
        end = torch.cat([enters.long() + b.to_rows.start for (_, enters), b in zip(ends, blocks, strict=True)])
        order = torch.argsort(end * num_nodes + start, stable=True)
        kind = np.uint32 if max(num_nodes, len(order)) <= LARGEST_INDEX else np.uint64
        pointer = np.concatenate([[0], np.bincount(end.numpy(), minlength=num_nodes).cumsum()]).astype(kind)
        place = np.empty(len(order), kind)
        place[order.numpy()] = np.arange(len(order), dtype=kind)
        places = np.split(place, np.cumsum([b.block.num_edges for b in blocks])[:-1])
        column = start[order].numpy().astype(kind)
        cache[key] = Merged(pointer, column, places, chunks_of(blocks, num_nodes), [b.block for b in blocks])
    found: Merged = cache[key]
    return found


def weigh(edges: Merged, blocks: Sequence[WeightedBlock], restart: Tensor) -> tuple[Array, bool]:
    """Weight of each merged edge, divided by the sum of those that leave its node; and whether a node dangles."""
    kind = restart.numpy().dtype
    none = np.zeros((0, 1), kind)
    product, out = np.empty(len(edges.column)), np.zeros(len(restart))
    for b, place in zip(blocks, edges.places, strict=True):
        leaves, enters = _ends(b)
        leaving, entering, value = (none if x is None else x.numpy() for x in (b.from_scale, b.to_scale, b.value))
        static = none[:, 0] if b.block.unit else b.block.weight.detach().to(restart.dtype).numpy()
        ends = (leaves.numpy(), enters.numpy())
        kernels.multiply(product, out[b.from_rows], place, ends, (leaving, entering, value, static))
    dangling = check_out(torch.from_numpy(out)[:, None], restart.dtype)
    weight = np.empty(len(product), kind)
    kernels.divide(product, out, float(np.finfo(kind).tiny), edges.column, weight)
    return weight, dangling


def _ends(block: WeightedBlock) -> tuple[Tensor, Tensor]:
    """Local index of the node that each edge leaves, and of the one that it enters."""
    source, target = block.block.source.contiguous(), block.block.target.contiguous()
    return (target, source) if block.reverse else (source, target)
