"""The optional last stage: a cross-encoder reads the best turns again and has its say in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, get_args

import torch
from torch import Tensor

from memorai.errors import InputError
from memorai.index.vectors import top_k
from memorai.models.cross_encoder import CrossEncoder
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.retrievers import Retrieved
from memorai.retrieval.scores import z_score
from memorai.types import Turn

Prior = Literal["log", "score"]


class Reranker(Protocol):
    """Puts the turns of a retrieval into a better order."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    def rerank(self, view: QueryView, retrieved: Retrieved) -> Retrieved:
        """Return new scores of the same turns; what was not retrieved stays so."""
        ...


class NoReranker:
    """Leaves the ranking as it is."""

    name = "none"

    def rerank(self, view: QueryView, retrieved: Retrieved) -> Retrieved:
        """Return what was retrieved."""
        return retrieved


class CrossEncoderReranker:
    """Scores the first ``depth`` turns by ``ce + alpha * z(prior)``; all others follow below in their old order.

    ``ce`` is the cross-encoder's logit for (question, document), the prior the score with which the retriever found the
    turn, z-scored over the ``depth`` turns of the question. One model pass a turn: for a 12-layer MiniLM some 10 ms a
    pair of 60 tokens on one core, counted under the stage ``rerank``; a pair that is in the cache costs nothing.

    Args:
        cross_encoder: reads the pairs; where it does not know the conversation's language the ranking stays as it is.
        pair_format: writes a turn, given with its conversation's turns and its place among them, as a document.
        depth: how many turns of each question are read again.
        alpha: weight of the prior; 0 = the cross-encoder alone.
        prior: ``log`` of the score, as fits PageRank and other probabilities, or the ``score`` itself.

    Raises:
        InputError: a value is out of its range.
    """

    def __init__(
        self,
        cross_encoder: CrossEncoder,
        pair_format: Callable[[Sequence[Turn], int], str],
        depth: int = 30,
        alpha: float = 0.5,
        prior: Prior = "log",
    ) -> None:
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
            raise InputError(f"reranker depth={depth} is not a whole number of at least 1")
        if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 <= alpha < float("inf"):
            raise InputError(f"reranker alpha={alpha} is not a finite number >= 0")
        if prior not in get_args(Prior):
            raise InputError(f"reranker prior={prior} is not one of {', '.join(get_args(Prior))}")
        self.cross_encoder, self.pair_format = cross_encoder, pair_format
        self.depth, self.alpha, self.prior = depth, float(alpha), prior

    @property
    def name(self) -> str:
        """The cross-encoder's."""
        return self.cross_encoder.name

    def rerank(self, view: QueryView, retrieved: Retrieved) -> Retrieved:
        """Return float64 scores [n_turn, Q], and how many pairs were read in each ``info``."""
        known = self.cross_encoder.languages
        if known is not None and view.indexed.language not in known:
            return retrieved
        with view.indexed.watch("rerank"):
            found = retrieved.scores.cpu().double()  # [n_turn, Q]
            best = torch.from_numpy(top_k(found.numpy(), self.depth))  # [k, Q]
            chosen = [column[found[column, q].isfinite()] for q, column in enumerate(best.T)]
            relevance = self.relevance(view, chosen)
            fused = found.clone()
            for q, (rows, ce) in enumerate(zip(chosen, relevance, strict=True)):
                if len(rows):
                    self._place(fused[:, q], rows, ce)
        info = [{**old, "reranked": len(rows)} for old, rows in zip(retrieved.info, chosen, strict=True)]
        return Retrieved(fused.to(retrieved.scores.device), info)

    def relevance(self, view: QueryView, chosen: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the cross-encoder's logits of each question's chosen turns (rows), all pairs asked for at once."""
        documents: dict[int, str] = {}
        pairs = []
        for query, rows in zip(view.queries, chosen, strict=True):
            for row in rows.tolist():
                if row not in documents:
                    documents[row] = self.pair_format(view.graph.turns, row)
                pairs.append((query.text, documents[row]))
        scores = torch.from_numpy(self.cross_encoder.score(pairs)).double()
        return scores.split([len(rows) for rows in chosen])

    def _place(self, column: Tensor, rows: Tensor, ce: Tensor) -> None:
        """Write the fused scores of ``rows`` into one question's column and move the rest below them."""
        prior = column[rows]
        if self.prior == "log":
            positive = prior[prior > 0]
            # a turn that the walk never reached has no logarithm: it ranks with the last that was reached
            prior = prior.clamp_min(float(positive.min()) if len(positive) else 1.0).log()
        fused = ce + self.alpha * z_score(prior[:, None])[:, 0]
        rest = torch.ones(len(column), dtype=torch.bool).index_fill(0, rows, False)
        if rest.any():
            column[rest] += float(fused.min()) - 1 - float(column[rest].max().clamp_min(torch.finfo().min))
        column[rows] = fused
