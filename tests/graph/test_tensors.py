from __future__ import annotations

import math
from datetime import UTC, datetime

from memorai.graph.tensors import to_hetero
from tests.toys import toy_graph


def test_hetero_data_holds_structure_weights_and_provenance():
    data = to_hetero(toy_graph())
    assert data.validate()
    assert data.node_types == ["entity", "turn", "snippet"]
    assert data["entity"].num_nodes == 3
    mentions = data["entity", "mentioned_in", "turn"]
    assert mentions.edge_index.tolist() == [[0, 1, 2, 1, 2], [0, 2, 3, 4, 4]]
    assert mentions.edge_weight.tolist() == [2, 1, 1, 1, 1]
    entity = data["entity"]
    provenance = [entity.turn_index[a:b].tolist() for a, b in zip(entity.turn_ptr, entity.turn_ptr[1:], strict=False)]
    assert provenance == [[0], [2, 4], [3, 4]]
    assert data["entity", "relation", "entity"].turn_index.tolist() == [4]
    assert data["turn"].time[0] == datetime(2024, 5, 2, tzinfo=UTC).timestamp()


def test_unknown_time_is_nan_never_now():
    from dataclasses import replace

    graph = toy_graph()
    timeless = replace(graph, turns=tuple(replace(turn, time=None) for turn in graph.turns))
    assert all(math.isnan(t) for t in to_hetero(timeless)["turn"].time.tolist())
