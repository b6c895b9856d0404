"""Late interaction: a vector a token instead of a vector a text (Khattab and Zaharia, "ColBERT", SIGIR 2020)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np

from memorai.errors import InputError
from memorai.models.cached_embedder import is_whole, progress_bar, valid_unicode
from memorai.models.onnx_model import OnnxModel, folder_identity, model_folder


@dataclass(frozen=True)
class Tokens:
    """One text: its token ids int64 [L], special tokens included, and their unit vectors float16 [L, d]."""

    ids: np.ndarray
    vectors: np.ndarray


class TokenEncoder(Protocol):
    """Turns texts into token vectors, so that a dot product of two is a cosine."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    @property
    def model_id(self) -> str:
        """Identity for caches."""
        ...

    @property
    def languages(self) -> tuple[str, ...] | None:
        """Codes of the languages that it was trained on; None = no language in particular."""
        ...

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> list[Tokens]:
        """Return the tokens of each text."""
        ...


class OnnxTokenEncoder:
    """Token states of an ONNX graph whose first output is [1, L, d].

    The states are used as they are: the wheel's ColBERT comes without the projection to fewer dimensions that was
    trained on top, and queries are not padded with masks, which hurt without it. Token vectors are not cached, since
    they take 700 bytes a token; `memorai.retrieval.late` caches what it makes of them.

    Args:
        folder: holds model.onnx and tokenizer.json; keyed by the sha256 of both.
        name: how tables call it.
        max_length: tokens kept of a text.
        threads: texts at once; None = all cores, or ``OMP_NUM_THREADS``.
        languages: codes that it was trained on; None = no language in particular.
        query_marker: the word after [CLS] from which the model knows a query; that of answerai-colbert-small-v1.
        document_marker: likewise of a document.

    Raises:
        InputError: a value is out of its range, or the folder is no model folder.
    """

    def __init__(
        self,
        folder: str | Path,
        name: str,
        max_length: int = 256,
        threads: int | None = None,
        languages: Sequence[str] | None = None,
        query_marker: str = "[unused0]",
        document_marker: str = "[unused1]",
    ) -> None:
        self._place = model_folder(folder, "token encoder")
        if not is_whole(max_length, 4) or not (threads is None or is_whole(threads, 1)):
            given = f"max_length={max_length}, threads={threads}"
            raise InputError(f"token encoder '{name}': {given}; give whole numbers, at least 4 and at least 1")
        self.name = name
        self._markers = {"query": query_marker, "document": document_marker}
        self.model_id = f"{folder_identity(self._place)}|tokens|{max_length}|{query_marker}|{document_marker}"
        self.languages = None if languages is None else tuple(languages)
        self._max_length, self._threads = max_length, threads
        self._lock = threading.Lock()
        self._model: OnnxModel | None = None

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> list[Tokens]:
        """Return the tokens of each text; more than 500 show a progress bar on stderr."""
        marked = [f"{self._markers[kind]} {valid_unicode(text)}" for text in texts]
        with self._lock, progress_bar(f"tokens ({self.name})", "text", len(texts)) as progress:
            if self._model is None:
                self._model = OnnxModel(self._place, self._max_length, self._threads, tuple(self._markers.values()))
            vectors = self._model.map(marked, _unit, progress)
            ids = [np.array(self._model.ids(text), dtype=np.int64) for text in marked]
        return [Tokens(*pair) for pair in zip(ids, vectors, strict=True)]


def _unit(states: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(states, axis=1, keepdims=True)
    return (states / np.maximum(length, 1e-12)).astype(np.float16)
