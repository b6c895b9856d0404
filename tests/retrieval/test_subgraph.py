from __future__ import annotations

import pytest
import torch

from memorai.retrieval.subgraph import FacetSeeds, FacetSubgraph, FullGraph
from tests.toys import TURNS, TableEmbedder, toy_view

# entities 0 puppy, 1 rex, 2 rome; turns 3..7; snippets 8, 9
VECTORS = {
    "puppy": [1.0, 0.0],
    "Rex": [0.0, 1.0],
    "Rome": [-1.0, 0.0],
    "Rex loves Rome": [0.1, 1.0],
    "\n".join(t.text for t in TURNS[:3]): [1.0, 0.2],
    "\n".join(t.text for t in TURNS[3:]): [0.2, 1.0],
    "puppy?": [1.0, 0.0],
    "Rex?": [0.0, 1.0],
}


def nodes(mask: torch.Tensor, q: int = 0) -> list[int]:
    return mask[:, q].nonzero().flatten().tolist()


def view():
    return toy_view(TableEmbedder(VECTORS), texts=["puppy?", "Rex?"])


def test_each_facet_seeds_by_hand():
    assert nodes(FacetSeeds(1, 0, 0).seeds(view())) == [8]
    assert nodes(FacetSeeds(0, 1, 0).seeds(view())) == [0]
    # a relation seeds both its ends
    assert nodes(FacetSeeds(0, 0, 1).seeds(view())) == [1, 2]
    assert nodes(FacetSeeds(1, 1, 0).seeds(view()), 1) == [1, 9]
    assert nodes(FacetSeeds(50, 50, 50).seeds(view())) == [0, 1, 2, 8, 9]


def test_one_hop_follows_edges_both_ways():
    # puppy (0) is mentioned in t1 (3)
    assert nodes(FacetSubgraph(FacetSeeds(0, 1, 0), hops=1).mask(view())) == [0, 3]
    # two hops: t1 is part of s1 (8)
    assert nodes(FacetSubgraph(FacetSeeds(0, 1, 0), hops=2).mask(view())) == [0, 3, 8]
    # rex (1): t3, t5 and, over the relation, rome
    assert nodes(FacetSubgraph(FacetSeeds(0, 1, 0), hops=1).mask(view()), 1) == [1, 2, 5, 7]
    assert nodes(FacetSubgraph(FacetSeeds(0, 1, 0), hops=1, edges=["mentioned_in"]).mask(view()), 1) == [1, 5, 7]
    # neighbours only if asked for
    assert nodes(FacetSubgraph(FacetSeeds(1, 0, 0), hops=0).mask(view())) == [8]


def test_full_graph_is_everything():
    assert FullGraph().mask(view()).all()


def test_negative_numbers_are_refused():
    with pytest.raises(ValueError, match="k_entity=-1 is not a whole number"):
        FacetSeeds(k_entity=-1)
    with pytest.raises(ValueError, match="k_entity="):
        FacetSeeds(k_entity=1.5)
    with pytest.raises(ValueError, match="hops=-1"):
        FacetSubgraph(FacetSeeds(), hops=-1)
    for edges in (["foo"], "relation"):
        with pytest.raises(ValueError, match="known are relation"):
            FacetSubgraph(FacetSeeds(), edges=edges)
