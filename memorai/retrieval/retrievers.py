"""The read path as one object: directly by a turn score, or by PageRank over each query's graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from memorai.retrieval.indexed import QueryView
from memorai.retrieval.pagerank import WeightedBlock, check_damping, check_limits, pagerank
from memorai.retrieval.readout import Readout, TurnNodes
from memorai.retrieval.restart import Restart
from memorai.retrieval.scores import TurnScorer
from memorai.retrieval.subgraph import Subgraph
from memorai.retrieval.weights import EdgeWeighter


@dataclass(frozen=True)
class Retrieved:
    """Scores of turns, float64 [n_turn, Q], -inf outside the query's subgraph; and one ``info`` a query."""

    scores: Tensor
    info: Sequence[Mapping[str, Any]]


class Retriever(Protocol):
    """Scores the turns of a graph for a batch of queries."""

    def retrieve(self, view: QueryView) -> Retrieved:
        """Return turn scores and what explains them."""
        ...


class DirectRetriever:
    """Turns by their own score; no graph.

    Args:
        scorer: what scores them.
    """

    def __init__(self, scorer: TurnScorer) -> None:
        if scorer is None:
            raise ValueError("scorer is missing; a direct retriever needs one")
        self.scorer = scorer

    def retrieve(self, view: QueryView) -> Retrieved:
        """Return the scorer's scores."""
        return Retrieved(self.scorer.score(view), [{} for _ in view.queries])


@dataclass(frozen=True)
class Prepared:
    """What a walk is made of: mask bool [N, Q], restart mass float64 [N, Q], and weighted edges."""

    mask: Tensor
    restart: Tensor
    blocks: list[WeightedBlock]


class PageRankRetriever:
    """Turns by Dynamic Weighted PageRank.

    Args:
        subgraph: where a query may walk.
        restart: where its walk restarts.
        weights: what its edges weigh.
        damping: probability to follow an edge, in [0, 1).
        tol: L1 change at which the iteration stops.
        max_iter: most iterations.
        readout: how turns are scored by the walk; None = each by its own node.
    """

    def __init__(
        self,
        subgraph: Subgraph,
        restart: Restart,
        weights: EdgeWeighter,
        damping: float = 0.85,
        tol: float = 1e-6,
        max_iter: int = 200,
        readout: Readout | None = None,
    ) -> None:
        check_damping(damping)
        check_limits(tol, max_iter)
        for name, part in (("subgraph", subgraph), ("restart", restart), ("weights", weights)):
            if part is None:
                raise ValueError(f"{name} is missing; a PageRank needs one")
        self.subgraph, self.restart, self.weights = subgraph, restart, weights
        self.damping, self.tol, self.max_iter = damping, tol, max_iter
        self.readout: Readout = readout or TurnNodes()

    def prepare(self, view: QueryView) -> Prepared:
        """Return what the walk of each query is made of, for those who want to look at it."""
        mask = self.subgraph.mask(view)
        return Prepared(mask, self.restart.mass(view, mask), self.weights.weights(view, mask))

    def retrieve(self, view: QueryView) -> Retrieved:
        """Return PageRank scores of the turns."""
        made = self.prepare(view)
        mask = made.mask
        result = pagerank(made.blocks, made.restart, self.damping, self.tol, self.max_iter, candidates=mask)
        scores = self.readout.turns(view, result.scores, mask)
        sizes = mask.sum(0).tolist()
        info = [
            {
                "engine": result.engine,
                "iterations": result.iterations,
                "residual": float(result.residual[q]),
                "converged": bool(result.converged[q]),
                "restart_fallback": bool(result.fallback[q]),
                "subgraph_nodes": sizes[q],
            }
            for q in range(len(view))
        ]
        return Retrieved(scores, info)
