from __future__ import annotations

from datetime import datetime

import pytest
import torch

from memorai.retrieval.fact_search import (
    FactCosine,
    FactHops,
    FactLexical,
    FactRankFusion,
    FactScores,
    FactsOfNamed,
)
from memorai.retrieval.facts import Fact, FactIndex
from tests.toys import TableEmbedder, toy_view

INF = float("-inf")
#: facts along a chain of entities puppy - Rex - Rome, and one about nothing
CHAIN = (
    Fact("puppy is Rex", (0,), (0, 1)),
    Fact("Rex in Rome", (2,), (1, 2)),
    Fact("Rome is old", (3,), (2,)),
    Fact("so it goes", (1,)),
)
EMBEDDER = TableEmbedder(
    {
        "puppy is Rex": (1, 0),
        "Rex in Rome": (1, 1),
        "Rome is old": (0, 1),
        "so it goes": (-1, 0),
        "Which puppy?": (1, 0),
    }
)


class Given:
    """A search whose scores the test chooses."""

    def __init__(self, *scores: float) -> None:
        self.scores = scores

    def search(self, view, facts):
        return torch.tensor(self.scores, dtype=torch.float64)[:, None]


class Source:
    name = "chain"

    def __init__(self, *facts: Fact) -> None:
        self.given = facts

    def facts(self, graph):
        return self.given


@pytest.fixture
def seen():
    view = toy_view(EMBEDDER, ["Which puppy?"])
    return view, FactIndex(view.indexed, CHAIN)


def column(scores) -> list[float]:
    return [round(value, 4) for value in scores[:, 0].tolist()]


def test_cosine_and_its_limit(seen):
    assert column(FactCosine().search(*seen)) == [1.0, 0.7071, 0.0, -1.0]
    assert column(FactCosine(limit=2).search(*seen)) == [1.0, 0.7071, INF, INF]


def test_bm25_finds_only_what_shares_a_word(seen):
    scores = column(FactLexical().search(*seen))
    assert scores[0] > 0 and scores[1:] == [INF, INF, INF]


def test_hops_count_from_the_best_facts_entities(seen):
    # the best fact names puppy and Rex: its own facts at the first hop, Rome's at the second, the last never
    hops = FactHops([Given(1, INF, INF, INF)], k_origins=1, max_depth=3)
    assert column(hops.search(*seen)) == [-1, -1, -2, INF]
    assert column(FactHops([Given(1, INF, INF, INF)], k_origins=1, max_depth=1).search(*seen)) == [-1, -1, INF, INF]
    assert column(FactHops([Given(INF, INF, INF, INF)]).search(*seen)) == [INF] * 4


def test_facts_of_a_named_entity_alone(seen):
    assert column(FactsOfNamed(Given(5, 6, 7, 8)).search(*seen)) == [5, INF, INF, INF]


def test_fusion_adds_nothing_for_what_was_not_found(seen):
    fused = FactRankFusion([Given(9, 8, INF, INF), Given(INF, 3, 2, INF)], k=1).search(*seen)
    assert column(fused) == [0.5, round(1 / 3 + 1 / 2, 4), round(1 / 3, 4), INF]


def test_turns_get_their_best_fact_and_ended_ones_come_last():
    ended = Fact("Rome is old", (3,), (2,), None, datetime(2024, 1, 1))
    view = toy_view(EMBEDDER, ["Which puppy?"])
    source = Source(CHAIN[0], ended, CHAIN[1])
    plain = FactScores(source, Given(1, 3, 2)).score(view)
    assert column(plain) == [1, INF, 2, 3, INF]
    last = column(FactScores(source, Given(1, 3, 2), ended_last=True).score(view))
    assert last[3] < last[0] < last[2] and last[1] == INF


def test_no_fact_at_all_finds_nothing():
    view = toy_view(EMBEDDER, ["Which puppy?"])
    for search in (FactCosine(), FactLexical(), FactHops([FactCosine()]), FactsOfNamed(FactCosine())):
        assert column(FactScores(Source(), search).score(view)) == [INF] * 5


@pytest.mark.parametrize("limit", [0, -1, 1.5, True])
def test_a_limit_is_a_whole_number(limit):
    with pytest.raises(ValueError, match="limit"):
        FactCosine(limit)
