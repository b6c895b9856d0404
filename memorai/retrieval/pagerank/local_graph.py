"""The graph as a local walk reads it: the outgoing edges of one node side by side, weights unfolded on demand.

An edge's weight for a query is ``weight[e] * f(similarity of item[e])``. An item is whatever has a similarity of its
own: an entity (all its mentions share the one number, both ways), a relation's text, or a turn, whose similarity is the
mean of its entities' (MemORAI, Eq. 1). Nothing per query is stored here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from memorai.graph.schema import EDGE_TYPES, ENTITY, MENTIONED_IN, NODE_TYPES, PART_OF, RELATION, TURN, Edges, EdgeType
from memorai.retrieval.pagerank.blocks import WeightedBlock

Reverse = Literal["forward_weight", "uniform", "none"]


@dataclass(frozen=True)
class LocalGraph:
    """Outgoing edges of N nodes as CSR, and the items that condition them.

    Args:
        indptr: int64 [N + 1].
        target: int32 or int64 [E], the node that an edge enters.
        weight: [E] >= 0, the part of a weight that no query changes.
        item: [E] same integers as target: the item whose similarity multiplies the weight; -1 for none.
        num_items: items with a similarity of their own (base items); the rest are groups.
        group_indptr: int64 [G + 1]; item ``num_items + g`` is the mean of the transformed similarities of base items
            ``group_item[group_indptr[g]:group_indptr[g + 1]]``, and 0 without any.
        group_item: base items.
    """

    indptr: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    item: np.ndarray
    num_items: int
    group_indptr: np.ndarray
    group_item: np.ndarray

    @property
    def num_nodes(self) -> int:
        """N."""
        return self.indptr.size - 1

    @property
    def num_edges(self) -> int:
        """E, directed, parallel edges counted each."""
        return self.target.size

    @property
    def num_groups(self) -> int:
        """G."""
        return self.group_indptr.size - 1

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = (self.indptr, self.target, self.weight, self.item, self.group_indptr, self.group_item)
        return sum(array.nbytes for array in arrays)


@dataclass(frozen=True)
class LocalEdges:
    """Directed edges in stacked node numbers: source, target and weight [E], item [E] or None."""

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    item: np.ndarray | None = None


def local_graph(
    num_nodes: int,
    edges: Sequence[LocalEdges],
    num_items: int = 0,
    groups: tuple[np.ndarray, np.ndarray] | None = None,
) -> LocalGraph:
    """Sort edges by source. Parallel edges and loops stay.

    Args:
        num_nodes: N.
        edges: directed edges, in any order.
        num_items: base items.
        groups: (group_indptr, group_item) of `LocalGraph`; None for no groups.

    Raises:
        ValueError: an end or an item out of its range, or a weight that is negative or not finite: the first is named;
            arrays of another kind or size.
    """
    group_indptr, group_item = groups if groups is not None else (np.zeros(1, np.int64), np.zeros(0, np.int64))
    all_items = num_items + group_indptr.size - 1
    edges = [replace(part, weight=real_array(part.weight, "weight")) for part in edges]
    size = sum(part.weight.size for part in edges)
    integer = np.int32 if max(num_nodes, all_items) < 2**31 else np.int64
    source, target, item = (np.empty(size, dtype=integer) for _ in range(3))
    weight = np.empty(size, dtype=np.result_type(*(part.weight.dtype for part in edges)) if edges else np.float32)
    start = 0
    for part in edges:
        stop = start + part.weight.size
        for name, ends in (("source", part.source), ("target", part.target), ("item", part.item)):
            if ends is not None and (ends.shape != part.weight.shape or ends.dtype.kind not in "iu"):
                raise ValueError(f"{name} is {ends.dtype} {ends.shape}, expected integers {part.weight.shape}")
        _check_range(part.source, 0, num_nodes, "source")
        _check_range(part.target, 0, num_nodes, "target")
        source[start:stop], target[start:stop], weight[start:stop] = part.source, part.target, part.weight
        if part.item is None:
            item[start:stop] = -1
        else:
            _check_range(part.item, -1, all_items, "item")
            item[start:stop] = part.item
        start = stop
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(f"weight of edge {first} is {weight[first]}; it must be finite and >= 0")
    _check_range(group_item, 0, num_items, "group item")
    rising = group_indptr.size > 0 and group_indptr[0] == 0 and bool((np.diff(group_indptr) >= 0).all())
    if not rising or group_indptr[-1] != group_item.size:
        raise ValueError(f"group_indptr must rise from 0 to the {group_item.size} items of all groups")
    indptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=num_nodes), out=indptr[1:])
    order = np.argsort(source, kind="stable")
    return LocalGraph(
        indptr,
        target[order],
        weight[order],
        item[order],
        num_items,
        group_indptr.astype(np.int64, copy=False),
        group_item.astype(integer, copy=False),
    )


def cosine_local_graph(
    sizes: Mapping[str, int],
    edges: Mapping[EdgeType, Edges],
    types: Mapping[str, float],
    reverse: Reverse = "forward_weight",
    static: bool = False,
) -> LocalGraph:
    """Return Eq. 1's weights for local walks: the same edges and weights as `weights.CosineWeights` gives.

    Items are the entities, then the relations in their edges' order, then one group a turn.

    Args:
        sizes: nodes by type, as `MemoryGraph.sizes`.
        edges: forward edges by type, as `MemoryGraph.edges`.
        types: factor of each edge type by name; absent or 0 leaves a type out.
        reverse: ``forward_weight``, ``uniform`` or ``none``.
        static: multiply by the stored weights as well.
    """
    known = [kind[1] for kind in EDGE_TYPES]
    for name, factor in types.items():
        if name not in known or not 0 <= factor < float("inf"):
            raise ValueError(f"factor {factor} of edge type {name!r}; known: {', '.join(known)}, finite and >= 0")
    if reverse not in ("forward_weight", "uniform", "none"):
        raise ValueError(f"reverse={reverse!r}; known: forward_weight, uniform, none")
    offset = dict(zip(NODE_TYPES, np.cumsum([0, *(sizes[name] for name in NODE_TYPES)]).tolist(), strict=False))
    num_relations = edges[RELATION].weight.size if RELATION in edges else 0
    num_items = sizes[ENTITY] + num_relations
    parts = []
    for kind in EDGE_TYPES:
        factor = types.get(kind[1], 0.0)
        if not factor or kind not in edges:
            continue
        source, target = edges[kind].index
        weight = np.full(source.size, factor, dtype=np.float32)
        if static:
            weight *= edges[kind].weight
        item = _items(kind, source, sizes[ENTITY], num_items)
        there, back = source + offset[kind[0]], target + offset[kind[2]]
        parts.append(LocalEdges(there, back, weight, item))
        if reverse != "none":
            parts.append(LocalEdges(back, there, weight, item if reverse == "forward_weight" else None))
    groups = _entities_of_turns(edges[MENTIONED_IN].index, sizes[TURN]) if MENTIONED_IN in edges else None
    if groups is None:
        groups = (np.zeros(sizes[TURN] + 1, np.int64), np.zeros(0, np.int64))
    return local_graph(sum(sizes[name] for name in NODE_TYPES), parts, num_items, groups)


def weighted_local_graph(blocks: Sequence[WeightedBlock], num_nodes: int) -> LocalGraph:
    """Return the edges of all blocks, each an item of its own: its similarity is the edge's weight.

    `edge_weights` gives a query's. Both are O(E): for small graphs and for comparison.
    """
    parts, first = [], 0
    for weighted in blocks:
        block = weighted.block
        ends = [
            (local + rows.start).cpu().numpy()
            for local, rows in ((block.source, block.source_rows), (block.target, block.target_rows))
        ]
        there, back = reversed(ends) if weighted.reverse else ends
        item = np.arange(first, first + block.num_edges)
        parts.append(LocalEdges(there, back, np.ones(block.num_edges, np.float32), item))
        first += block.num_edges
    return local_graph(num_nodes, parts, num_items=first)


def edge_weights(blocks: Sequence[WeightedBlock], query: int) -> np.ndarray:
    """Return the weights of a query, float64 [E], in the order of the items of `weighted_local_graph`."""
    return np.concatenate([np.zeros(0), *(block.edge_weight(query).cpu().numpy() for block in blocks)])


def real_array(values: Any, name: str) -> np.ndarray:
    """Return an array of a dtype that the kernels know: float32 and float64 as they are, other numbers as float64.

    Raises:
        ValueError: not an array of real numbers.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} has dtype {array.dtype}; real numbers are needed")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _items(kind: EdgeType, source: np.ndarray, num_entities: int, num_items: int) -> np.ndarray | None:
    if kind == MENTIONED_IN:
        return source
    if kind == RELATION:
        return np.arange(num_entities, num_items)
    return num_items + source if kind == PART_OF else None


def _entities_of_turns(mentions: np.ndarray, num_turns: int) -> tuple[np.ndarray, np.ndarray]:
    entity, turn = mentions
    indptr = np.zeros(num_turns + 1, dtype=np.int64)
    np.cumsum(np.bincount(turn, minlength=num_turns), out=indptr[1:])
    return indptr, entity[np.argsort(turn, kind="stable")]


def _check_range(values: np.ndarray, low: int, stop: int, name: str) -> None:
    if values.size and (values.min() < low or values.max() >= stop):
        first = int(np.flatnonzero((values < low) | (values >= stop))[0])
        raise ValueError(f"{name} {values[first]} at {first} lies outside [{low}, {stop})")
