"""On a real conversation's graph every exact engine ranks as the definition does, for all of its questions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from memorai.datasets.locomo import load_locomo
from memorai.graph.build import build_graph
from memorai.graph.schema import TURN
from memorai.index.lexical import BM25
from memorai.index.tokenize import Tokenizer
from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.pagerank import pagerank
from memorai.retrieval.restart import CosineRestart
from memorai.retrieval.subgraph import FacetSeeds, FacetSubgraph
from memorai.retrieval.weights import CosineWeights
from memorai.types import Query
from memorai.write.lexical import LexicalExtractor
from memorai.write.segment import SessionSegmenter
from tests.retrieval.pagerank.graphs import ITERATIVE, plain_power

TYPES = {"relation": 1.0, "mentioned_in": 1.0, "part_of": 1.0}


@pytest.fixture(scope="module")
def view() -> QueryView:
    path = Path(os.environ.get("MEMORAI_DATA") or "data") / "locomo" / "locomo10.json"
    if not path.exists():
        pytest.skip("locomo/locomo10.json is not under MEMORAI_DATA")
    conversation = load_locomo(path).conversations[0]
    segments = SessionSegmenter().segment(conversation)
    graph = build_graph(conversation, segments, LexicalExtractor().extract(segments, "en"), lambda name, turns: name)
    indexed = IndexedGraph(graph, HashingEmbedder(), BM25(Tokenizer()), lambda turn: turn.text)
    return QueryView(indexed, [Query(question.id, question.text) for question in conversation.questions])


@pytest.mark.data
@pytest.mark.parametrize("engine", [*ITERATIVE, "auto"])
@pytest.mark.parametrize("full", [True, False])
def test_the_top_50_of_every_question_are_those_of_the_plain_iteration(view, engine, full):
    mask = view.everything() if full else FacetSubgraph(FacetSeeds()).mask(view)
    blocks, restart = CosineWeights(TYPES).weights(view, mask), CosineRestart().mass(view, mask)
    expected = plain_power(blocks, restart, 0.85, steps=150)[view.graph.rows(TURN)]
    found = pagerank(blocks, restart, 0.85, tol=1e-8, max_iter=500, candidates=mask, engine=engine)
    assert found.converged.all()
    best = found.scores[view.graph.rows(TURN)].topk(50, dim=0).indices
    worst_of_best = torch.gather(expected, 0, best).amin(0)
    assert bool((worst_of_best >= expected.topk(50, dim=0).values[-1] - 1e-8).all())
