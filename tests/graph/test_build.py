from __future__ import annotations

import pytest

from memorai.graph.build import build_graph
from memorai.graph.schema import MENTIONED_IN, NEXT, PART_OF, RELATION
from memorai.types import Conversation, Session, Turn
from memorai.write.extraction import Extraction, Mention, RelationMention
from memorai.write.lexical import LexicalExtractor
from memorai.write.segment import SessionSegmenter
from memorai.write.stems import StemExtractor
from tests.toys import CONVERSATION, toy_graph


def pairs(graph, edge_type):
    return list(map(tuple, graph.edges[edge_type].index.T.tolist()))


def test_nodes_and_edges_by_hand():
    graph = toy_graph()
    assert [e.key for e in graph.entities] == ["puppy", "rex", "rome"]
    assert pairs(graph, MENTIONED_IN) == [(0, 0), (1, 2), (2, 3), (1, 4), (2, 4)]
    assert graph.edges[MENTIONED_IN].weight.tolist() == [2, 1, 1, 1, 1]
    assert pairs(graph, PART_OF) == [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)]
    assert pairs(graph, RELATION) == [(1, 2)]
    # neighbours inside a session only: t3 and t4 are not linked
    assert pairs(graph, NEXT) == [(0, 1), (1, 2), (3, 4)]
    assert graph.statistics()["edges_mentioned_in"] == 5


def test_every_entity_relation_and_snippet_lists_its_turns():
    graph = toy_graph()
    known = {turn.id for turn in graph.turns}
    for item in (*graph.entities, *graph.relations, *graph.snippets):
        assert item.turn_ids and set(item.turn_ids) <= known
    assert {e.key: e.turn_ids for e in graph.entities}["rex"] == ("t3", "t5")


def build(*mentions, relations=()):
    segments = SessionSegmenter().segment(CONVERSATION)
    return build_graph(CONVERSATION, segments, Extraction(mentions, tuple(relations)), lambda name, turns: name)


def test_a_repeated_mention_is_one_edge_with_the_larger_weight():
    graph = build(Mention("rex", "Rex", "t3", 1.0), Mention("rex", "rex", "t3", 3.0))
    assert graph.edges[MENTIONED_IN].weight.tolist() == [3.0]
    assert graph.entities[0].name == "Rex"


def test_equal_relations_merge_and_keep_all_sources():
    graph = build(
        Mention("ann", "Ann", "t1"),
        Mention("rex", "Rex", "t3"),
        relations=[
            RelationMention("ann", "owns", "rex", ("t1",)),
            RelationMention("ann", "owns", "rex", ("t3", "t1")),
            RelationMention("rex", "owns", "ann", ("t5",)),
        ],
    )
    assert [(r.source, r.target, r.turn_ids) for r in graph.relations] == [
        ("ann", "rex", ("t1", "t3")),
        ("rex", "ann", ("t5",)),
    ]


def test_a_relation_of_an_unmentioned_entity_is_refused():
    with pytest.raises(ValueError, match="no turn mentions 'rex'"):
        build(Mention("ann", "Ann", "t1"), relations=[RelationMention("ann", "owns", "rex", ("t1",))])


def test_nothing_extracted_still_gives_turns_and_snippets():
    graph = build()
    assert graph.sizes == {"entity": 0, "turn": 5, "snippet": 2}
    assert graph.edges[RELATION].index.shape == (2, 0)


def test_edges_grow_linearly_with_the_conversation():
    """No quadratic synonymy or co-occurrence edges: twice the turns, at most 1.3 times twice the edges."""

    def edges(turns: int) -> int:
        words = ["cello", "bakery", "puppy", "Rome", "garden", "violin", "beach"]
        said = [
            Turn(f"t{i}", f"s{i // 20}", "Ann" if i % 2 else "Bob", f"I saw the {words[i % 7]} near house {i}.")
            for i in range(turns)
        ]
        sessions = tuple(Session(f"s{k}", tuple(said[20 * k : 20 * k + 20])) for k in range(turns // 20))
        conversation = Conversation("c", sessions)
        segments = SessionSegmenter().segment(conversation)
        total = 0
        for extractor in (LexicalExtractor(), StemExtractor()):
            graph = build_graph(conversation, segments, extractor.extract(segments, "en"))
            total += sum(edges.index.shape[1] for edges in graph.edges.values())
        return total

    assert edges(400) <= 2 * 1.3 * edges(200)
