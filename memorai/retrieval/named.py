"""Entities that a question names: the seeds of systems that start from keywords instead of vectors."""

from __future__ import annotations

import torch
from torch import Tensor

from memorai.graph.schema import ENTITY
from memorai.index.normalize import normalize
from memorai.retrieval.indexed import IndexedGraph, QueryView

#: names of one character in a script with blanks ("I", "a") name nothing
_SHORTEST = 2


def named_entities(view: QueryView) -> Tensor:
    """Return how specifically a query names each entity: float64 [n_entity, Q], 0 where it does not.

    A query names an entity if it holds all terms of its name (stemmed, stop words out), or, in a script without blanks,
    the name itself. The value is the idf of the entity in the turns, so that a place weighs more than who speaks.
    """
    return view.kept("named entities", lambda: _named(view))


def named_or_nearest(view: QueryView) -> Tensor:
    """Return `named_entities`, and where a query names none the cosine of the nearest entity: [n_entity, Q]."""
    named = named_entities(view)
    if not named.shape[0]:
        return named
    silent = named.sum(0) == 0
    if not bool(silent.any()):
        return named
    cosine = view.similarity(ENTITY)
    best = cosine.argmax(0, keepdim=True)
    nearest = torch.zeros_like(named).scatter_(0, best, cosine.gather(0, best).clamp_min(1e-6))
    return torch.where(silent, nearest, named)


def entity_terms(indexed: IndexedGraph) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each entity's folded name and the terms of it."""

    def build() -> tuple[tuple[str, frozenset[str]], ...]:
        tokenizer = indexed.lexical.tokenizer
        return tuple(
            (normalize(entity.name), frozenset(tokenizer(entity.name, indexed.language)))
            for entity in indexed.graph.entities
        )

    return indexed.kept("entity terms", build)


def _named(view: QueryView) -> Tensor:
    indexed = view.indexed
    entities = entity_terms(indexed)
    named = torch.zeros(len(entities), len(view), dtype=torch.float64)
    count = torch.tensor([len(entity.turn_ids) for entity in view.graph.entities], dtype=torch.float64)
    idf = torch.log1p(len(view.graph.turns) / count) if len(entities) else count
    by_term: dict[str, list[int]] = {}
    for i, (_, terms) in enumerate(entities):
        for term in sorted(terms):
            by_term.setdefault(term, []).append(i)
    unspaced = [i for i, (name, _) in enumerate(entities) if name and ord(name[0]) >= 0x2E80]
    for q, query in enumerate(view.queries):
        text = normalize(query.text)
        terms = frozenset(indexed.lexical.tokenizer(query.text, indexed.language))
        found = {i for term in terms for i in by_term.get(term, ()) if entities[i][1] <= terms}
        found -= {i for i in found if len(entities[i][0]) < _SHORTEST and i not in unspaced}
        found |= {i for i in unspaced if entities[i][0] in text}
        rows = sorted(found)
        named[rows, q] = idf[rows]
    return named.to(view.device)


class NamedRestart:
    """All restart mass on the entities that the query names; where it names none, on the nearest by cosine.

    Args:
        specific: weigh them by idf; else each the same, as fast-graphrag does.
    """

    def __init__(self, specific: bool = False) -> None:
        self.specific = specific

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return entity mass [N, Q] inside the mask."""
        restart = view.zeros()
        named = named_or_nearest(view)
        restart[view.graph.rows(ENTITY)] = named if self.specific else (named > 0).double()
        return restart * mask
