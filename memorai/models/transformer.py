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
        if pooling not in ("mean", "cls"):
            raise InputError(f"embedder '{model}': pooling={pooling}; use mean or cls")
        if max_length < 3 or batch_size < 1:
            raise InputError(f"embedder '{model}': max_length must be at least 3 and batch_size at least 1")
        folder = Path(model).expanduser()
        local = folder.is_dir()
        if not local and (folder.is_absolute() or model.startswith((".", "~"))):
            raise InputError(f"embedder '{model}': no such folder; give a model folder or a hub name")
        if local and revision is not None:
            raise InputError(f"embedder '{model}': revision={revision} is for hub models, this is a folder")
        self.name = name or (folder.resolve().name if local else model)
        identity = folder_digest(folder) if local else f"{model}@{revision or 'main'}"
        self.languages = None if languages is None else tuple(languages)
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
        rows = {text: np.frombuffer(stored[key], dtype="<f4") for text, key in keys.items() if key in stored}
        missing = [text for text in keys if text not in rows]
        if missing:
            rows.update(self._encode(missing, keys))
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


def valid_unicode(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and lone surrogates, which no tokenizer takes, as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
