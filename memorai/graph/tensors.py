"""The graph as tensors: PyTorch Geometric's HeteroData for learners, sparse blocks for the PageRank."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import torch

from memorai.graph.schema import ENTITY, RELATION, SNIPPET, TURN, MemoryGraph

if TYPE_CHECKING:
    from torch_geometric.data import HeteroData


def to_hetero(graph: MemoryGraph) -> HeteroData:
    """Return the graph as `HeteroData`.

    Every node type has ``num_nodes``; entity and snippet, and the relation edges, carry their provenance as ragged
    arrays: the turns of item i are ``turn_index[turn_ptr[i]:turn_ptr[i + 1]]``. Turns carry ``time`` (POSIX seconds,
    float64, NaN where unknown; a time without a zone is read as UTC). Every edge type has ``edge_index`` int64 [2, E]
    and ``edge_weight`` float32 [E]; reverse edges are `torch_geometric.transforms.ToUndirected`'s matter.
    """
    from torch_geometric.data import HeteroData  # seconds of import time that a plain evaluation need not pay

    data = HeteroData()
    position = {turn.id: i for i, turn in enumerate(graph.turns)}
    for node_type, size in graph.sizes.items():
        data[node_type].num_nodes = size
    data[TURN].time = torch.tensor([_seconds(turn.time) for turn in graph.turns], dtype=torch.float64)
    for store, items in ((data[ENTITY], graph.entities), (data[SNIPPET], graph.snippets)):
        store.turn_ptr, store.turn_index = _ragged([[position[t] for t in item.turn_ids] for item in items])
    for edge_type, edges in graph.edges.items():
        data[edge_type].edge_index = torch.from_numpy(edges.index)
        data[edge_type].edge_weight = torch.from_numpy(edges.weight)
    store = data[RELATION]
    store.turn_ptr, store.turn_index = _ragged([[position[t] for t in r.turn_ids] for r in graph.relations])
    return data


def _seconds(time: datetime | None) -> float:
    if time is None:
        return float("nan")
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _ragged(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    pointer = torch.zeros(len(rows) + 1, dtype=torch.int64)
    pointer[1:] = torch.tensor([len(row) for row in rows], dtype=torch.int64).cumsum(0)
    return pointer, torch.tensor([i for row in rows for i in row], dtype=torch.int64)
