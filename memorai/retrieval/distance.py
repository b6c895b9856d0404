"""How far a turn is from what the question names, in steps through the graph."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.graph.schema import ENTITY, MENTIONED_IN, RELATION, TURN
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.named import named_or_nearest


class GraphDistance:
    """1 / (1 + h): h steps along relations and mentions from the entities that the query names (else the nearest).

    A turn that mentions a named entity has h = 1; beyond ``max_hops`` h counts as ``max_hops`` + 1.

    Args:
        max_hops: steps to look.
    """

    def __init__(self, max_hops: int = 3) -> None:
        if isinstance(max_hops, bool) or not isinstance(max_hops, int) or max_hops < 1:
            raise ValueError(f"max_hops={max_hops} is not a whole number of at least 1")
        self.max_hops = max_hops

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q] in (0, 1)."""
        graph = view.graph
        hops = torch.full((len(graph.turns), len(view)), self.max_hops + 1.0, dtype=torch.float64, device=view.device)
        if not graph.sizes[ENTITY]:
            return 1 / (1 + hops)
        reached = view.zeros()
        reached[graph.rows(ENTITY)] = (named_or_nearest(view) > 0).double()
        turns = graph.rows(TURN)
        for step in range(1, self.max_hops + 1):
            grown = reached.clone()
            for edge_type in (RELATION, MENTIONED_IN):
                if graph.edges[edge_type].weight.size:
                    block = view.indexed.block(edge_type, static=False)
                    grown[block.target_rows] += block.backward @ reached[block.source_rows]
                    grown[block.source_rows] += block.forward @ reached[block.target_rows]
            new = (grown[turns] > 0) & (hops > self.max_hops)
            hops[new] = float(step)
            reached = (grown > 0).double()
        return 1 / (1 + hops)
