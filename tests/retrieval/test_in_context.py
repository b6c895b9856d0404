from __future__ import annotations

from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.in_context import ContextDense
from memorai.retrieval.scores import Dense
from tests.toys import toy_view


def test_a_window_ends_with_its_session():
    indexed = toy_view(HashingEmbedder(dim=32)).indexed
    assert ContextDense(2).texts(indexed) == [
        "I adopted a puppy.",
        "Ann: I adopted a puppy.\nWhat is its name?",
        "Ann: I adopted a puppy.\nBob: What is its name?\nHe is called Rex.",
        "I moved to Rome.",
        "Bob: I moved to Rome.\nRex loves Rome.",
    ]


def test_no_window_is_the_turn_alone():
    view = toy_view(HashingEmbedder(dim=32), ["Rex in Rome"])
    assert ContextDense(0).score(view).allclose(Dense().score(view))
    assert not ContextDense(1).score(view).allclose(Dense().score(view))
