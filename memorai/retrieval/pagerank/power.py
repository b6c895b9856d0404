"""Power iteration for Dynamic Weighted PageRank (MemORAI, Eq. 2-3), batched over queries."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock


@dataclass(frozen=True)
class PageRank:
    """Scores and how they were reached.

    Args:
        scores: [N, Q], each column sums to 1 (an empty graph has none).
        iterations: power steps made.
        residual: [Q], L1 distance between the last two iterates.
        converged: [Q] bool, residual <= tol.
        fallback: [Q] bool, the restart had no mass and was replaced by a uniform one.
    """

    scores: Tensor
    iterations: int
    residual: Tensor
    converged: Tensor
    fallback: Tensor


def pagerank(
    blocks: Sequence[WeightedBlock],
    restart: Tensor,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    candidates: Tensor | None = None,
) -> PageRank:
    """Solve p = (1 - d) s + d (P_q^T p + (dangling mass of p) s) for every query q.

    P_q holds the query's edge weights, normalised over all blocks that leave a node; a node whose weights are all zero
    is dangling and its mass goes back to the restart s. ``damping`` is the probability to follow an edge: NetworkX
    calls it alpha, PyG's APPNP calls 1 - damping so.

    Args:
        blocks: weighted edges; reverse directions are blocks of their own.
        restart: [N, Q] >= 0, normalised here to sum 1 a column.
        damping: d in [0, 1).
        tol: stop when the L1 change of every column is at most this.
        max_iter: most steps; more needed is flagged in ``converged`` and warned of, never silent.
        candidates: bool [N, Q]; a column of zero restart falls back to uniform mass on these (None: all nodes).

    Returns:
        PageRank with scores [N, Q] in the restart's dtype and device.

    Raises:
        ValueError: damping outside [0, 1), or a restart that is negative or not finite (names the first index).
    """
    check_damping(damping)
    s, fallback = normalise_restart(restart, candidates)
    num_nodes, num_queries = s.shape
    if num_nodes == 0 or num_queries == 0:
        zero = s.new_zeros(num_queries)
        return PageRank(s, 0, zero, torch.ones_like(zero, dtype=torch.bool), fallback)

    out = torch.zeros_like(s)
    for block in blocks:
        out[block.from_rows] += block.out_sum(num_queries, s.dtype)
    if not bool(torch.isfinite(out).all()):
        node, query = (~torch.isfinite(out)).nonzero()[0].tolist()
        raise ValueError(f"the weights that leave node {node}, query {query} overflow {s.dtype}")
    # below the smallest normal number a division would overflow: such a node counts as dangling
    dangling = out < torch.finfo(s.dtype).tiny
    inverse = torch.where(dangling, 0, 1 / out)
    dangling_mass = dangling.to(s.dtype)

    p, steps, residual = s, 0, s.new_full((num_queries,), float("inf"))
    while steps < max_iter:
        leaving = p * inverse
        moved = torch.zeros_like(p)
        for block in blocks:
            moved[block.to_rows] += block.push(leaving[block.from_rows])
        back = (p * dangling_mass).sum(0)
        following = (1 - damping + damping * back) * s + damping * moved
        residual = (following - p).abs().sum(0)
        p, steps = following, steps + 1
        if bool((residual <= tol).all()):
            break
    converged = residual <= tol
    if not bool(converged.all()):
        warnings.warn(
            f"PageRank: {int((~converged).sum())} of {num_queries} queries did not reach tol={tol} "
            f"in {max_iter} iterations (worst residual {float(residual.max()):.2e})",
            RuntimeWarning,
            stacklevel=2,
        )
    return PageRank(p, steps, residual, converged, fallback)


def check_damping(damping: float) -> None:
    """Raise ValueError unless 0 <= damping < 1 (at 1 the restart vanishes and nothing is defined)."""
    if not 0 <= damping < 1:
        raise ValueError(f"damping={damping} is outside [0, 1)")


def normalise_restart(restart: Tensor, candidates: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scale every column of restart [N, Q] to sum 1; also return which columns [Q] fell back to uniform."""
    bad = ~torch.isfinite(restart) | (restart < 0)
    if bool(bad.any()):
        node, query = bad.nonzero()[0].tolist()
        raise ValueError(
            f"restart of node {node}, query {query} is {float(restart[node, query])}; it must be finite and >= 0"
        )
    # dividing by the maximum first keeps subnormal columns from overflowing in the division by their sum
    top = restart.amax(0) if restart.shape[0] else restart.new_zeros(restart.shape[1])
    empty = top <= 0
    allowed = torch.ones_like(restart) if candidates is None else candidates.to(restart.dtype)
    allowed = torch.where(allowed.sum(0) > 0, allowed, 1.0)
    mass = torch.where(empty, allowed, restart / torch.where(empty, 1, top))
    return mass / mass.sum(0).clamp_min(torch.finfo(mass.dtype).tiny), empty
