"""Exact similarity search over vectors."""

from __future__ import annotations

import numpy as np
import torch

from memorai.device import resolve_device

_CHUNK_BYTES = 256 * 2**20


def cosine(documents: np.ndarray, queries: np.ndarray, device: str = "cpu") -> np.ndarray:
    """Return the cosine of every document and query, float32 [n, Q].

    Args:
        documents: [n, d], of any length; a zero vector has cosine 0 to everything.
        queries: [Q, d], likewise.
        device: ``auto``, ``cpu`` or ``cuda``; documents go there in chunks of some 256 MiB.

    Raises:
        ValueError: the two differ in d.
    """
    if documents.ndim != 2 or queries.ndim != 2 or documents.shape[1] != queries.shape[1]:
        raise ValueError(f"cosine needs [n, d] and [Q, d], got {documents.shape} and {queries.shape}")
    place = resolve_device(device)
    n, d = documents.shape
    right = _unit(queries, place).T  # [d, Q]
    out = np.empty((n, queries.shape[0]), dtype=np.float32)
    rows = max(1, _CHUNK_BYTES // (4 * max(1, d + queries.shape[0])))
    for start in range(0, n, rows):
        chunk = slice(start, start + rows)
        out[chunk] = (_unit(documents[chunk], place) @ right).cpu().numpy()
    return out


def _unit(rows: np.ndarray, device: torch.device) -> torch.Tensor:
    # a copy: torch neither takes the read-only arrays of a cache nor other byte orders
    return torch.nn.functional.normalize(torch.tensor(rows, dtype=torch.float32, device=device), dim=-1)


def top_k(scores: np.ndarray, k: int) -> np.ndarray:
    """Return the rows of the k best scores of each column, best first, int64 [min(k, n), Q].

    Ties go to the smaller row. Scores [n, Q] may hold -inf but no NaN.

    Raises:
        ValueError: k is negative.
    """
    if k < 0:
        raise ValueError(f"top_k needs k >= 0, got {k}")
    n, num_queries = scores.shape
    k = min(k, n)
    out = np.empty((k, num_queries), dtype=np.int64)
    for q in range(num_queries if k else 0):
        negative = -scores[:, q]
        # all that tie with the k-th best stay in, in row order, so that the stable sort can break the tie
        candidates = np.flatnonzero(negative <= np.partition(negative, k - 1)[k - 1])
        out[:, q] = candidates[np.argsort(negative[candidates], kind="stable")[:k]]
    return out
