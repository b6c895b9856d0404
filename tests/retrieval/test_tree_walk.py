from __future__ import annotations

from datetime import datetime

from memorai.retrieval.facts import Fact, FactIndex
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.tree_walk import SecondQuery, TreeWalk
from memorai.types import Query
from tests.toys import TableEmbedder, toy_view

INF = float("-inf")
VECTORS = {
    **{"food 1": (1, 0), "food 2": (0.99, 0.1), "walk 1": (0, 1), "walk 2": (0.1, 0.99), "city": (1, 1)},
    **{"Does Rex eat?": (1, 0.05), "What did Rex do in May 2024?": (1, 0.05)},
}
FACTS = (
    Fact("food 1", (0,), (1,), datetime(2023, 1, 1)),
    Fact("walk 1", (1,), (1,), datetime(2024, 5, 3)),
    Fact("food 2", (2,), (1,), datetime(2024, 5, 9)),
    Fact("walk 2", (3,), (1,), datetime(2023, 1, 1)),
    Fact("city", (4,), (2,), datetime(2024, 5, 9)),
)


def seen(text: str) -> tuple[QueryView, FactIndex]:
    view = toy_view(TableEmbedder(VECTORS), [text])
    return view, FactIndex(view.indexed, FACTS)


def test_only_the_nearest_topic_of_the_named_root_is_opened():
    scores = TreeWalk(topics=1, limit=2, sparse=1).search(*seen("Does Rex eat?"))[:, 0]
    assert [value == INF for value in scores.tolist()] == [False, True, False, True, True]
    every = TreeWalk(topics=5, limit=2, sparse=1).search(*seen("Does Rex eat?"))[:, 0]
    assert [value == INF for value in every.tolist()] == [False, False, False, False, True]


def test_the_second_query_keeps_to_the_time_asked_for():
    view, facts = seen("What did Rex do in May 2024?")
    view = QueryView(view.indexed, [Query("q", "What did Rex do in May 2024?", datetime(2024, 6, 1))])
    first = TreeWalk(topics=1, limit=2, sparse=1)
    once, twice = first.search(view, facts)[:, 0], SecondQuery(first).search(view, facts)[:, 0]
    assert once.argmax() == 0  # by words and topic alone
    assert twice.argmax() == 2  # of the two, the one of May 2024
    assert twice[3] == INF and twice[4] > INF


def test_without_a_time_the_second_query_finds_every_fact():
    assert (SecondQuery(TreeWalk()).search(*seen("Does Rex eat?")) > INF).all()
