from __future__ import annotations

import numpy as np
import pytest

from memorai.report.explain.schemes import schemes_of, walk_of
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.restart import CosineRestart, UniformRestart
from memorai.retrieval.retrievers import PageRankRetriever
from memorai.retrieval.subgraph import FacetSeeds, FacetSubgraph, FullGraph
from memorai.retrieval.synonyms import SynonymWeights
from memorai.retrieval.transforms import Floor
from memorai.retrieval.weights import CosineWeights, StaticWeights, UniformWeights
from tests.toys import toy_view

TYPES = {"relation": 1.0, "mentioned_in": 0.5, "part_of": 2.0, "next": 1.0}
WEIGHTERS = {
    "query": CosineWeights(TYPES, transform=Floor(0.1)),
    "static": StaticWeights(TYPES, "uniform"),
    "uniform": UniformWeights(TYPES, "none"),
}


def retriever(weights, damping=0.7, subgraph=None, restart=None) -> PageRankRetriever:
    parts = subgraph or FullGraph(), restart or CosineRestart()
    return PageRankRetriever(*parts, weights, damping, tol=1e-12, max_iter=2000)


def turn_scores(view: QueryView, found: PageRankRetriever) -> np.ndarray:
    return found.retrieve(view).scores[:, 0].numpy()


@pytest.mark.parametrize("own", WEIGHTERS)
@pytest.mark.parametrize("subgraph", [FullGraph(), FacetSubgraph(FacetSeeds(1, 1, 0))], ids=["full", "facets"])
def test_every_scheme_and_damping_scores_as_the_retriever_would(own, subgraph):
    view = toy_view(texts=("Which city did Bob move to, Rome?",))
    weights = WEIGHTERS[own]
    walk, rows = walk_of(retriever(weights, subgraph=subgraph), view)
    assert (walk.scheme, walk.damping, set(walk.weights)) == (own, 0.7, {"query", "static", "uniform"})
    others = {
        "query": CosineWeights(TYPES, weights.reverse),
        "static": StaticWeights(TYPES, weights.reverse),
        "uniform": UniformWeights(TYPES, weights.reverse),
        own: weights,
    }
    number = {int(row): i for i, row in enumerate(rows)}
    offset = view.graph.offsets["turn"]
    for scheme, weighter in others.items():
        for damping in (0.0, 0.3, 0.7, 0.95):
            wanted = turn_scores(view, retriever(weighter, damping, subgraph))
            found = walk.solve(damping, scheme).scores
            for turn, score in enumerate(wanted):
                if offset + turn in number:
                    assert found[number[offset + turn]] == pytest.approx(score, abs=1e-9)
                else:
                    assert score == -np.inf


def test_a_relation_keeps_its_words_and_its_kind():
    walk, _ = walk_of(retriever(WEIGHTERS["uniform"]), toy_view())
    (edge,) = walk.texts
    assert walk.texts[edge] == "loves" and walk.kinds[walk.kind[edge]] == "relation"


def test_a_restart_of_nothing_is_the_engines_fallback():
    view = toy_view()

    class Nothing(UniformRestart):
        def mass(self, view, mask):
            return view.zeros()

    made = retriever(WEIGHTERS["static"], restart=Nothing())
    walk, rows = walk_of(made, view)
    turns = view.graph.rows("turn")
    assert walk.restart == pytest.approx(np.full(len(rows), 1 / len(rows)))
    assert walk.solve().scores[turns] == pytest.approx(turn_scores(view, made), abs=1e-9)


def test_another_weighter_stands_alone():
    synonyms = SynonymWeights(StaticWeights(TYPES), threshold=0.01)
    assert schemes_of(synonyms) == ("own", {"own": synonyms})
    view = toy_view()
    made = retriever(synonyms)
    walk, _ = walk_of(made, view)
    assert walk.scheme == "own" and "other" in walk.kinds
    assert walk.solve().scores[view.graph.rows("turn")] == pytest.approx(turn_scores(view, made), abs=1e-9)
