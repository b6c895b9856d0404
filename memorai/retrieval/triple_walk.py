"""A walk of one or two hops through triples from the entities that a question names, pruned at every hop."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.index.vectors import top_k
from memorai.retrieval.fact_search import FactLexical
from memorai.retrieval.facts import FactIndex
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.named import named_or_nearest
from memorai.retrieval.transforms import MinMax
from memorai.write.predicates import asked_kinds


class TripleWalk:
    """A fact search: keyword seeds, expansion along facts with decay, pruning to the best entities of each hop.

    A fact scores the strongest of its ends, times ``decay`` a hop, times 1 + its scaled BM25 (+ 1 if the question asks
    for its kind of predicate): among the facts of a named person those that the question is after come first.

    Args:
        hops: 1 or more.
        decay: factor a hop, in (0, 1].
        width: entities that are expanded at each hop.
    """

    def __init__(self, hops: int = 2, decay: float = 0.5, width: int = 10) -> None:
        for name, value in (("hops", hops), ("width", width)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value} is not a whole number of at least 1")
        if not 0 < decay <= 1:
            raise ValueError(f"decay={decay} is not in (0, 1]")
        self.hops, self.decay, self.width = hops, decay, width
        self._words = FactLexical()

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return scores > 0 [F, Q], -inf where the walk does not come."""
        scores = torch.zeros(len(facts), len(view), dtype=torch.float64, device=view.device)
        if not len(facts) or not facts.about.shape[1]:
            return scores.fill_(float("-inf"))
        words = self._words.search(view, facts)
        relevance = 1 + MinMax()(torch.where(words.isfinite(), words, 0.0))
        asked = [set(asked_kinds(query.text)) for query in view.queries]
        meant = [[float(fact.kind in kinds) for kinds in asked] for fact in facts.facts]
        relevance += torch.tensor(meant, dtype=torch.float64, device=view.device)
        strength = named_or_nearest(view)
        strength = strength / strength.amax(0).clamp_min(1e-12)
        expanded = torch.zeros_like(strength, dtype=torch.bool)
        for hop in range(self.hops):
            frontier = self._pruned(torch.where(expanded, 0.0, strength))
            expanded |= frontier > 0
            reached = _strongest_end(facts, frontier) * self.decay**hop
            scores = torch.maximum(scores, reached * relevance)
            strength = torch.maximum(strength, _strongest_fact(facts, reached * relevance / 3))
        return scores.masked_fill(scores <= 0, float("-inf"))

    def _pruned(self, strength: Tensor) -> Tensor:
        best = torch.from_numpy(top_k(strength.cpu().numpy(), self.width)).to(strength.device)
        return torch.zeros_like(strength).scatter_(0, best, strength.gather(0, best))


def _strongest_end(facts: FactIndex, entities: Tensor) -> Tensor:
    fact, entity = facts.ends
    index = fact[:, None].expand(-1, entities.shape[1])
    return entities.new_zeros(len(facts), entities.shape[1]).scatter_reduce_(0, index, entities[entity], "amax")


def _strongest_fact(facts: FactIndex, scores: Tensor) -> Tensor:
    fact, entity = facts.ends
    index = entity[:, None].expand(-1, scores.shape[1])
    return scores.new_zeros(facts.about.shape[1], scores.shape[1]).scatter_reduce_(0, index, scores[fact], "amax")
