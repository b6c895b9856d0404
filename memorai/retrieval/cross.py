"""A cross-encoder's opinion as a score among others, for a learned scorer to weigh."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.index.vectors import top_k
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.rerank import CrossEncoderReranker
from memorai.retrieval.retrievers import Retriever


class CrossEncoderScores:
    """A turn scorer: the logit of a question's best turns by another retriever; all others get the least of these.

    Args:
        reranker: cross-encoder, format of the pairs and depth; its ``alpha`` plays no part.
        retriever: finds the turns that are read.
    """

    def __init__(self, reranker: CrossEncoderReranker, retriever: Retriever) -> None:
        self.reranker, self.retriever = reranker, retriever

    @property
    def model_id(self) -> str:
        """Identity for caches."""
        name = getattr(self.reranker.cross_encoder, "model_id", self.reranker.cross_encoder.name)
        return f"{name}|{self.reranker.depth}|{vars(self.reranker.pair_format)}"

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]; 0 throughout where the cross-encoder does not know the language."""
        out = torch.zeros(len(view.graph.turns), len(view), dtype=torch.float64, device=view.device)
        known = self.reranker.cross_encoder.languages
        if (known is not None and view.indexed.language not in known) or not out.numel():
            return out
        found = self.retriever.retrieve(view).scores.cpu().double()
        best = torch.from_numpy(top_k(found.numpy(), self.reranker.depth))
        chosen = [column[found[column, q].isfinite()] for q, column in enumerate(best.T)]
        with view.indexed.watch("rerank"):
            logits = self.reranker.relevance(view, chosen)
        for q, (rows, values) in enumerate(zip(chosen, logits, strict=True)):
            if len(rows):
                out[:, q] = float(values.min())
                out[rows, q] = values.to(view.device)
        return out
