"""What every cached embedder does: prefixes, one row a distinct text, the cache, a bar over long work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal, Protocol

import numpy as np
from tqdm import tqdm

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key

NAMESPACE = "embeddings"
_SHOW_PROGRESS_ABOVE = 500  # texts
_SAVE_EVERY = 4096  # texts: an interrupted run keeps what it has done
_UNIT_TOLERANCE = 1e-3  # of a stored row's squared length; float32 rounding stays below 1e-5


class TextEncoder(Protocol):
    """A loaded model that embeds."""

    def encode(self, texts: Sequence[str], progress: Any | None = None) -> np.ndarray:
        """Return float32 [n, d] unit rows of at least one text; a row depends on its own text only, up to rounding."""
        ...


class CachedEmbedder:
    """Vectors come out of the cache, else from a model that is loaded when the first text is missing there.

    A cached vector comes back bit for bit.

    Args:
        name: how tables call it.
        vector_id: identity of all that shapes a vector except the prefixes; no path of this machine.
        load: loads the model; called once at most.
        query_prefix: put before each query.
        document_prefix: put before each document.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        languages: codes that the model was trained on; None = no language in particular.

    Raises:
        InputError: ``languages`` is no list of codes.
    """

    def __init__(
        self,
        name: str,
        vector_id: str,
        load: Callable[[], TextEncoder],
        query_prefix: str = "",
        document_prefix: str = "",
        cache: bool | ByteCache = True,
        languages: Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self.languages = None if languages is None else _language_codes(languages, name)
        self._prefixes = {"document": document_prefix, "query": query_prefix}
        self._vector_id = vector_id
        #: identity of the vectors: what shapes them, prefixes included
        self.model_id = f"{vector_id}|{document_prefix!r}|{query_prefix!r}"
        self._load = load
        self._cache = ByteCache() if cache is True else cache or None
        self._lock = threading.Lock()  # fast tokenizers hold their truncation state and must not be shared
        self._encoder: TextEncoder | None = None
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """Length of a vector; found by embedding one word, which a warm cache answers without the model."""
        if self._dim is None:
            self._dim = self._rows(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> np.ndarray:
        """Return float32 [n, d] unit rows, one a text; an empty text has the vector of its special tokens.

        Lone surrogates count as U+FFFD. More than 500 texts that must be encoded show a progress bar on stderr.
        """
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        prefix = self._prefixes[kind]
        return self._rows([prefix + valid_unicode(text) for text in texts])

    def _rows(self, texts: Sequence[str]) -> np.ndarray:
        # the prefix is part of the text here: one text under two prefixes has two keys
        keys = {text: content_key(self._vector_id, text) for text in texts}
        stored = self._cache.get_many(NAMESPACE, keys.values()) if self._cache else {}
        decoded = ((text, _unit_row(stored.get(key))) for text, key in keys.items())
        rows = {text: row for text, row in decoded if row is not None}
        if len({row.size for row in rows.values()} | ({self._dim} if self._dim else set())) > 1:
            rows = {}  # of two lengths only the model knows the right one
        missing = [text for text in keys if text not in rows]
        if missing:
            fresh = self._encode(missing, keys)
            dim = fresh[missing[0]].size
            if self._dim is not None:
                self._dim = dim
            damaged = [text for text, row in rows.items() if row.size != dim]
            rows |= fresh | (self._encode(damaged, keys) if damaged else {})
        return np.stack([rows[text] for text in texts]).astype(np.float32, copy=False)

    def _encode(self, texts: Sequence[str], keys: dict[str, str]) -> dict[str, np.ndarray]:
        rows: dict[str, np.ndarray] = {}
        with self._lock, progress_bar(f"embed ({self.name})", "text", len(texts)) as progress:
            encoder = self._loaded()
            for start in range(0, len(texts), _SAVE_EVERY):
                chunk = texts[start : start + _SAVE_EVERY]
                fresh = dict(zip(chunk, encoder.encode(chunk, progress), strict=True))
                if self._cache:
                    values = {keys[text]: row.astype("<f4").tobytes() for text, row in fresh.items()}
                    self._cache.put_many(NAMESPACE, values)
                rows.update(fresh)
        return rows

    def _loaded(self) -> TextEncoder:
        if self._encoder is None:
            self._encoder = self._load()
        return self._encoder


def progress_bar(what: str, unit: str, total: int) -> Any:
    """Return a bar on stderr as a context manager, or one that yields None where the work is short."""
    if total <= _SHOW_PROGRESS_ABOVE:
        return nullcontext()
    return tqdm(total=total, desc=what, unit=unit, mininterval=1.0)


def _unit_row(stored: object) -> np.ndarray | None:
    """float32 [d] of a cached value; None if there is none or it is cut off, not finite or not of unit length."""
    if not isinstance(stored, bytes) or not stored or len(stored) % 4:
        return None
    row = np.frombuffer(stored, dtype="<f4")
    length = float(np.square(row, dtype=np.float64).sum())  # NaN and infinity fail the comparison, too
    return row if abs(length - 1.0) <= _UNIT_TOLERANCE else None


def _language_codes(languages: Sequence[str], model: str) -> tuple[str, ...]:
    # tuple("en") would be the languages e and n
    listed = isinstance(languages, Sequence) and not isinstance(languages, str)
    if not listed or not all(isinstance(code, str) for code in languages):
        raise InputError(f"embedder '{model}': languages={languages!r}; give a list of codes, as in [en]")
    return tuple(languages)


def is_whole(value: object, least: int) -> bool:
    """Return whether ``value`` is a whole number (no bool) of at least ``least``."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def valid_unicode(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and lone surrogates, which no tokenizer takes, as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
