"""An embedder without a model: signed feature hashing of words and character n-grams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np

from memorai.errors import InputError

_WORD = re.compile(r"\w+|[^\w\s]+")
_NGRAMS = (2, 3)


class HashingEmbedder:
    """Texts that share words or spellings are close; nothing is learned. For tests and as a fast baseline.

    Each feature adds +1 or -1 (its hash decides) at one place, so that collisions cancel in expectation: Weinberger
    et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009. A word counts 1, its n-grams 1 together.

    Args:
        dim: length of a vector.
        seed: another seed is another hash function.
    """

    def __init__(self, dim: int = 256, seed: int = 0) -> None:
        if dim < 1 or seed < 0:
            raise InputError(f"embedder=hashing: dim={dim} must be positive and seed={seed} not negative")
        self.name = "hashing"
        self.model_id = f"hashing|{dim}|{seed}"
        self.dim = dim
        self.languages: tuple[str, ...] | None = None
        self._salt = seed.to_bytes(16, "little")

    def embed(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> np.ndarray:
        """Return float32 [n, d] unit rows; a blank text has no features and stays zero. Both kinds are the same."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float64)
        places: dict[str, tuple[int, float]] = {}
        for row, text in zip(rows, texts, strict=True):
            for feature, weight in features(text):
                if feature not in places:
                    places[feature] = self._place(feature)
                place, sign = places[feature]
                row[place] += sign * weight
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)

    def _place(self, feature: str) -> tuple[int, float]:
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8, salt=self._salt).digest()
        number = int.from_bytes(digest, "little")
        return (number >> 1) % self.dim, 1.0 if number & 1 else -1.0


def features(text: str) -> Iterator[tuple[str, float]]:
    """Yield (feature, weight): each word, and the 2- and 3-grams of its characters with marks for its ends."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield f"w:{word}", 1.0
        marked = f"<{word}>"
        grams = [marked[i : i + n] for n in _NGRAMS for i in range(len(marked) - n + 1)]
        for gram in grams:
            yield f"c:{gram}", 1.0 / len(grams)
