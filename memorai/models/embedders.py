"""What an embedder is, and those that come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from memorai.models.hashing import HashingEmbedder
from memorai.models.minilm import BundledMiniLM
from memorai.models.onnx_embedder import OnnxEmbedder
from memorai.models.transformer import TransformerEmbedder

__all__ = ["BundledMiniLM", "Embedder", "HashingEmbedder", "OnnxEmbedder", "TransformerEmbedder"]


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is a cosine."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    @property
    def model_id(self) -> str:
        """Identity for caches: equal ids give equal vectors, up to rounding."""
        ...

    @property
    def dim(self) -> int:
        """Length d of a vector."""
        ...

    @property
    def languages(self) -> tuple[str, ...] | None:
        """Codes of the languages that it was trained on; None = no language in particular."""
        ...

    def embed(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> np.ndarray:
        """Return float32 [n, d] unit rows, one a text; a row may be zero only for a text without any feature."""
        ...
