"""MaxSim: how well each word of a question is matched somewhere in a turn, its neighbours or its session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from memorai.models.cache import ByteCache, content_key
from memorai.models.late_interaction import TokenEncoder, Tokens
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.neighbours import Sessions
from memorai.types import Turn

NAMESPACE = "token_matches"
#: query tokens multiplied at once, so that [document tokens, this] float32 stays within some megabytes
_COLUMNS = 64
Span = Literal["turn", "previous", "around", "session"]


@dataclass(frozen=True)
class Matches:
    """One query over n turns.

    Args:
        best: float32 [n, L], the cosine of each query token with the nearest token of each turn.
        idf: float32 [L], log(1 + n / (df + 0.5)) of the query token in the turns.
    """

    best: np.ndarray
    idf: np.ndarray


@dataclass(frozen=True)
class _Documents:
    """All tokens of a graph's turns: float32 [T, d], where each turn starts [n], and document frequencies by id."""

    vectors: np.ndarray
    starts: np.ndarray
    frequency: dict[int, int]


class TokenMatcher:
    """Computes `Matches` of a view, once a view, and keeps them in the cache by the texts' content.

    Args:
        encoder: token vectors.
        text_format: what the encoder sees of a turn.
        cache: True for the default `ByteCache`, False for none, or one of your own.
    """

    def __init__(
        self, encoder: TokenEncoder, text_format: Callable[[Turn], str], cache: bool | ByteCache = True
    ) -> None:
        self.encoder, self.text_format = encoder, text_format
        #: distinguishes formats in cache keys
        self.text_identity = str(getattr(text_format, "template", text_format))
        self._cache = ByteCache() if cache is True else cache or None
        self._texts: WeakKeyDictionary[IndexedGraph, tuple[list[str], str]] = WeakKeyDictionary()
        self._documents: WeakKeyDictionary[IndexedGraph, _Documents] = WeakKeyDictionary()
        self._matches: WeakKeyDictionary[QueryView, list[Matches]] = WeakKeyDictionary()

    def knows(self, language: str) -> bool:
        """Whether the encoder was trained on the language."""
        return self.encoder.languages is None or language in self.encoder.languages

    def matches(self, view: QueryView) -> list[Matches]:
        """Return one a query; the graph has at least one turn."""
        if view not in self._matches:
            self._matches[view] = self._found(view)
        return self._matches[view]

    def _found(self, view: QueryView) -> list[Matches]:
        texts, digest = self._read(view.indexed)
        keys = [content_key(digest, query.text) for query in view.queries]
        stored = self._cache.get_many(NAMESPACE, keys) if self._cache else {}
        found = {key: m for key, blob in stored.items() if (m := _unpacked(blob, len(texts))) is not None}
        missing = {key: query.text for key, query in zip(keys, view.queries, strict=True) if key not in found}
        if missing:
            documents = self._encoded(view.indexed, texts)
            queries = self.encoder.encode(list(missing.values()), "query")
            fresh = dict(zip(missing, _match(documents, queries, len(texts)), strict=True))
            if self._cache:
                self._cache.put_many(NAMESPACE, {key: _packed(match) for key, match in fresh.items()})
            found |= fresh
        return [found[key] for key in keys]

    def _read(self, indexed: IndexedGraph) -> tuple[list[str], str]:
        """What the encoder sees of the turns, and the key of that."""
        if indexed not in self._texts:
            texts = [self.text_format(turn) for turn in indexed.graph.turns]
            self._texts[indexed] = texts, content_key(self.encoder.model_id, *texts)
        return self._texts[indexed]

    def _encoded(self, indexed: IndexedGraph, texts: list[str]) -> _Documents:
        if indexed not in self._documents:
            with indexed.watch("embed_documents"):
                tokens = self.encoder.encode(texts)
            frequency: dict[int, int] = {}
            for entry in tokens:
                for token in np.unique(entry.ids).tolist():
                    frequency[token] = frequency.get(token, 0) + 1
            vectors = np.concatenate([t.vectors for t in tokens]).astype(np.float32)
            starts = np.cumsum([0, *(len(entry.ids) for entry in tokens[:-1])])
            self._documents[indexed] = _Documents(vectors, starts, frequency)
        return self._documents[indexed]


