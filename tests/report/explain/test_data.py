from __future__ import annotations

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.report.explain.data import Asked, Gold, Node, Ranked, check_sizes, explained, turn_node
from memorai.report.explain.walk import Walk
from memorai.types import Turn

#: t1 is the seed; t0 <- e <- t1 is the way to t0; s stands alone; e2 has more mass than t0
NODES = [Node(kind, name, name, "", ()) for kind, name in [("turn", "t0"), ("turn", "t1"), ("entity", "e"), ("x", "s")]]
WALK = Walk(
    source=np.array([1, 2]),
    target=np.array([2, 0]),
    kind=np.array([0, 0]),
    kinds=("k",),
    weights={"static": np.ones(2)},
    restart=np.array([0.0, 1.0, 0.0, 0.0]),
    damping=0.5,
    scheme="static",
    factor=np.array([9.0, 1.0, 1.0, 1.0]),
)


def test_what_is_asked_for_is_drawn_first_then_its_paths_then_the_rest_by_score():
    ranked, gold = [Ranked(1, "t1", 0.5, 1, False)], [Gold("t0", 2, 0), Gold("t9", None, None, "it is not there")]
    found = [explained(Asked("q", "?"), "x", NODES, ranked, gold, WALK, budget=budget) for budget in (1, 2, 3, 9)]
    assert [one.shown for one in found] == [(1,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]
    assert [dict(one.left_out) for one in found] == [
        {"turn": 1, "entity": 1, "x": 1},
        {"entity": 1, "x": 1},
        {"x": 1},
        {},
    ]
    # p = (1/7, 4/7, 2/7, 0): t1 = 1/2 + t0/2, e = t1/2, t0 = e/2
    assert found[0].solved.scores == pytest.approx([1 / 7, 4 / 7, 2 / 7, 0], abs=1e-12)
    assert [one.left_mass for one in found] == pytest.approx([3 / 7, 2 / 7, 0, 0], abs=1e-12)
    assert {node: path.nodes for node, path in found[0].paths.items()} == {1: (1,), 0: (1, 2, 0)}


def test_it_ranks_turns_with_their_factors():
    found = explained(Asked("q", "?"), "x", NODES, [], walk=WALK)
    assert [id_ for id_, _ in found.rerank()] == ["t0", "t1"]
    assert [score for _, score in found.rerank()] == pytest.approx([9 / 7, 4 / 7])
    assert found.rerank(0.0, "static") == [("t1", 1.0), ("t0", 0.0)]


def test_without_a_walk_nothing_is_ranked_again():
    with pytest.raises(InputError, match="bm25 does not walk"):
        explained(Asked("q", "?"), "bm25", NODES, []).rerank()


@pytest.mark.parametrize(("k", "nodes"), [(0, 1), (1, 0), (True, 1), (1.5, 1), (1, "9"), (-1, 5)])
def test_sizes_are_whole_numbers_from_one(k, nodes):
    with pytest.raises(InputError, match="whole number of at least 1"):
        check_sizes(k, nodes)


def test_a_turn_as_a_node():
    node = turn_node(Turn("t", "s", "Ann", "Look\nhere! " * 9, None, "a dog"), float("inf"), 2.0)
    assert node.text.endswith("[a dog]") and node.time == "" and node.cosine is None and node.bm25 == 2.0
    assert len(node.label) == 40 and node.label.startswith("Ann: Look here!") and node.label.endswith("…")
