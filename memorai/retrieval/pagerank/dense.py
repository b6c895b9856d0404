"""Dense solve of the PageRank equation: slow, exact, the reference that every engine is tested against."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.power import check_damping, normalise_restart


def pagerank_dense(blocks: Sequence[WeightedBlock], restart: Tensor, damping: float = 0.85) -> Tensor:
    """Solve (I - d (P^T + s a^T)) p = (1 - d) s by LU, one query at a time, in float64.

    a marks the dangling nodes. Cost is N^3 a query: for tests and tiny graphs.

    Args:
        blocks: weighted edges, as for `pagerank`.
        restart: [N, Q] >= 0.
        damping: d in [0, 1).

    Returns:
        Scores float64 [N, Q].
    """
    check_damping(damping)
    s, _ = normalise_restart(restart.double())
    num_nodes, num_queries = s.shape
    scores = torch.empty_like(s)
    for q in range(num_queries):
        weights = s.new_zeros(num_nodes, num_nodes)
        for block in blocks:
            source = block.block.source + block.block.source_rows.start
            target = block.block.target + block.block.target_rows.start
            value = block.block.weight.double()
            if block.source_scale is not None:
                value = value * block.source_scale[block.block.source, q]
            if block.target_scale is not None:
                value = value * block.target_scale[block.block.target, q]
            if block.value is not None:
                value = value * block.value[:, q]
            if block.reverse:
                source, target = target, source
            weights.index_put_((source, target), value, accumulate=True)
        out = weights.sum(1)
        dangling = (out <= 0).double()
        transition = weights / torch.where(out > 0, out, 1)[:, None]
        system = torch.eye(num_nodes, dtype=s.dtype) - damping * (transition.T + torch.outer(s[:, q], dangling))
        scores[:, q] = torch.linalg.solve(system, (1 - damping) * s[:, q])
    return scores
