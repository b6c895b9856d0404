"""Log-PageRank as evidence: walks over a graph's own weights, from seeds that the question sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from memorai.graph.schema import EDGE_TYPES, TURN
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.pagerank import WeightedBlock, pagerank
from memorai.retrieval.pagerank.walk import least_out
from memorai.retrieval.scores import z_score
from memorai.retrieval.transforms import Softmax


@dataclass(frozen=True)
class Walk:
    """A PageRank as evidence: which edges, how far, and how sharp its seeds are."""

    types: Mapping[str, float]
    damping: float
    temperature: float


#: of the fused scores; none of their values is learned, they only span what a scorer can choose from
WALKS = {
    "all": Walk({"mentioned_in": 0.25, "next": 1.0}, 0.6, 0.7),
    "near": Walk({"mentioned_in": 0.25, "next": 1.0}, 0.3, 0.5),
    "far": Walk({"mentioned_in": 0.25, "next": 1.0}, 0.85, 0.3),
    "next": Walk({"next": 1.0}, 0.5, 0.5),
    "mentioned_in": Walk({"mentioned_in": 1.0}, 0.5, 0.5),
    "part_of": Walk({"part_of": 1.0}, 0.5, 0.3),
}
#: turns up to which a walk is worked out from every turn, once a graph: six arrays [n, n] of float32, 25 MB there
MOST_TURNS = 1024


class StaticWalks:
    """The walks of one graph.

    No weight depends on the question, and a PageRank is linear in its seeds until it is scaled to sum 1. So in a graph
    of up to `MOST_TURNS` turns the walk from each turn is made once, and a question's is their weighted sum.
    """

    def __init__(self, indexed: IndexedGraph) -> None:
        few = len(indexed.graph.turns) <= MOST_TURNS
        self._from_turns = {name: _from_turns(indexed, walk) for name, walk in WALKS.items()} if few else {}

    def __call__(self, view: QueryView, fused: np.ndarray, single: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return z-scored log-PageRank [n, Q]: of each of `WALKS` from the fused scores, of ``all`` from each other.

        Args:
            view: the questions.
            fused: z-scores [n, Q].
            single: z-scores [n, Q] of each scorer.
        """
        every = z_score(torch.from_numpy(np.concatenate([fused, *single], axis=1)))
        masses = []
        for name, walk in WALKS.items():
            seeds = Softmax(walk.temperature)(every if name == "all" else every[:, : len(view)])
            if name in self._from_turns:
                masses.append(self._from_turns[name](seeds.numpy()))
            else:
                found = _walked(view.indexed, walk, seeds.to(view.device), tol=1e-6)
                masses.append(found[view.graph.rows(TURN)].cpu())
        scores = z_score(torch.log(torch.cat(masses, 1) + 1e-12)).numpy()
        first, *rest = np.split(scores, scores.shape[1] // len(view), axis=1)
        return [first, *rest[len(single) :], *rest[: len(single)]]


class _FromTurns:
    """The walk from any seeds on turns, out of the walk from each turn.

    Let y solve y = (1 - d) s + d P^T y, which forgets what reaches dangling nodes; the PageRank is y / sum(y)
    (`memorai.retrieval.pagerank.walk`), and y is linear in s.
    """

    def __init__(self, alone: Tensor, dangling: Tensor, damping: float, rows: slice) -> None:
        """Take the PageRank [N, n] from each turn, which nodes dangle [N], and the turns' rows."""
        # sum(y) = (1 - d) + d (sum(y) - what of y lies on dangling nodes)
        kept = 1 - (alone * dangling[:, None]).sum(0)
        total = (1 - damping) / (1 - damping * kept)
        # transposed: numpy multiplies a single row by such a matrix in half the time
        self._mass = (alone[rows] * total).T.float().contiguous().cpu().numpy()
        self._total = total.cpu().numpy()

    def __call__(self, seeds: np.ndarray) -> Tensor:
        """Return the PageRank of the turns float64 [n, Q] from seeds [n, Q]."""
        share = (seeds / seeds.sum(0)).T
        mass = share.astype(np.float32) @ self._mass
        return torch.from_numpy((mass / (share @ self._total)[:, None]).T)


def _from_turns(indexed: IndexedGraph, walk: Walk) -> _FromTurns:
    count, rows = len(indexed.graph.turns), indexed.graph.rows(TURN)
    blocks = _blocks(indexed, walk, 1)
    out = torch.zeros(indexed.graph.num_nodes, 1, dtype=torch.float64, device=indexed.device)
    for block in blocks:
        block.add_out_sum(out[block.from_rows])
    alone = _walked(indexed, walk, torch.eye(count, dtype=torch.float64, device=indexed.device), tol=1e-9)
    return _FromTurns(alone, (out[:, 0] < least_out(out.dtype)).double(), walk.damping, rows)


def _walked(indexed: IndexedGraph, walk: Walk, seeds: Tensor, tol: float) -> Tensor:
    """PageRank float64 [N, Q] from seeds [n, Q] on the turns."""
    restart = seeds.new_zeros(indexed.graph.num_nodes, seeds.shape[1])
    restart[indexed.graph.rows(TURN)] = seeds
    return pagerank(_blocks(indexed, walk, seeds.shape[1]), restart, walk.damping, tol, max_iter=400).scores


def _blocks(indexed: IndexedGraph, walk: Walk, queries: int) -> list[WeightedBlock]:
    """What `memorai.retrieval.weights.StaticWeights` gives on the whole graph."""
    blocks = []
    for edge_type in EDGE_TYPES:
        factor = walk.types.get(edge_type[1], 0.0)
        if factor and indexed.graph.edges[edge_type].weight.size:
            block = indexed.block(edge_type)
            scale = torch.full((block.num_sources, queries), factor, dtype=torch.float64, device=indexed.device)
            forward = WeightedBlock(block, scale)
            blocks += [forward, forward.reversed()]
    return blocks
