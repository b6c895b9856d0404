"""This package's engines and its peers behind one call; weights are made afresh in every call, and timed with it.

An engine is made once for a problem (what depends on the structure alone is kept) and then called with the columns of
some queries, the damping and a tolerance in its own meaning. It returns scores [N, len(columns)].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from memorai.graph.schema import EDGE_TYPES, MENTIONED_IN, NODE_TYPES, PART_OF, RELATION
from memorai.retrieval.pagerank.local import ItemVectors, LocalPageRank

from .problem import Problem

Solve = Callable[[Sequence[int], float, float], np.ndarray]
#: the coarse thresholds of the local engine's curve, and the one whose time is in the table
LOCAL_EPS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)
LOCAL_DEFAULT = 1e-5


@dataclass(frozen=True)
class Engine:
    """A row of the table.

    Args:
        name: as printed.
        make: prepares an engine for a problem.
        batch: queries a call.
        most: largest number of nodes that it is asked for.
        calibrated: its tolerance is searched so that the measured residual is at most 1e-6.
    """

    name: str
    make: Callable[[Problem], Solve]
    batch: int = 1
    most: int = 10**9
    calibrated: bool = True


def memorai_engine(engine: str) -> Callable[[Problem], Solve]:
    """This package's exact paths: weights as scalings of shared blocks, one call for the whole batch."""

    def make(problem: Problem) -> Solve:
        import torch

        from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank
        from memorai.retrieval.pagerank.threads import suited_threads

        shape, entities = problem.shape, problem.num_entities
        offset = dict(zip(NODE_TYPES, np.cumsum([0, *shape.sizes.values()]).tolist(), strict=False))
        blocks = {}
        for kind, edges in shape.edges.items():
            rows = [slice(offset[name], offset[name] + shape.sizes[name]) for name in (kind[0], kind[2])]
            index = torch.from_numpy(edges.index)
            blocks[kind] = Block(*rows, index[0], index[1], torch.from_numpy(edges.weight))
        mentions = blocks[MENTIONED_IN]
        per_turn = torch.bincount(mentions.target, minlength=mentions.num_targets).clamp_min(1)[:, None]

        def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
            with suited_threads(problem.num_nodes * len(columns)):
                cosine = torch.from_numpy(np.take(problem.similarity, list(columns), axis=1)).clamp_min(0)
                mean = (mentions.backward @ cosine[:entities]) / per_turn
                scale = {MENTIONED_IN: cosine[:entities], PART_OF: mean}
                weighted = []
                for kind in EDGE_TYPES:
                    if kind in blocks:
                        value = cosine[entities:] if kind == RELATION else None
                        forward = WeightedBlock(blocks[kind], scale.get(kind), None, value)
                        weighted += [forward, forward.reversed()]
                restart = torch.zeros(problem.num_nodes, len(columns))
                for place, column in enumerate(columns):
                    restart[problem.seeds[column], place] = torch.from_numpy(problem.mass[column]).float()
                return pagerank(weighted, restart, damping, tol, 1000, engine=engine).scores.numpy()

        return solve

    return make


def local(eps: float) -> Callable[[Problem], Solve]:
    """Forward push with similarities worked out from the vectors on the way; the tolerance is not used."""

    def make(problem: Problem) -> Solve:
        entities = problem.num_entities
        walk = LocalPageRank(problem.graph, ItemVectors(problem.vectors[:entities], problem.vectors[entities:]))

        def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
            found = [
                walk(problem.seeds[q], problem.mass[q], query=problem.queries[q], damping=damping, eps=eps)
                for q in columns
            ]
            return found  # type: ignore[return-value]  # made dense outside of the time that is measured

        return solve

    return make


def scipy_power(problem: Problem) -> Solve:
    """Power iteration with scipy's CSR product, its structure transposed once."""
    indptr, source, order = problem.transposed
    size = problem.num_nodes

    def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
        weights = problem.edge_weights(columns[0])
        out = np.bincount(problem.source, weights=weights, minlength=size)
        dangling = np.flatnonzero(out <= 0)
        inverse = np.divide(1, out, out=np.zeros(size), where=out > 0)
        matrix = sp.csr_matrix((weights[order] * inverse[source], source, indptr), shape=(size, size))
        restart = problem.restart(columns[0])
        p = restart
        while True:
            following = matrix @ p
            following *= damping
            following += (1 - damping + damping * p[dangling].sum()) * restart
            change = np.abs(following - p).sum()
            p = following
            if change <= tol:
                return p[:, None]

    return solve


def igraph_prpack(problem: Problem) -> Solve:
    """python-igraph's personalised PageRank by prpack, whose tolerance is fixed in its source."""
    import igraph

    graph = igraph.Graph(
        n=problem.num_nodes, edges=np.stack([problem.source, problem.graph.target], axis=1), directed=True
    )

    def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
        scores = graph.personalized_pagerank(
            damping=damping,
            reset=problem.restart(columns[0]).tolist(),
            weights=problem.edge_weights(columns[0]).tolist(),
            implementation="prpack",
        )
        return np.array(scores)[:, None]

    return solve


def networkx_power(problem: Problem) -> Solve:
    """NetworkX, which iterates with scipy after collecting the weights from its dictionaries."""
    import networkx as nx

    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(problem.num_nodes))
    pairs = zip(problem.source.tolist(), problem.graph.target.tolist(), strict=True)
    keys = graph.add_edges_from(pairs)
    data = [
        graph[u][v][key] for u, v, key in zip(problem.source.tolist(), problem.graph.target.tolist(), keys, strict=True)
    ]

    def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
        for edge, weight in zip(data, problem.edge_weights(columns[0]).tolist(), strict=True):
            edge["weight"] = weight
        restart = dict(zip(problem.seeds[columns[0]].tolist(), problem.mass[columns[0]].tolist(), strict=True))
        scores = nx.pagerank(
            graph, damping, personalization=restart, dangling=restart, max_iter=10_000, tol=tol / problem.num_nodes
        )
        return np.fromiter(scores.values(), dtype=float, count=problem.num_nodes)[:, None]

    return solve


def scikit_network(problem: Problem) -> Solve:
    """scikit-network's power iteration."""
    from sknetwork.ranking import PageRank

    def solve(columns: Sequence[int], damping: float, tol: float) -> np.ndarray:
        graph = problem.graph
        adjacency = sp.csr_matrix((problem.edge_weights(columns[0]), graph.target, graph.indptr))
        rank = PageRank(damping_factor=damping, solver="piteration", n_iter=10_000, tol=tol)
        return rank.fit_predict(adjacency, weights=problem.restart(columns[0]))[:, None]

    return solve


_LARGE = 10**6  # larger graphs take more memory and minutes than the comparison is worth
ENGINES = [
    Engine("memorai torch x1", memorai_engine("batched"), 1),
    Engine("memorai torch x16", memorai_engine("batched"), 16, most=_LARGE),
    Engine("memorai torch x64", memorai_engine("batched"), 64, most=_LARGE),
    Engine("memorai compiled x1", memorai_engine("compiled"), 1),
    Engine("memorai compiled x16", memorai_engine("compiled"), 16),
    Engine("memorai compiled x64", memorai_engine("compiled"), 64, most=_LARGE),
    Engine("memorai local", local(LOCAL_DEFAULT), calibrated=False),
    Engine("scipy CSR power", scipy_power),
    Engine("igraph prpack", igraph_prpack, calibrated=False),
    Engine("scikit-network", scikit_network),
    Engine("NetworkX", networkx_power, most=100_000),
]
