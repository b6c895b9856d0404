from __future__ import annotations

import torch

from memorai.retrieval.readout import ThroughRelations, TurnNodes
from tests.toys import toy_view

INF = float("-inf")


def test_a_turn_outside_the_subgraph_is_not_found():
    view = toy_view()
    mask = view.everything()
    mask[4] = False  # t2, after three entities
    scores = torch.arange(view.graph.num_nodes, dtype=torch.float64)[:, None]
    assert TurnNodes().turns(view, scores, mask)[:, 0].tolist() == [3, INF, 5, 6, 7]


def test_a_turn_gets_the_sum_of_its_relations_ends():
    view = toy_view()  # one relation, Rex - Rome, stated in t5
    scores = view.zeros()
    scores[:3, 0] = torch.tensor([0.9, 0.2, 0.3], dtype=torch.float64)
    mask = view.everything()
    assert ThroughRelations().turns(view, scores, mask)[:, 0].tolist() == [INF, INF, INF, INF, 0.5]
    assert ThroughRelations(entity_threshold=0.25).turns(view, scores, mask)[4, 0] == 0.3
    assert ThroughRelations(entity_threshold=0.5).turns(view, scores, mask)[4, 0] == INF
