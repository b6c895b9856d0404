"""A whole local retrieval, embedding apart: seeds by similarity, weights of what is met, propagation."""

from __future__ import annotations

import importlib.util
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

from memorai.index.nearest import ApproximateNearest, ExactNearest, Nearest
from memorai.retrieval.pagerank.local import ItemVectors, LocalPageRank

from .engines import LOCAL_DEFAULT
from .problem import SEEDS, Problem

#: (faiss factory string, candidates scored again); see docs/pagerank-local.md for how they were chosen
INDEXES = (("PQ96x4fs", 400), ("PQ96x4fs", 200), ("PQ64x4fs", 800), ("RaBitQfs", 400), ("SQ8", 100))


@dataclass
class Retrieval:
    """Medians over the queries. ``seed_recall`` is the share of the exact 20 seeds; ``build_s`` is paid once."""

    seeds: str
    nodes: int
    entities: int
    build_s: float
    seed_ms: float
    seed_recall: float
    total_ms: dict[float, float]
    total_p95_ms: dict[float, float]


def retrieval(problem: Problem, dampings: list[float], queries: int, quick: bool) -> list[Retrieval]:
    """Measure every kind of seeding in a forked process; a quick run takes only the default among the approximate."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(problem, dampings, queries, quick, sender))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        child.join()


def _indexes(vectors: np.ndarray, quick: bool) -> Iterator[tuple[str, float, Nearest]]:
    """Each kind of index, with the seconds that it took to build."""
    makers = [("exact float32", lambda: ExactNearest(vectors, "float32"))]
    makers += [("exact bfloat16", lambda: ExactNearest(vectors, "bfloat16"))]
    if importlib.util.find_spec("faiss") and len(vectors) >= 10_000:
        for spec, candidates in INDEXES[:1] if quick else INDEXES:
            makers.append((f"{spec}, {candidates} rescored", lambda s=spec, c=candidates: _approximate(vectors, s, c)))
    for name, make in makers:
        start = time.perf_counter()
        index = make()
        yield name, time.perf_counter() - start, index


def _approximate(vectors: np.ndarray, spec: str, candidates: int) -> Nearest:
    return ApproximateNearest(vectors, spec, candidates)


def _child(problem: Problem, dampings: list[float], queries: int, quick: bool, sender: Connection) -> None:
    entities = problem.num_entities
    vectors = problem.vectors[:entities]
    walk = LocalPageRank(problem.graph, ItemVectors(vectors, problem.vectors[entities:]))
    found = []
    for name, build, index in _indexes(vectors, quick):
        seconds: list[float] = []
        shared: list[float] = []
        totals: dict[float, list[float]] = {d: [] for d in dampings}
        for q in range(-2, queries):  # the first two warm up
            query = problem.queries[q]
            start = time.perf_counter()
            rows, scores = index(query[None], SEEDS)
            middle = time.perf_counter()
            for d in dampings:
                begin = time.perf_counter()
                walk(rows[0], np.maximum(scores[0], 0), query=query, damping=d, eps=LOCAL_DEFAULT).top(
                    20, *problem.turns
                )
                if q >= 0:
                    totals[d].append(middle - start + time.perf_counter() - begin)
            if q >= 0:
                seconds.append(middle - start)
                shared.append(len(np.intersect1d(rows[0], problem.seeds[q])) / SEEDS)
        found.append(
            Retrieval(
                *(name, problem.num_nodes, entities, build),
                *(1000 * float(np.median(seconds)), float(np.mean(shared))),
                {d: 1000 * float(np.median(t)) for d, t in totals.items()},
                {d: 1000 * float(np.quantile(t, 0.95)) for d, t in totals.items()},
            )
        )
    sender.send(found)
    sender.close()
