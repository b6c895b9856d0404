"""Forward push (Andersen, Chung, Lang, FOCS 2006) on a subgraph that grows from the seeds.

The functions are plain Python over numpy arrays. With numba installed they are compiled; without it they run as they
are, slowly, and give the same result.

A node gets a local number when mass first reaches it. When it first pushes, its outgoing weights are worked out, scaled
to sum 1 and written behind one another, so that later pushes read one compact stretch of memory and never look at the
graph or the vectors again.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np


def _numba() -> Any:
    try:
        return import_module("numba")
    except ImportError:  # the extra is optional
        return None


numba = _numba()

COMPILED = numba is not None

# status of `push`
DONE, FULL, BAD_SIMILARITY, BAD_WEIGHT, OVER_BUDGET = range(5)
# places in Workspace.counts
NODES, EDGES, CACHED, POSITION, PUSHES, MOVED, ACTIVE, WHERE = range(8)
# places in Workspace.totals
RESIDUAL, DANGLING, LEVEL = range(3)
_TINY = np.finfo(np.float64).tiny


class Similarities(NamedTuple):
    """Where items get their similarity: rows of two tables times the query, or one given number each.

    Item i is row i of ``first``, then row i - len(first) of ``second``; ``given`` [num_items] replaces both unless it
    is empty. Tables of 2 bytes a value are float16, passed as their bits, and multiply ``scaled`` = query 2^112. Both
    have been divided by ``unit``, a power of two, so that the query's largest value is about 1.
    f(x) = max(slope x + offset, floor).
    """

    first: np.ndarray
    second: np.ndarray
    query: np.ndarray
    scaled: np.ndarray
    given: np.ndarray
    unit: float
    num_items: int
    slope: float
    offset: float
    floor: float


class Workspace(NamedTuple):
    """What a query writes; see `local.LocalPageRank`, which keeps it between queries.

    Of size N and of the number of items: ``place`` (local number, -1 unknown) and ``similarity`` (transformed, -1
    unknown); a query resets only the entries that it touched. The others grow with what a query touches.
    """

    place: np.ndarray
    similarity: np.ndarray
    cached: np.ndarray
    node: np.ndarray
    degree: np.ndarray
    mass: np.ndarray
    residual: np.ndarray
    first: np.ndarray
    last: np.ndarray
    edge_to: np.ndarray
    edge_share: np.ndarray
    counts: np.ndarray
    totals: np.ndarray


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


# without bounds and without the test for division by zero: numpy's own arrays behave the same way
_jit = numba.njit(cache=True, nogil=True, error_model="numpy") if numba is not None else _plain


if numba is not None:
    # only the order of the sum is free here; the walk itself is compiled as written
    @numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
    def dot(table: np.ndarray, row: int, query: np.ndarray, scaled: np.ndarray) -> np.float32:
        """Inner product of a row of the table and the query, in float32."""
        total = np.float32(0)
        if table.itemsize == 2:
            # a float16's bits shifted into a float32 are its value by 2^-112, the exponents being biased differently
            most = np.uint32(0)
            for i in range(query.size):
                bits = np.uint32(table[row, i])
                magnitude = np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13))
                sign = np.uint32((bits & np.uint32(0x8000)) << np.uint32(16))
                total += np.uint32(magnitude | sign).view(np.float32) * scaled[i]
                most = max(most, magnitude)
            if most >= np.uint32(0x7C00 << 13):  # infinity and NaN would pass for large numbers
                total = np.float32(np.nan)
        else:
            for i in range(query.size):
                total += table[row, i] * query[i]
        return total

else:

    def dot(table: np.ndarray, row: int, query: np.ndarray, scaled: np.ndarray) -> np.float32:
        """Inner product of a row of the table and the query, in float32."""
        values = table[row].view(np.float16) if table.itemsize == 2 else table[row]
        return np.float32(np.dot(values.astype(np.float32), query))


@_jit
def base_similarity(item: int, source: Similarities) -> float:
    """Transformed similarity of a base item; NaN where it is not finite."""
    if source.given.size:
        raw = float(source.given[item])
    elif item < source.first.shape[0]:
        raw = float(dot(source.first, item, source.query, source.scaled)) * source.unit
    else:
        raw = float(dot(source.second, item - source.first.shape[0], source.query, source.scaled)) * source.unit
    if not np.isfinite(raw):  # the floor would hide an infinite one
        return np.nan
    value = source.slope * raw + source.offset
    return source.floor if value < source.floor else value


@_jit
def prepare(
    begin: int,
    end: int,
    item: np.ndarray,
    group_indptr: np.ndarray,
    group_item: np.ndarray,
    source: Similarities,
    work: Workspace,
) -> int:
    """Bring the similarities of edges [begin, end) into the cache; FULL leaves what was done and may be repeated."""
    similarity, cached = work.similarity, work.cached
    known = work.counts[CACHED]
    status = DONE
    for e in range(begin, end):
        i = item[e]
        if i < 0 or similarity[i] >= 0:
            continue
        grouped = i >= source.num_items
        first = group_indptr[i - source.num_items] if grouped else np.int64(0)
        last = group_indptr[i - source.num_items + 1] if grouped else np.int64(1)
        if known + last - first + 1 > cached.size:
            status = FULL
            break
        value = 0.0
        for m in range(first, last):
            member = np.int64(group_item[m]) if grouped else np.int64(i)
            if not similarity[member] >= 0:
                similarity[member] = base_similarity(member, source)
                cached[known] = member
                known += 1
            value += similarity[member]
        if grouped:
            value /= max(1, last - first)
            similarity[i] = value
            cached[known] = i
            known += 1
        if not np.isfinite(value):
            work.counts[WHERE] = i
            status = BAD_SIMILARITY
            break
    work.counts[CACHED] = known
    return status


@_jit
def touch(node: int, nodes: int, indptr: np.ndarray, work: Workspace) -> int:
    """Give a node the local number ``nodes`` unless it has one; return its number."""
    local = work.place[node]
    if local >= 0:
        return local
    work.place[node] = nodes
    work.node[nodes] = node
    work.degree[nodes] = max(1, indptr[node + 1] - indptr[node])
    work.mass[nodes] = 0.0
    work.residual[nodes] = 0.0
    work.first[nodes] = -1
    return nodes


@_jit
def start(seeds: np.ndarray, share: np.ndarray, indptr: np.ndarray, level: float, work: Workspace) -> None:
    """Put the restart mass on the seeds; room for all of them must be there."""
    nodes = 0
    for k in range(seeds.size):
        local = touch(seeds[k], nodes, indptr, work)
        nodes = max(nodes, local + 1)
        work.residual[local] += share[k]
        work.totals[RESIDUAL] += share[k]
    work.counts[NODES] = nodes
    work.totals[LEVEL] = level


@_jit
def expand(
    local: int,
    indptr: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    item: np.ndarray,
    group_indptr: np.ndarray,
    group_item: np.ndarray,
    source: Similarities,
    work: Workspace,
) -> int:
    """Write out a node's transition probabilities on its first push; edges of weight 0 are left out.

    Returns:
        DONE; FULL (the caller makes room and calls again); BAD_SIMILARITY or BAD_WEIGHT, with the item or node in
        ``counts[WHERE]``.
    """
    node = work.node[local]
    begin, end = indptr[node], indptr[node + 1]
    nodes, begun = work.counts[NODES], work.counts[EDGES]
    if nodes + end - begin > work.node.size or begun + end - begin > work.edge_to.size:
        return FULL
    status = prepare(begin, end, item, group_indptr, group_item, source, work)
    if status != DONE:
        return status
    similarity, edge_to, edge_share = work.similarity, work.edge_to, work.edge_share
    at, out = begun, 0.0
    for e in range(begin, end):
        value = float(weight[e])
        if item[e] >= 0:
            value *= similarity[item[e]]
        if value > 0:
            local_to = touch(target[e], nodes, indptr, work)
            nodes = max(nodes, local_to + 1)
            edge_to[at] = local_to
            edge_share[at] = value
            out += value
            at += 1
    work.counts[NODES] = nodes
    if not np.isfinite(out):
        work.counts[WHERE] = node
        return BAD_WEIGHT
    if out < _TINY:  # below the smallest normal number a division would overflow: the node counts as dangling
        at = begun
    for k in range(begun, at):
        edge_share[k] /= out
    work.first[local], work.last[local] = begun, at
    work.counts[EDGES] = at
    return DONE


@_jit
def push(
    indptr: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    item: np.ndarray,
    group_indptr: np.ndarray,
    group_item: np.ndarray,
    source: Similarities,
    work: Workspace,
    damping: float,
    eps: float,
    tol: float,
    budget: int,
    step: float,
) -> int:
    """Push until every residual is at most eps times its node's degree, or they sum to tol, or the budget is spent.

    Invariant: exact = mass + PageRank from the residual + dangling x exact, and mass + residual + dangling sum to 1.
    The threshold falls from ``totals[LEVEL]`` to eps by ``step``, so that large residuals go first. After FULL the
    caller makes room and calls again.

    Returns:
        DONE, OVER_BUDGET, or what `expand` could not do.
    """
    # local names: the compiler need not follow the tuple in the inner loop
    mass, residual, degree, first, last = work.mass, work.residual, work.degree, work.first, work.last
    edge_to, edge_share, counts, totals = work.edge_to, work.edge_share, work.counts, work.totals
    while True:
        threshold = totals[LEVEL]
        pushed = False
        local = counts[POSITION]
        while local < counts[NODES]:
            amount = residual[local]
            if amount > threshold * degree[local]:
                if first[local] < 0:
                    status = expand(local, indptr, target, weight, item, group_indptr, group_item, source, work)
                    if status != DONE:
                        counts[POSITION] = local
                        return status
                residual[local] = 0.0
                mass[local] += (1 - damping) * amount
                totals[RESIDUAL] -= (1 - damping) * amount
                moved = damping * amount
                if first[local] == last[local]:
                    totals[DANGLING] += moved
                    totals[RESIDUAL] -= moved
                for k in range(first[local], last[local]):
                    residual[edge_to[k]] += moved * edge_share[k]
                counts[PUSHES] += 1
                counts[MOVED] += degree[local]
                pushed = True
                if totals[RESIDUAL] <= tol:
                    return DONE
                if counts[MOVED] >= budget:
                    return OVER_BUDGET
            local += 1
        counts[POSITION] = 0
        if threshold > eps:
            totals[LEVEL] = max(threshold * step, eps)
        elif not pushed:
            return DONE


@_jit
def reset(work: Workspace) -> None:
    """Forget a query: only the entries that it touched."""
    for local in range(work.counts[NODES]):
        work.place[work.node[local]] = -1
    for k in range(work.counts[CACHED]):
        work.similarity[work.cached[k]] = -1.0
    work.counts[:] = 0
    work.totals[:] = 0.0
