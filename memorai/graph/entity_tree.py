"""Topics of an entity's facts as a tree: what outgrows its limit is split by spectral clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_STEPS = 200
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Topic:
    """One dimension of an entity: rows of its facts, in order, and their mean direction [d]."""

    rows: tuple[int, ...]
    centroid: Floats


@dataclass(frozen=True)
class EntityTree:
    """An entity, its topics, and under them its facts.

    Args:
        entity: place of the entity.
        topics: in order of their first fact; together they hold each fact once.
    """

    entity: int
    topics: tuple[Topic, ...]


def grow_tree(
    entity: int, rows: Sequence[int], vectors: Floats, limit: int = 15, sparse: int = 3, similar: float = 0.8
) -> EntityTree:
    """Divide an entity's facts into topics.

    Args:
        entity: its place.
        rows: of its facts in ``vectors``, in order.
        vectors: [F, d] unit rows.
        limit: most facts of a topic; a larger one is split in two until none is.
        sparse: topics with fewer facts are merged with their most similar topic ...
        similar: ... if the cosine of the two is at least this and the result keeps within the limit.
    """
    parts = _split(np.asarray(rows, np.int64), vectors, limit)
    parts = _merged(parts, vectors, limit, sparse, similar)
    parts.sort(key=lambda part: part[0])
    return EntityTree(entity, tuple(Topic(tuple(part.tolist()), _centroid(vectors[part])) for part in parts))


def bisect(vectors: Floats) -> npt.NDArray[np.bool_]:
    """Split rows in two by the normalised cut of the affinity (1 + cosine) / 2 (Shi and Malik, 2000).

    The affinity has rank d + 1, so that the second eigenvector is found by power iteration in O(n d) a step, without an
    n x n matrix. The sign of the first row is fixed, so that the same rows always give the same halves.

    Args:
        vectors: [n, d] unit rows, n >= 2.

    Returns:
        bool [n], True for the half that holds the first row; both halves are non-empty.
    """
    n = len(vectors)
    degree = (n + vectors @ vectors.sum(0)) / 2
    root = np.sqrt(np.maximum(degree, 1e-12))
    first = root / np.linalg.norm(root)
    x = np.cos(np.arange(n) * 2.399963)  # any start that is not the first eigenvector
    x -= first * (first @ x)
    for _ in range(_STEPS):
        scaled = x / root
        # the affinity is positive semidefinite: power iteration finds its largest eigenvalue, never a negative one
        y = (scaled.sum() + vectors @ (vectors.T @ scaled)) / 2 / root
        y -= first * (first @ y)
        norm = np.linalg.norm(y)
        if norm < 1e-12:  # all rows are alike: any half will do
            return np.arange(n) < n // 2
        y /= norm
        done = np.abs(y - x).max() < _TOLERANCE
        x = y
        if done:
            break
    side = x / root
    half = side >= np.median(side) if (side >= 0).all() or (side < 0).all() else side >= 0
    if half.all() or not half.any():
        return np.arange(n) < n // 2
    return half if half[0] else ~half


def _split(rows: Ints, vectors: Floats, limit: int) -> list[Ints]:
    done: list[Ints] = []
    waiting = [rows]
    while waiting:
        part = waiting.pop()
        if len(part) <= limit:
            done.append(part)
        else:
            half = bisect(vectors[part])
            waiting += [part[~half], part[half]]
    return [part for part in done if len(part)]


def _merged(parts: list[Ints], vectors: Floats, limit: int, sparse: int, similar: float) -> list[Ints]:
    parts = sorted(parts, key=lambda part: part[0])
    while True:
        thin = [i for i, part in enumerate(parts) if len(part) < sparse]
        centroids = np.stack([_centroid(vectors[part]) for part in parts]) if parts else np.zeros((0, 1))
        best: tuple[float, int, int] | None = None
        for i in thin:
            for j, other in enumerate(parts):
                if i != j and len(parts[i]) + len(other) <= limit:
                    cosine = float(centroids[i] @ centroids[j])
                    if cosine >= similar and (best is None or cosine > best[0]):
                        best = (cosine, i, j)
        if best is None:
            return parts
        _, i, j = best
        joined = np.sort(np.concatenate([parts[i], parts[j]]))
        parts = sorted(
            [part for index, part in enumerate(parts) if index not in (i, j)] + [joined], key=lambda part: part[0]
        )


def _centroid(vectors: Floats) -> Floats:
    mean = vectors.mean(0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)
