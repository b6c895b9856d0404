"""Dense solve of the PageRank equation: slow, exact, the reference that every engine is tested against."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.extremes import within_range
from memorai.retrieval.pagerank.walk import check_damping, check_out, least_out, normalise_restart

#: most nodes: the matrix takes 8 N^2 bytes and the solution N^3 operations a query
LARGEST = 8192


def pagerank_dense(blocks: Sequence[WeightedBlock], restart: Tensor, damping: float = 0.85) -> Tensor:
    """Solve the PageRank equation of every query by LU, in float64.

    Args:
        blocks: weighted edges, as for `pagerank`.
        restart: [N, Q] >= 0.
        damping: d in [0, 1).

    Returns:
        Scores float64 [N, Q].
    """
    check_damping(damping)
    mass = normalise_restart(restart.double())[0]
    return solve(within_range(blocks, mass), mass, damping)


def solve(blocks: Sequence[WeightedBlock], restart: Tensor, damping: float) -> Tensor:
    """Solve (I - d (P^T + s a^T)) p = (1 - d) s one query at a time, where a marks the dangling nodes.

    Args:
        blocks: weighted edges.
        restart: s [N, Q], each column sums to 1.
        damping: d in [0, 1).

    Returns:
        Scores float64 [N, Q].

    Raises:
        ValueError: more than LARGEST nodes, or the weights that leave a node overflow the restart's dtype.
    """
    s = restart.double()
    num_nodes, num_queries = s.shape
    if num_nodes > LARGEST:
        raise ValueError(f"engine='solve' is for at most {LARGEST} nodes, not {num_nodes}")
    scores = torch.empty_like(s)
    for q in range(num_queries):
        weights = s.new_zeros(num_nodes, num_nodes)
        for block in blocks:
            source = block.block.source.long() + block.block.source_rows.start
            target = block.block.target.long() + block.block.target_rows.start
            if block.reverse:
                source, target = target, source
            weights.index_put_((source, target), block.edge_weight(q), accumulate=True)
        out = weights.sum(1)
        check_out(out[:, None], restart.dtype, query=q)
        dangling = (out < least_out(restart.dtype)).double()
        transition = weights / torch.where(dangling > 0, 1, out)[:, None]
        transition[dangling > 0] = 0
        system = torch.eye(num_nodes, dtype=s.dtype, device=s.device)
        system -= damping * (transition.T + torch.outer(s[:, q], dangling))
        scores[:, q] = torch.linalg.solve(system, (1 - damping) * s[:, q])
    return scores
