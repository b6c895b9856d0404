"""Turns embedded together with what was said just before, so that "he" and "there" have something to mean."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.retrieval.indexed import IndexedGraph, QueryView


class ContextDense:
    """Cosine of the query and a turn's text in context: the ``before`` turns ahead of it in its session, then itself.

    Args:
        before: how many; 0 is the turn alone.
    """

    def __init__(self, before: int = 2) -> None:
        if isinstance(before, bool) or not isinstance(before, int) or before < 0:
            raise ValueError(f"before={before} is not a whole number >= 0")
        self.before = before

    def score(self, view: QueryView) -> Tensor:
        """Return float64 cosines [n_turn, Q]."""
        vectors = view.indexed.kept(("in context", self.before), lambda: self._vectors(view.indexed))
        return (vectors @ view.vectors.T).double().clamp(-1, 1)

    def _vectors(self, indexed: IndexedGraph) -> Tensor:
        with indexed.watch("embed_documents"):
            return torch.from_numpy(indexed.embedder.embed(self.texts(indexed))).to(indexed.device)

    def texts(self, indexed: IndexedGraph) -> list[str]:
        """Return what is embedded: the turns of the window as "speaker: text" lines, the last in the run's format."""
        turns, own = indexed.graph.turns, indexed.turn_texts
        texts = []
        for i, turn in enumerate(turns):
            earlier = [t for t in turns[max(0, i - self.before) : i] if t.session_id == turn.session_id]
            texts.append("\n".join([*(f"{t.speaker}: {t.text}" for t in earlier), own[i]]))
        return texts
