"""The local engine behind `pagerank`: blocks of weighted edges in, scores within a stated error out.

A query's walk touches only nodes near its seeds, and how many depends on ``tol``. Its weights are worked out for all
edges before, because blocks hold them as arrays; `local.LocalPageRank`, which a large memory should use directly, works
them out on the way, from the vectors of the nodes that it meets.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.local import LocalPageRank
from memorai.retrieval.pagerank.local_graph import edge_weights, weighted_local_graph
from memorai.retrieval.pagerank.walk import Solution, inverse_out

#: residual that a node may keep for each of its edges: so small that ``tol`` alone ends a query
_LEAST = 1e-300


def solve(blocks: Sequence[WeightedBlock], restart: Tensor, damping: float, tol: float, max_iter: int) -> Solution:
    """Push every query's mass until what is left to push is small enough.

    With e the L1 distance of the pushed mass to the exact scores, none of which it exceeds, its normal form is within
    2 e of them, and its residual at most 2 (1 + d) e.

    Args:
        blocks: weighted edges with factors [n, Q].
        restart: s [N, Q], each column sums to 1.
        damping: d in [0, 1).
        tol: L1 residual aimed at.
        max_iter: most edges to move mass along, in multiples of all edges.

    Returns:
        Scores, edges moved along in multiples of all edges, rounded up, and the bound of the residual.
    """
    num_nodes, num_queries = restart.shape
    # e = d r / sum(y), r being the mass left to push; y sums to 1 where none is lost to dangling nodes, else to at
    # least 1 - d. A little less is asked for, so that rounding does not leave the bound above tol
    inverse, dangling = inverse_out(blocks, restart)
    least = 1 - damping if dangling else 1.0
    left = 0.99 * tol * least / (2 * (1 + damping) * max(damping, 0.5))
    edges = max(1, sum(b.block.num_edges for b in blocks))
    scores, residual, most = torch.zeros_like(restart), restart.new_zeros(num_queries), 1
    walk = LocalPageRank(weighted_local_graph(blocks, num_nodes))
    leaving = torch.cat([restart.new_zeros(0, dtype=torch.int64), *(b.leaving for b in blocks)])
    for q in range(num_queries):
        seeds = restart[:, q].nonzero()[:, 0]
        mass = restart[seeds, q].double().numpy()
        found = walk(
            *(seeds.numpy(), mass),
            similarity=edge_weights(blocks, q) * (inverse[leaving, q] > 0).numpy(),
            damping=damping,
            eps=_LEAST,
            tol=left,
            max_edges=max_iter * edges,
        )
        scores[torch.from_numpy(found.nodes), q] = torch.from_numpy(found.scores).to(scores.dtype)
        residual[q] = 2 * (1 + damping) * found.error
        most = max(most, -(-found.edges // edges))
    return Solution(scores, most, residual)
