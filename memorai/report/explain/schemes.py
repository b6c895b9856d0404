"""The edges of one query's subgraph, weighed by the system's scheme and by those it is compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from memorai.graph.schema import EDGE_TYPES, RELATION, MemoryGraph
from memorai.report.explain.walk import Floats, Ints, Walk
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.pagerank import WeightedBlock
from memorai.retrieval.retrievers import PageRankRetriever
from memorai.retrieval.weights import CosineWeights, EdgeWeighter, StaticWeights, UniformWeights

#: a kind of edges that is none of the graph's own, such as synonyms
OTHER = "other"


def schemes_of(weights: EdgeWeighter) -> tuple[str, dict[str, EdgeWeighter]]:
    """Return the name of a system's scheme, and every scheme by name with the system's factors of edge types.

    A weighter of any other class stands alone, as ``own``: what it does cannot be said in the terms of the others.
    """
    if type(weights) not in (CosineWeights, StaticWeights, UniformWeights):
        return "own", {"own": weights}
    assert isinstance(weights, UniformWeights)
    types, reverse = weights.types, weights.reverse
    schemes: dict[str, EdgeWeighter] = {
        "query": CosineWeights(types, reverse),
        "static": StaticWeights(types, reverse),
        "uniform": UniformWeights(types, reverse),
    }
    own = {CosineWeights: "query", StaticWeights: "static", UniformWeights: "uniform"}[type(weights)]
    return own, {**schemes, own: weights}


def walk_of(retriever: PageRankRetriever, view: QueryView) -> tuple[Walk, Ints]:
    """Return the walk of a view's first query, and which rows [N] of the graph its nodes are.

    Nodes and edges outside the query's subgraph, and edges that weigh nothing under every scheme, are left out.
    """
    prepared = retriever.prepare(view)
    mask = prepared.mask[:, 0].cpu().numpy()
    rows = np.flatnonzero(mask)
    number = np.full(len(mask), -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    own, schemes = schemes_of(retriever.weights)
    edges = {
        name: prepared.blocks if name == own else weighter.weights(view, prepared.mask)
        for name, weighter in schemes.items()
    }
    kinds = [_kinds(view, blocks) for blocks in edges.values()]
    assert all(kind == kinds[0] for kind in kinds), "schemes with the same types have the same edges"
    names = tuple(dict.fromkeys(kinds[0]))
    source, target, kind, texts = _ends(view.graph, edges[own], kinds[0], names)
    weights = {name: _weights(blocks) for name, blocks in edges.items()}
    inside = mask[source] & mask[target]
    kept = np.flatnonzero(inside & (np.sum([w > 0 for w in weights.values()], axis=0) > 0))
    restart = prepared.restart[rows, 0].cpu().numpy().astype(np.float64)
    total = restart.sum()
    return (
        Walk(
            source=number[source[kept]],
            target=number[target[kept]],
            kind=kind[kept],
            kinds=names,
            weights={name: weight[kept] for name, weight in weights.items()},
            restart=restart / total if total > 0 else np.full(len(rows), 1 / max(1, len(rows))),
            damping=float(retriever.damping),
            scheme=own,
            factor=np.ones(len(rows)),
            texts={place: texts[edge] for place, edge in enumerate(kept.tolist()) if edge in texts},
        ),
        rows,
    )


def _kinds(view: QueryView, blocks: Sequence[WeightedBlock]) -> list[str]:
    """The name of each block's edge type."""
    known = {}
    for edge_type in EDGE_TYPES:
        for static in (True, False):
            known[id(view.indexed.block(edge_type, static))] = edge_type[1]
    return [known.get(id(block.block), OTHER) for block in blocks]


def _ends(
    graph: MemoryGraph, blocks: Sequence[WeightedBlock], kinds: Sequence[str], names: Sequence[str]
) -> tuple[Ints, Ints, Ints, dict[int, str]]:
    """Rows of both ends of every edge, in the direction of the walk; the kinds; and the texts of relations."""
    source, target, kind = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    texts: dict[int, str] = {}
    count = 0
    for block, name in zip(blocks, kinds, strict=True):
        ends = [
            _numpy(block.block.source) + block.block.source_rows.start,
            _numpy(block.block.target) + block.block.target_rows.start,
        ]
        from_, to = reversed(ends) if block.reverse else ends
        source.append(from_)
        target.append(to)
        kind.append(np.full(len(from_), names.index(name), dtype=np.int64))
        if name == RELATION[1] and not block.reverse:
            texts |= {count + i: relation.text for i, relation in enumerate(graph.relations)}
        count += len(from_)
    return np.concatenate(source), np.concatenate(target), np.concatenate(kind), texts


def _weights(blocks: Sequence[WeightedBlock]) -> Floats:
    return np.concatenate([np.empty(0), *(block.edge_weight(0).cpu().numpy() for block in blocks)])


def _numpy(index: Tensor) -> Ints:
    found: Ints = index.cpu().numpy().astype(np.int64)
    return found
