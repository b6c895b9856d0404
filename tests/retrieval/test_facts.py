from __future__ import annotations

from datetime import datetime

import torch

from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.facts import Fact, FactIndex, Sentences, Triples
from tests.toys import toy_graph, toy_view


def test_a_triple_is_a_fact_with_its_turns_and_ends():
    assert Triples().facts(toy_graph()) == (Fact("Rex loves Rome", (4,), (1, 2)),)


def test_sentences_are_statements_of_enough_words_about_what_they_name():
    found = Sentences(min_words=3).facts(toy_graph())
    # "What is its name?" asks; entities: 0 puppy, 1 Rex, 2 Rome
    assert [(f.text, f.turns, f.entities) for f in found] == [
        ("Ann: I adopted a puppy.", (0,), (0,)),
        ("Ann: He is called Rex.", (2,), (1,)),
        ("Bob: I moved to Rome.", (3,), (2,)),
        ("Ann: Rex loves Rome.", (4,), (1, 2)),
    ]
    assert found[0].valid_from == datetime(2024, 5, 2)
    assert [f.turns for f in Sentences(min_words=4).facts(toy_graph())] == [(0,), (2,), (3,)]


def test_a_turn_scores_its_best_fact_and_one_without_facts_is_not_found():
    indexed = toy_view().indexed
    facts = FactIndex(indexed, [Fact("a", (0, 1)), Fact("b", (1,)), Fact("c", (4,))])
    best = facts.best(torch.tensor([[1.0], [3.0], [2.0]], dtype=torch.float64))
    assert best[:, 0].tolist() == [1.0, 3.0, float("-inf"), float("-inf"), 2.0]
    assert facts.coverage() == 3


def test_entities_and_facts_are_one_incidence_both_ways():
    facts = FactIndex(toy_view().indexed, [Fact("a", (0,), (2, 2, 0)), Fact("b", (1,))])
    assert facts.about.to_dense().tolist() == [[1, 0, 1], [0, 0, 0]]
    assert facts.told_of.to_dense().tolist() == [[1, 0], [0, 0], [1, 0]]


def test_a_graph_reads_its_facts_once_for_equal_sources():
    indexed = toy_view(HashingEmbedder(dim=16)).indexed
    assert FactIndex.of(indexed, Triples()) is FactIndex.of(indexed, Triples())
    assert FactIndex.of(indexed, Sentences(3)) is not FactIndex.of(indexed, Sentences(4))
    assert FactIndex.of(indexed, Triples()).nbytes > 0
