from __future__ import annotations

import math

from memorai.retrieval.named import NamedRestart, named_entities, named_or_nearest
from tests.toys import TableEmbedder, toy_view

VECTORS = {"puppy": (1, 0), "Rex": (0, 1), "Rome": (1, 1), "Where is Rex in Rome?": (0, 1), "Well?": (1, 0.1)}


def test_a_name_counts_by_how_rare_it_is():
    view = toy_view(TableEmbedder(VECTORS), ["Where is Rex in Rome?", "Well?"])
    named = named_entities(view)
    # puppy in one turn of five, Rex and Rome in two
    assert named[:, 0].tolist() == [0, math.log1p(5 / 2), math.log1p(5 / 2)]
    assert named[:, 1].tolist() == [0, 0, 0]


def test_where_nothing_is_named_the_nearest_entity_stands_in():
    view = toy_view(TableEmbedder(VECTORS), ["Where is Rex in Rome?", "Well?"])
    found = named_or_nearest(view) > 0
    assert found.T.tolist() == [[False, True, True], [True, False, False]]


def test_the_restart_is_even_or_by_rarity_and_inside_the_mask():
    view = toy_view(TableEmbedder(VECTORS), ["Where is Rex in Rome?"])
    mask = view.everything()
    assert NamedRestart().mass(view, mask)[:, 0].tolist()[:3] == [0, 1, 1]
    assert NamedRestart(specific=True).mass(view, mask)[1, 0] == math.log1p(2.5)
    mask[1] = False
    assert NamedRestart().mass(view, mask)[:, 0].tolist()[:3] == [0, 0, 1]