class LateInteraction:
    """A turn scorer: weighted mean over the query's tokens of `Matches.best`.

    Args:
        matcher: shared by all that look at the same encoder.
        idf: weight tokens by their idf; else each counts the same.
        span: where a token may be matched: the turn; it or the one before; either neighbour too; the whole session.
    """

    def __init__(self, matcher: TokenMatcher, idf: bool = True, span: Span = "turn") -> None:
        if span not in ("turn", "previous", "around", "session"):
            raise ValueError(f"span={span}; known: turn, previous, around, session")
        self.matcher, self.idf, self.span = matcher, idf, span

    @property
    def model_id(self) -> str:
        """Identity for caches."""
        return f"{self.matcher.encoder.model_id}|{self.matcher.text_identity}|{self.idf}|{self.span}"

    def variants(self) -> dict[str, LateInteraction]:
        """Return the same matches read in other ways, which cost little more."""
        flat = {"flat": LateInteraction(self.matcher, not self.idf, self.span)}
        return flat | {
            name: LateInteraction(self.matcher, self.idf, name) for name in get_args(Span) if name != self.span
        }

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]; 0 throughout where the encoder does not know the conversation's language."""
        out = torch.zeros(len(view.graph.turns), len(view), dtype=torch.float64, device=view.device)
        if not self.matcher.knows(view.indexed.language) or not len(out):
            return out
        sessions = Sessions.of(view.graph.turns)
        for column, match in enumerate(self.matcher.matches(view)):
            weight = match.idf if self.idf else np.ones_like(match.idf)
            score = self._spread(match.best, sessions) @ (weight / weight.sum())
            out[:, column] = torch.from_numpy(score.astype(np.float64))
        return out

    def _spread(self, best: np.ndarray, sessions: Sessions) -> np.ndarray:
        if self.span == "session":
            return sessions.maximum(best)
        found = best
        if self.span != "turn":
            found = np.maximum(found, sessions.shifted(best, -1, outside=-1.0))
        return np.maximum(found, sessions.shifted(best, 1, outside=-1.0)) if self.span == "around" else found


def _match(documents: _Documents, queries: list[Tokens], n: int) -> list[Matches]:
    """MaxSim of all queries, a block of query tokens at a time."""
    stacked = np.concatenate([query.vectors for query in queries]).astype(np.float32)  # [sum L, d]
    best = np.empty((n, len(stacked)), dtype=np.float32)
    for start in range(0, len(stacked), _COLUMNS):
        cosine = documents.vectors @ stacked[start : start + _COLUMNS].T
        best[:, start : start + _COLUMNS] = np.maximum.reduceat(cosine, documents.starts, axis=0)
    # rounded as the cache keeps them, so that a warm run equals a cold one
    best = best.astype(np.float16).astype(np.float32)
    ends = np.cumsum([len(query.ids) for query in queries])
    found = []
    for query, part in zip(queries, np.split(best, ends[:-1], axis=1), strict=True):
        frequency = np.array([documents.frequency.get(token, 0) for token in query.ids.tolist()])
        found.append(Matches(np.ascontiguousarray(part), np.log1p(n / (frequency + 0.5)).astype(np.float32)))
    return found


def _packed(match: Matches) -> bytes:
    return match.idf.astype("<f4").tobytes() + match.best.astype("<f2").tobytes()


def _unpacked(blob: bytes, n: int) -> Matches | None:
    """What `_packed` wrote; None if it is damaged."""
    length, rest = divmod(len(blob), 4 + 2 * n)
    if rest or not length:
        return None
    idf = np.frombuffer(blob, dtype="<f4", count=length)
    best = np.frombuffer(blob, dtype="<f2", offset=4 * length).reshape(n, length).astype(np.float32)
    return Matches(best, idf) if np.isfinite(best).all() and np.isfinite(idf).all() else None
