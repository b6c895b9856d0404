"""Ways to search facts, each a score of every fact for every query [F, Q], and the turn scorer that they end in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from memorai.index.vectors import top_k
from memorai.retrieval.facts import FactIndex, FactSource
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.named import named_entities
from memorai.retrieval.scores import fused_ranks


class FactSearch(Protocol):
    """Scores facts; higher is better, -inf is not found."""

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return float64 [F, Q]."""
        ...


class FactCosine:
    """Cosine of fact and query.

    Args:
        limit: only so many facts are found, as a vector store returns them; None = all.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = _checked_limit(limit)

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return cosines."""
        if not len(facts):
            return view.zeros()[:0]
        cosine = view.kept(("fact cosine", id(facts)), lambda: (facts.vectors @ view.vectors.T).double().clamp(-1, 1))
        return _only_best(cosine, self.limit)


class FactLexical:
    """BM25 with the statistics of the facts; what shares no term with the query is not found.

    Args:
        limit: see `FactCosine`.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = _checked_limit(limit)

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return BM25 scores."""

        def scores() -> Tensor:
            found = facts.bm25.scores([query.text for query in view.queries])
            return torch.from_numpy(np.ascontiguousarray(found)).to(view.device, torch.float64)

        found = view.kept(("fact bm25", id(facts)), scores)
        return _only_best(torch.where(found > 0, found, float("-inf")), self.limit)


class FactHops:
    """Breadth-first search from the entities of what other searches found: minus the number of hops.

    Args:
        origins: searches whose best facts give the entities to start from.
        k_origins: how many facts of each.
        max_depth: hops; Graphiti's limit is 3.
    """

    def __init__(self, origins: Sequence[FactSearch], k_origins: int = 10, max_depth: int = 3) -> None:
        self.origins, self.k_origins, self.max_depth = list(origins), k_origins, max_depth

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return -1, -2, ... by the hop at which a fact is reached, -inf beyond ``max_depth``."""
        scores = torch.full((len(facts), len(view)), float("-inf"), dtype=torch.float64, device=view.device)
        if not len(facts) or not facts.about.shape[1]:
            return scores
        seeds = torch.zeros_like(scores)
        for origin in self.origins:
            found = origin.search(view, facts)
            best = torch.from_numpy(top_k(found.cpu().numpy(), self.k_origins)).to(view.device)
            seeds.scatter_(0, best, found.gather(0, best).isfinite().double())
        entities = facts.told_of @ seeds > 0
        for depth in range(1, self.max_depth + 1):
            reached = (facts.about @ entities.double() > 0) & scores.isneginf()
            scores[reached] = -float(depth)
            entities |= facts.told_of @ reached.double() > 0
        return scores


class FactsOfNamed:
    """Facts about an entity that the query names, by another search; all others are not found.

    Args:
        search: orders them.
    """

    def __init__(self, search: FactSearch) -> None:
        self.inner = search

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return the inner scores where a named entity takes part; 0 where the inner search found nothing there."""
        inner = self.inner.search(view, facts)
        if not len(facts) or not facts.about.shape[1]:
            return torch.full_like(inner, float("-inf"))
        about = facts.about @ (named_entities(view) > 0).double() > 0
        return torch.where(about, torch.where(inner.isfinite(), inner, 0.0), float("-inf"))


class FactRankFusion:
    """Reciprocal rank fusion of fact searches; a search adds nothing to what it did not find.

    Args:
        searches: what to fuse.
        k: Graphiti's is 1, the original's 60.
    """

    def __init__(self, searches: Sequence[FactSearch], k: float = 60.0) -> None:
        self.searches, self.k = list(searches), k

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return the sum of 1 / (k + rank), -inf where no search found the fact."""
        found = [search.search(view, facts) for search in self.searches]
        return fused_ranks(found, self.k, (len(facts), len(view)), view.device)


class FactScores:
    """A turn scorer: the score of a turn's best fact, -inf where it states none or none was found.

    Args:
        source: what counts as a fact.
        search: finds facts.
        ended_last: a fact that a later statement ended stands below every fact that still holds.
    """

    def __init__(self, source: FactSource, search: FactSearch, ended_last: bool = False) -> None:
        self.source, self.fact_search, self.ended_last = source, search, ended_last

    def score(self, view: QueryView) -> Tensor:
        """Return float64 [n_turn, Q]."""
        facts = FactIndex.of(view.indexed, self.source)
        scores = self.fact_search.search(view, facts)
        if self.ended_last and len(facts) and bool(facts.superseded.any()):
            finite = torch.where(scores.isfinite(), scores, 0.0)
            drop = float(finite.max() - finite.min()) + 1
            scores = scores - drop * facts.superseded[:, None].double()
        return facts.best(scores)


def _only_best(scores: Tensor, limit: int | None) -> Tensor:
    if limit is None or limit >= scores.shape[0]:
        return scores
    best = torch.from_numpy(top_k(scores.cpu().numpy(), limit)).to(scores.device)
    return torch.full_like(scores, float("-inf")).scatter_(0, best, scores.gather(0, best))


def _checked_limit(limit: int | None) -> int | None:
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise ValueError(f"limit={limit} is not a whole number of at least 1")
    return limit
