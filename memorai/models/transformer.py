"""Any transformers encoder as an embedder, behind a cache that needs no model to answer."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tqdm import tqdm

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key
from memorai.models.identity import folder_digest

if TYPE_CHECKING:  # torch and transformers take seconds to import: only when a text must be encoded
    from memorai.models.encoder import Encoder

NAMESPACE = "embeddings"
_SHOW_PROGRESS_ABOVE = 500  # texts
_SAVE_EVERY = 4096  # texts: an interrupted run keeps what it has done
_UNIT_TOLERANCE = 1e-3  # of a stored row's squared length; float32 rounding stays below 1e-5


class TransformerEmbedder:
    """Embeds with a transformers encoder; vectors are cached by everything that shapes them.

    A vector depends on its own text alone, up to rounding, and a cached one comes back bit for bit. Device, batch size
    and library versions shift results by rounding only and are no part of the key. A hub model without ``revision``
    is keyed as ``main``: pin a revision where the model may still change.

    Args:
        model: hub name or local folder. A folder is keyed by the sha256 of its files.
        pooling: ``mean`` over tokens or ``cls``.
        query_prefix: put before each query.
        document_prefix: put before each document.
        max_length: tokens kept of a text, prefix and special tokens included.
        batch_size: texts in a batch at most.
        device: ``auto``, ``cpu`` or ``cuda``.
        revision: commit, tag or branch on the hub; not for a local folder.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        name: how tables call it. Default: the hub name or the folder's name.
        languages: codes that it was trained on; None = no language in particular.

    Raises:
        InputError: a value is out of its range, or the folder is no model folder.
    """

    def __init__(
        self,
        model: str,
        pooling: Literal["mean", "cls"] = "mean",
        query_prefix: str = "",
        document_prefix: str = "",
        max_length: int = 256,
        batch_size: int = 64,
        device: str = "auto",
        revision: str | None = None,
        cache: bool | ByteCache = True,
        name: str | None = None,
        languages: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InputError(f"embedder: model={model!r}; give a model folder or a hub name")
        if pooling not in ("mean", "cls"):
            raise InputError(f"embedder '{model}': pooling={pooling}; use mean or cls")
        if not _at_least(max_length, 3) or not _at_least(batch_size, 1):
            given = f"max_length={max_length}, batch_size={batch_size}"
            raise InputError(f"embedder '{model}': {given}; give whole numbers, at least 3 and at least 1")
        try:
            folder = Path(model).expanduser()
            local = folder.is_dir()
        except (OSError, RuntimeError) as error:  # a path too long or not to be entered; ~name of no user
            raise InputError(
                f"embedder '{model}': no such folder ({error}); give a model folder or a hub name"
            ) from None
        if not local and (folder.is_absolute() or model.startswith((".", "~"))):
            raise InputError(f"embedder '{model}': no such folder; give a model folder or a hub name")
        if local and revision is not None:
            raise InputError(f"embedder '{model}': revision={revision} is for hub models, this is a folder")
        self.name = name or (folder.resolve().name if local else model)
        identity = folder_digest(folder) if local else f"{model}@{revision or 'main'}"
        self.languages = None if languages is None else _language_codes(languages, model)
        self._prefixes = {"document": document_prefix, "query": query_prefix}
        self._vector_id = f"{identity}|{pooling}|{max_length}"
        #: identity of the vectors: model, revision, pooling, length and prefixes; no path of this machine
        self.model_id = f"{self._vector_id}|{document_prefix!r}|{query_prefix!r}"
        self._load_arguments = (str(folder) if local else model, revision, pooling, max_length, batch_size, device)
        self._cache = ByteCache() if cache is True else cache or None
        self._lock = threading.Lock()  # fast tokenizers hold their truncation state and must not be shared
        self._encoder: Encoder | None = None
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
        shown = len(texts) > _SHOW_PROGRESS_ABOVE
        options: dict[str, Any] = {"desc": f"embed ({self.name})", "unit": "text", "mininterval": 1.0}
        bar: Any = tqdm(total=len(texts), **options) if shown else nullcontext()
        with self._lock, bar as progress:
            encoder = self._loaded()
            for start in range(0, len(texts), _SAVE_EVERY):
                chunk = texts[start : start + _SAVE_EVERY]
                fresh = dict(zip(chunk, encoder.encode(chunk, progress), strict=True))
                if self._cache:
                    values = {keys[text]: row.astype("<f4").tobytes() for text, row in fresh.items()}
                    self._cache.put_many(NAMESPACE, values)
                rows.update(fresh)
        return rows

    def _loaded(self) -> Encoder:
        if self._encoder is None:
            from memorai.models.encoder import Encoder

            self._encoder = Encoder(*self._load_arguments)
        return self._encoder


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


def _at_least(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def valid_unicode(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and lone surrogates, which no tokenizer takes, as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
