from __future__ import annotations

import pytest

from memorai.retrieval.facts import Fact, FactIndex
from memorai.retrieval.triple_walk import TripleWalk
from tests.toys import TableEmbedder, toy_view

INF = float("-inf")
FACTS = (Fact("puppy is Rex", (0,), (0, 1)), Fact("Rex in Rome", (2,), (1, 2)), Fact("so it goes", (1,)))


def walk(text: str, **options) -> list[float]:
    view = toy_view(TableEmbedder({}), [text])
    return TripleWalk(**options).search(view, FactIndex(view.indexed, FACTS))[:, 0].tolist()


def test_one_hop_reaches_the_named_entity_two_hops_its_neighbour():
    assert walk("Whose puppy?", hops=1)[1:] == [INF, INF]
    near, far, nowhere = walk("Whose puppy?", hops=2)
    # the word "puppy" is in the first fact alone: twice its strength of 1; the second: (2 / 3) * 0.5
    assert (near, far, nowhere) == (pytest.approx(2), pytest.approx(1 / 3), INF)


@pytest.mark.parametrize("bad", [{"hops": 0}, {"width": 0}, {"decay": 0}, {"decay": 1.5}, {"hops": True}])
def test_bad_values(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        TripleWalk(**bad)
