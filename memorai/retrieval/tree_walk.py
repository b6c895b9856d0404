"""Search in a forest of entity trees: roots, topics, facts; and a second round that knows what the first found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import torch
from torch import Tensor

from memorai.errors import InputError
from memorai.graph.entity_tree import grow_tree
from memorai.index.vectors import top_k
from memorai.retrieval.fact_search import FactSearch
from memorai.retrieval.facts import FactIndex
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.named import named_or_nearest
from memorai.retrieval.scores import fused_ranks
from memorai.types import Query
from memorai.write.when import find_times


@dataclass(frozen=True)
class Forest:
    """All trees of a graph, flat.

    Args:
        centroids: float64 [T, d], of every topic.
        entity: int64 [T], whose topic it is.
        leaves: int64 [2, L], (topic, fact).
    """

    centroids: Tensor
    entity: Tensor
    leaves: Tensor

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.centroids.nbytes + self.entity.nbytes + self.leaves.nbytes


class TreeWalk:
    """A fact search: the roots that the query names, their topics nearest to it, the facts below by cosine.

    Args:
        topics: how many topics of all roots are opened.
        limit: see `memorai.graph.entity_tree.grow_tree`.
        sparse: likewise.
        similar: likewise.
    """

    def __init__(self, topics: int = 5, limit: int = 15, sparse: int = 3, similar: float = 0.8) -> None:
        for name, value in (("topics", topics), ("limit", limit), ("sparse", sparse)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value} is not a whole number of at least 1")
        self.topics, self.limit, self.sparse, self.similar = topics, limit, sparse, similar

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return cosines of the facts under the opened topics, -inf elsewhere: [F, Q]."""
        out = torch.full((len(facts), len(view)), float("-inf"), dtype=torch.float64, device=view.device)
        if not len(facts):
            return out
        key = ("forest", id(facts), self.limit, self.sparse, self.similar)
        forest = view.indexed.kept(key, lambda: self._forest(view, facts))
        if not len(forest.entity):
            return out
        near = forest.centroids @ view.vectors.T.double()
        near = near.masked_fill(named_or_nearest(view)[forest.entity] <= 0, float("-inf"))
        best = torch.from_numpy(top_k(near.cpu().numpy(), self.topics)).to(view.device)
        opened = torch.zeros_like(near).scatter_(0, best, near.gather(0, best).isfinite().double())
        topic, fact = forest.leaves
        index = fact[:, None].expand(-1, len(view))
        reached = torch.zeros_like(out).scatter_reduce_(0, index, opened[topic], "amax") > 0
        cosine = (facts.vectors @ view.vectors.T).double()
        return torch.where(reached, cosine, out)

    def _forest(self, view: QueryView, facts: FactIndex) -> Forest:
        vectors = facts.vectors.cpu().numpy().astype(np.float64)
        with view.indexed.watch("build"):
            by_entity: dict[int, list[int]] = {}
            for fact, entity in facts.ends.T.tolist():
                by_entity.setdefault(entity, []).append(fact)
            centroids: list[np.ndarray] = []
            entities: list[int] = []
            leaves: list[tuple[int, int]] = []
            for entity in sorted(by_entity):
                tree = grow_tree(entity, by_entity[entity], vectors, self.limit, self.sparse, self.similar)
                for topic in tree.topics:
                    leaves += [(len(centroids), row) for row in topic.rows]
                    centroids.append(topic.centroid)
                    entities.append(entity)
        place = view.device
        stacked = np.stack(centroids) if centroids else np.zeros((0, vectors.shape[1]))
        return Forest(
            torch.from_numpy(stacked).to(place),
            torch.tensor(entities, dtype=torch.int64, device=place),
            torch.tensor(leaves, dtype=torch.int64, device=place).reshape(-1, 2).T.contiguous(),
        )


class SecondQuery:
    """A fact search in two rounds: the second asks with the first's best facts too, in the time asked for.

    The second query's vector is the question's plus ``weight`` times the mean of the ``feedback`` best facts (Rocchio,
    1971). Where the question names a time, only facts dated inside it are found in the second round. Both rounds are
    fused by reciprocal rank. (A language model would write the second question.)

    Args:
        inner: the first round.
        feedback: best facts that are read.
        weight: of their mean.
        k: constant of the fusion.
    """

    def __init__(self, inner: FactSearch, feedback: int = 3, weight: float = 0.5, k: float = 60.0) -> None:
        self.inner, self.feedback, self.weight, self.k = inner, feedback, weight, k

    def search(self, view: QueryView, facts: FactIndex) -> Tensor:
        """Return the fused scores [F, Q]."""
        first = self.inner.search(view, facts)
        if not len(facts):
            return first
        best = torch.from_numpy(top_k(first.cpu().numpy(), self.feedback)).to(view.device)  # [b, Q]
        read = first.gather(0, best).isfinite().double()
        mean = (facts.vectors[best].double() * read[:, :, None]).sum(0) / read.sum(0).clamp_min(1)[:, None]
        asked = torch.nn.functional.normalize(view.vectors.double() + self.weight * mean, dim=1)
        second = facts.vectors.double() @ asked.T
        for q, query in enumerate(view.queries):
            inside = _inside(query, facts)
            if inside is not None:
                second[~inside.to(view.device), q] = float("-inf")
        return fused_ranks([first, second], self.k, (len(facts), len(view)), view.device)


def _inside(query: Query, facts: FactIndex) -> Tensor | None:
    """Which facts are dated inside the time that a question names; None where it names none or no fact lies there."""
    try:
        spans = [(found.start, found.end) for found in find_times(query.text, query.time)]
    except InputError:  # without dateparser no time is read
        return None
    if not spans:
        return None
    inside = [
        f.valid_from is not None and any(_bare(start) <= _bare(f.valid_from) < _bare(end) for start, end in spans)
        for f in facts.facts
    ]
    return torch.tensor(inside) if any(inside) else None


def _bare(time: datetime) -> datetime:
    return time.replace(tzinfo=None)
