"""A search as it went: the turns, words and entities that it walked over, with their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memorai.graph.store.records import StoredTurn
from memorai.recall.dense import cosines
from memorai.recall.live import LiveIndex
from memorai.recall.results import Result
from memorai.recall.search import KINDS_OF_EDGES, Asked, Trace


@dataclass(frozen=True)
class Traced:
    """One search over a graph of N nodes and E edges, each walked both ways.

    Args:
        turns: the first nodes, in the order in which they were said.
        words, entities: names of the nodes after them, in this order.
        holders: for each word and entity the places of the turns that hold it.
        cosine, bm25: float64 [turns]; cosine is None where the embedder does not know the language.
        source, target: int64 [E].
        weight: float64 [E].
        kind: int64 [E], places in ``kinds``.
        kinds: names of the kinds of edges.
        restart: float64 [N], sums to 1.
        factor: float64 [turns], by which scores are lowered where facts do not hold.
        damping: of the walk.
        results: what the search returns.
    """

    turns: tuple[StoredTurn, ...]
    words: tuple[str, ...]
    entities: tuple[str, ...]
    holders: tuple[tuple[int, ...], ...]
    cosine: npt.NDArray[np.float64] | None
    bm25: npt.NDArray[np.float64]
    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    kind: npt.NDArray[np.int64]
    kinds: tuple[str, ...]
    restart: npt.NDArray[np.float64]
    factor: npt.NDArray[np.float64]
    damping: float
    results: tuple[Result, ...]


def traced(
    found: Trace,
    asked: Asked,
    index: LiveIndex,
    turns: Sequence[StoredTurn],
    names: Mapping[int, str],
    word: Callable[[int, StoredTurn | None], str],
    results: tuple[Result, ...],
) -> Traced:
    """Name the nodes of a trace. Only hashes of words are kept: ``word`` finds one again in a turn that holds it."""
    graph = found.graph
    holders: list[list[int]] = [[] for _ in range(graph.num_nodes - len(turns))]
    for a, b in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        if a < len(turns) <= b:
            holders[b - len(turns)].append(a)
    words = tuple(
        word(graph.label(len(turns) + i)[1], turns[holders[i][0]] if holders[i] else None)
        for i in range(len(graph.words))
    )
    near = None
    if asked.vector is not None:
        near = np.asarray(cosines(index.dense.gather(found.rows), asked.vector), dtype=np.float64)
    return Traced(
        turns=tuple(turns),
        words=words,
        entities=tuple(names.get(entity, str(entity)) for entity in graph.entities.tolist()),
        holders=tuple(map(tuple, holders)),
        cosine=near,
        bm25=found.bm25[found.rows],
        source=graph.source,
        target=graph.target,
        weight=graph.weight,
        kind=graph.kind,
        kinds=KINDS_OF_EDGES,
        restart=found.found.restart,
        factor=found.factors,
        damping=found.found.damping,
        results=results,
    )
