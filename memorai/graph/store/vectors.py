"""Vectors and index terms as bytes in a row, so that they are written and lost with the turn they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

VECTOR = np.dtype("<f2")  # a unit vector's float16 moves a cosine by less than 0.001
TERM = np.dtype("<u8")


def pack_vector(row: np.ndarray) -> bytes:
    """float16 bytes of a vector [d]."""
    return np.asarray(row).astype(VECTOR).tobytes()


def unpack_vectors(blobs: Sequence[bytes], dim: int) -> np.ndarray:
    """float32 [n, dim]; an empty blob is a row of zeros.

    Raises:
        ValueError: a blob of another length.
    """
    size = dim * VECTOR.itemsize
    empty = bytes(size)
    wrong = next((len(blob) for blob in blobs if len(blob) not in (0, size)), None)
    if wrong is not None:
        raise ValueError(f"a vector has {wrong} bytes, expected {size}")
    joined = b"".join(blob or empty for blob in blobs)
    return np.frombuffer(joined, VECTOR).reshape(len(blobs), dim).astype(np.float32)


@lru_cache(maxsize=1 << 17)
def term_hash(term: str) -> int:
    """64 bits for an index term: no vocabulary has to be kept, shared between writers, or forgotten."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hash_terms(terms: Sequence[str]) -> np.ndarray:
    """uint64 [n] of terms in order, repeats kept."""
    return np.fromiter((term_hash(term) for term in terms), dtype=np.uint64, count=len(terms))


def pack_terms(terms: Sequence[str]) -> bytes:
    """The hashes as bytes."""
    return hash_terms(terms).astype(TERM).tobytes()
