"""Scores of turns without a graph: dense, BM25, their fusions, and chance. Each returns float64 [n_turn, Q]."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from memorai.graph.schema import TURN
from memorai.models.embedders import Embedder
from memorai.retrieval.indexed import IndexedGraph, QueryView


class TurnScorer(Protocol):
    """Scores every turn for every query; higher is better."""

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]."""
        ...


class Dense:
    """Cosine of turn and query vectors.

    Args:
        fluent_only: score 0 throughout where the embedder does not know the conversation's language, so that in a
            fusion its noise does not drown the other scorers.
        embedder: another than the index's, so that two can be fused; None = the index's.
        roles: embed only turns of these roles, and those without a role; the others get the mean of the scores, which
            speaks neither for nor against them: what an assistant says is most of the text and seldom asked for.
    """

    def __init__(
        self, fluent_only: bool = False, embedder: Embedder | None = None, roles: Sequence[str] | None = None
    ) -> None:
        self.fluent_only, self.embedder = fluent_only, embedder
        self.roles = None if roles is None else tuple(roles)
        self._vectors: WeakKeyDictionary[IndexedGraph, Tensor] = WeakKeyDictionary()

    @property
    def model_id(self) -> str:
        """Identity of an embedder of its own, and of the roles; empty for the index's and all."""
        own = self.embedder.model_id if self.embedder else ""
        return own if self.roles is None else f"{own}|{'+'.join(self.roles)}"

    def score(self, view: QueryView) -> Tensor:
        """Return cosines [n_turn, Q]."""
        embedder = self.embedder or view.indexed.embedder
        known = embedder.languages
        if self.fluent_only and known is not None and view.indexed.language not in known:
            return torch.zeros(len(view.graph.turns), len(view), dtype=torch.float64, device=view.device)
        plain = self.embedder is None and self.roles is None
        return view.similarity(TURN) if plain else self._own(view, embedder)

    def _own(self, view: QueryView, embedder: Embedder) -> Tensor:
        indexed = view.indexed
        turns = view.graph.turns
        keep = (*self.roles, None) if self.roles else {turn.role for turn in turns}
        rows = [i for i, turn in enumerate(turns) if turn.role in keep]
        if indexed not in self._vectors:
            with indexed.watch("embed_documents"):
                found = embedder.embed([indexed.turn_texts[i] for i in rows])
            self._vectors[indexed] = torch.from_numpy(found).to(view.device)
        with indexed.watch("embed_query"):
            queries = torch.from_numpy(embedder.embed([query.text for query in view.queries], kind="query"))
        cosines = (self._vectors[indexed] @ queries.to(view.device).T).double().clamp(-1, 1)
        if len(rows) == len(turns):
            return cosines
        out = cosines.mean(0).nan_to_num().repeat(len(turns), 1)
        out[rows] = cosines
        return out


class Lexical:
    """BM25 with this conversation's statistics."""

    def score(self, view: QueryView) -> Tensor:
        """Return BM25 scores [n_turn, Q]."""
        return view.lexical


class RandomScores:
    """A uniform draw per (seed, query id, turn id): the floor of every table, the same on every machine."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def score(self, view: QueryView) -> Tensor:
        """Return draws in [0, 1): [n_turn, Q]."""
        rows = [[self._draw(query.id, turn.id) for query in view.queries] for turn in view.graph.turns]
        shape = (len(view.graph.turns), len(view))
        return torch.tensor(rows, dtype=torch.float64, device=view.device).reshape(shape)

    def _draw(self, query: str, turn: str) -> float:
        key = f"{self.seed}\0{query}\0{turn}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") / 2**64


class ZScoreSum:
    """Sum of the scorers' z-scores over the conversation's turns, weighted.

    Args:
        scorers: what to fuse.
        weights: one a scorer; default 1 each.
    """

    def __init__(self, scorers: Sequence[TurnScorer], weights: Sequence[float] | None = None) -> None:
        self.scorers = list(scorers)
        self.weights = check_mixture([1.0] * len(self.scorers) if weights is None else weights, self.scorers, "scorers")

    def score(self, view: QueryView) -> Tensor:
        """Return the weighted sum of z-scores [n_turn, Q]."""
        parts = (w * z_score(s.score(view)) for s, w in zip(self.scorers, self.weights, strict=True) if w)
        return sum(parts, torch.zeros(len(view.graph.turns), len(view), dtype=torch.float64, device=view.device))


class ReciprocalRankFusion:
    """Sum over scorers of 1 / (k + rank), rank from 1 (Cormack, Clarke and Buettcher, SIGIR 2009).

    Args:
        scorers: whose rankings are fused.
        k: >= 0; the larger, the less the first ranks stand out. 60 is the authors' choice.
    """

    def __init__(self, scorers: Sequence[TurnScorer], k: float = 60.0) -> None:
        self.scorers = list(scorers)
        if isinstance(k, bool) or not isinstance(k, int | float) or not 0 <= k < float("inf"):
            raise ValueError(f"k={k} is not a finite number >= 0")
        self.k = k

    def score(self, view: QueryView) -> Tensor:
        """Return the fused scores [n_turn, Q]; turns that tie share the best of their ranks.

        A scorer adds nothing to a turn that it did not find (-inf); what none found stays so.
        """
        found = [scorer.score(view) for scorer in self.scorers]
        return fused_ranks(found, self.k, (len(view.graph.turns), len(view)), view.device)


def fused_ranks(found: Sequence[Tensor], k: float, shape: tuple[int, int], device: torch.device) -> Tensor:
    """Return the sum over ``found`` [n, Q] of 1 / (k + rank), -inf where all are -inf; of nothing, zeros."""
    total = torch.zeros(shape, dtype=torch.float64, device=device)
    for scores in found:
        total += torch.where(scores.isneginf(), 0.0, 1 / (k + _competition_rank(scores)))
    if not found:
        return total
    nowhere = torch.stack([scores.isneginf() for scores in found]).all(0)
    return total.masked_fill(nowhere, float("-inf"))


def check_mixture(weights: Sequence[float], parts: Sequence[object], kind: str) -> list[float]:
    """Return the weights as floats; raise ValueError unless there is a finite one of moderate size for every part."""
    if len(weights) != len(parts):
        raise ValueError(f"{len(weights)} weights for {len(parts)} {kind}")
    for weight in weights:
        # beyond 1e100 sums of squares leave float64
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not abs(weight) <= 1e100:
            raise ValueError(f"weight {weight} of the {kind} is not a finite number")
    return [float(weight) for weight in weights]


def z_score(scores: Tensor) -> Tensor:
    """Centre and scale each column of [n, Q]; a constant column becomes 0."""
    centred = scores - scores.mean(0) if scores.shape[0] else scores
    spread = centred.square().mean(0).sqrt() if scores.shape[0] else scores.sum(0)
    # a spread that is rounding noise of the column's own size is no spread
    noise = 1e-12 * scores.abs().amax(0) if scores.shape[0] else spread
    return torch.where(spread > noise, centred / torch.where(spread > noise, spread, 1), 0)


def _competition_rank(scores: Tensor) -> Tensor:
    ordered = (-scores).sort(0).values.T.contiguous()
    return torch.searchsorted(ordered, (-scores).T.contiguous(), right=False).T.double() + 1
