"""The local engine's time against how many of the exact top 20 it finds."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

from memorai.retrieval.pagerank.local import ItemVectors, LocalPageRank

from .engines import LOCAL_EPS, memorai_engine
from .problem import Problem

_BATCH = 16
_EXACT_TOL = 1e-6
#: exact answers above this damping and size take seconds a query: one batch of queries must do
_SLOW_DAMPING, _SLOW_NODES = 0.6, 10**6


@dataclass
class Point:
    """Medians and means over the queries.

    ``propagation_ms`` has the similarities given; ``query_ms`` multiplies the vectors of the items that it meets.
    ``recall_turns`` and ``recall_nodes`` are shares of the exact top 20 turns and nodes of any type.
    """

    damping: float
    nodes: int
    edges: int
    eps: float
    queries: int
    propagation_ms: float
    query_ms: float
    query_ms_p95: float
    recall_turns: float
    recall_nodes: float
    error: float
    reached: float
    moved: float
    state_mb: float


def curve(problem: Problem, dampings: list[float], queries: int) -> list[Point]:
    """Measure in a forked process."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(problem, dampings, queries, sender))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        child.join()


def _child(problem: Problem, dampings: list[float], queries: int, sender: Connection) -> None:
    entities = problem.num_entities
    walk = LocalPageRank(problem.graph, ItemVectors(problem.vectors[:entities], problem.vectors[entities:]))
    similarity = np.ascontiguousarray(problem.similarity[:, :queries].T)
    points = []
    for damping in dampings:
        if damping > _SLOW_DAMPING and problem.num_nodes > _SLOW_NODES:
            queries = min(queries, _BATCH)
        turns, nodes = _exact(problem, damping, queries)
        for eps in LOCAL_EPS:
            given, lazy, found_turns, found_nodes, results = [], [], [], [], []
            for q in range(-3, queries):  # the first few warm up
                seeds = (problem.seeds[q], problem.mass[q])
                start = time.perf_counter()
                walk(*seeds, similarity=similarity[q], damping=damping, eps=eps)
                between = time.perf_counter()
                result = walk(*seeds, query=problem.queries[q], damping=damping, eps=eps)
                end = time.perf_counter()
                if q < 0:
                    continue
                given.append(between - start)
                lazy.append(end - between)
                results.append(result)
                found_turns.append(len(np.intersect1d(result.top(20, *problem.turns), turns[q])) / 20)
                found_nodes.append(len(np.intersect1d(result.top(20), nodes[q])) / 20)
            points.append(
                Point(
                    *(damping, problem.num_nodes, problem.graph.num_edges, eps, queries),
                    *(1000 * float(np.median(given)), 1000 * float(np.median(lazy))),
                    *(1000 * float(np.quantile(lazy, 0.95)), float(np.mean(found_turns)), float(np.mean(found_nodes))),
                    float(np.mean([r.error for r in results])),
                    float(np.mean([r.nodes.size for r in results])),
                    float(np.mean([r.edges for r in results])),
                    walk.nbytes / 2**20,
                )
            )
    sender.send(points)
    sender.close()


def _exact(problem: Problem, damping: float, queries: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Exact top 20 turns and nodes of every query."""
    solve = memorai_engine("auto")(problem)
    turns, nodes = [], []
    for start in range(0, queries, _BATCH):
        columns = range(start, min(start + _BATCH, queries))
        for scores in solve(columns, damping, _EXACT_TOL).T:
            turns.append(problem.top_turns(scores))
            best = np.argpartition(-scores, 20)[:21] if scores.size > 21 else np.arange(scores.size)
            nodes.append(best[np.lexsort((best, -scores[best]))][:20])
    return turns, nodes
