"""What all engines share: the equation of a block of queries, scaled so that one step is one pass over the edges.

Dangling mass need not be followed. Let y solve y = (1 - d) s + d P^T y, without it; then p = y / sum(y) solves the
whole equation, because the dangling mass only ever adds a multiple of s (Del Corso, Gulli and Romani, Internet
Mathematics 2, 2005). With rho = (1 - d) s + d P^T y - y, the residual of p is (rho - sum(rho) s) / sum(y).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock


class Solution(NamedTuple):
    """Mass [N, Q] of a block of queries, up to a factor a column; products made; L1 residual [Q] of its normal form."""

    mass: Tensor
    iterations: int
    residual: Tensor


@dataclass(frozen=True)
class Walk:
    """A block of queries on weighted edges.

    Args:
        blocks: weighted edges with factors [n, Q] of one dtype.
        restart: [N, Q], each column sums to 1.
        gain: [V, Q], the gains of all slots below one another.
        slots: rows and gain [n, Q] of each distinct pair of leaving rows and their factor: gain = factor / (sum of the
            node's outgoing weights), 0 where there are none.
        slot_of: for each block, its slot.
        dangling: whether any node of any query has no outgoing weight.
    """

    blocks: Sequence[WeightedBlock]
    restart: Tensor
    gain: Tensor
    slots: Sequence[tuple[slice, Tensor]]
    slot_of: Sequence[int]
    dangling: bool


def prepare(blocks: Sequence[WeightedBlock], restart: Tensor) -> Walk:
    """Normalise the outgoing weights. Raises ValueError where they overflow the dtype."""
    inverse, dangling = inverse_out(blocks, restart)
    places: dict[tuple[int, int, int], int] = {}
    pairs: list[tuple[slice, Tensor | None]] = []
    slot_of = []
    for block in blocks:
        rows, scale = block.from_rows, block.from_scale
        key = (rows.start, rows.stop, id(scale))
        if key not in places:
            places[key] = len(pairs)
            pairs.append((rows, scale))
        slot_of.append(places[key])
    sizes = [rows.stop - rows.start for rows, _ in pairs]
    gain = restart.new_empty(sum(sizes), restart.shape[1])
    slots = [(rows, part) for (rows, _), part in zip(pairs, gain.split(sizes), strict=True)] if pairs else []
    for (rows, scale), (_, part) in zip(pairs, slots, strict=True):
        if scale is None:
            part.copy_(inverse[rows])
        else:
            torch.mul(inverse[rows], scale, out=part)
    return Walk(blocks, restart, gain, slots, slot_of, dangling)


def inverse_out(blocks: Sequence[WeightedBlock], restart: Tensor) -> tuple[Tensor, bool]:
    """1 / (sum of the weights that leave a node), 0 for dangling nodes: [N, Q]; and whether there are such."""
    out = torch.zeros_like(restart)
    for block in blocks:
        block.add_out_sum(out[block.from_rows])
    few = check_out(out, restart.dtype)
    dangling = out < least_out(out.dtype) if few else None
    if out.requires_grad:
        return (
            out.reciprocal() if dangling is None else torch.where(dangling, 0, 1 / torch.where(dangling, 1, out))
        ), few
    inverse = out.reciprocal_()
    return (inverse if dangling is None else inverse.masked_fill_(dangling, 0)), few


def check_out(out: Tensor, dtype: torch.dtype, query: int = 0) -> bool:
    """Return whether any sum of leaving weights [N, Q] is below `least_out` of a dtype; ``query`` is the first.

    Raises:
        ValueError: one is too large.
    """
    if not out.numel():
        return False
    low, high = (float(x) for x in torch.aminmax(out.detach()))
    if not high <= torch.finfo(dtype).max:
        node, column = (~(out <= torch.finfo(dtype).max)).nonzero()[0].tolist()
        raise ValueError(f"the weights that leave node {node}, query {query + column} overflow {dtype}")
    return low < least_out(dtype)


def least_out(dtype: torch.dtype) -> float:
    """Sum of leaving weights below which a node counts as dangling: 1e-31 in float32, 1e-292 in float64.

    Its quotients and products with a weight's factors still have all their digits.
    """
    return torch.finfo(dtype).tiny / torch.finfo(dtype).eps


def check_damping(damping: float) -> None:
    """Raise ValueError unless 0 <= damping < 1 (at 1 the restart vanishes and nothing is defined)."""
    if isinstance(damping, bool) or not isinstance(damping, Real) or not 0 <= damping < 1:
        raise ValueError(f"damping={damping} is outside [0, 1)")


def check_limits(tol: float, max_iter: int) -> None:
    """Raise ValueError unless tol is a positive number and max_iter a whole number of at least 1."""
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 < tol < float("inf"):
        raise ValueError(f"tol={tol} is not a positive number")
    if isinstance(max_iter, bool) or not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter={max_iter} is not a whole number of at least 1")


def normalise_restart(restart: Tensor, candidates: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scale every column of restart [N, Q] to sum 1; also return which columns [Q] fell back to uniform."""
    num_nodes, num_queries = restart.shape
    if not restart.numel():
        return restart, torch.full((num_queries,), not num_nodes, dtype=torch.bool, device=restart.device)
    fixed = restart.detach()
    low, high = torch.aminmax(fixed)
    if not (float(low) >= 0 and float(high) < float("inf")):
        node, query = (~torch.isfinite(fixed) | (fixed < 0)).nonzero()[0].tolist()
        value = float(fixed[node, query])
        raise ValueError(f"restart of node {node}, query {query} is {value}; it must be finite and >= 0")
    total = restart.sum(0)
    least, most = torch.aminmax(total.detach())
    if float(least) > torch.finfo(total.dtype).tiny * 2**30 and float(most) < float("inf"):
        return restart / total, torch.zeros(num_queries, dtype=torch.bool, device=restart.device)
    # dividing by the maximum first keeps tiny and huge columns from leaving the dtype's range
    top = fixed.amax(0)
    empty = top <= 0
    allowed = torch.ones_like(fixed) if candidates is None else candidates.to(restart.dtype)
    allowed = torch.where(allowed.sum(0) > 0, allowed, 1.0)
    mass = torch.where(empty, allowed, restart / torch.where(empty, 1, top))
    return mass / mass.sum(0), empty
