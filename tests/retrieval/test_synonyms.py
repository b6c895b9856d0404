from __future__ import annotations

import pytest

from memorai.retrieval.synonyms import SynonymWeights
from memorai.retrieval.weights import UniformWeights
from tests.toys import TableEmbedder, toy_view

VECTORS = {"puppy": (1, 0), "Rex": (1, 0.1), "Rome": (0, 1), "Which city?": (1, 0)}


def test_alike_names_are_linked_both_ways_by_their_cosine():
    view = toy_view(TableEmbedder(VECTORS))
    blocks = SynonymWeights(UniformWeights({}), 0.8).weights(view, view.everything())
    assert [block.reverse for block in blocks] == [False, True]
    block = blocks[0].block
    assert (block.source.tolist(), block.target.tolist()) == ([0], [1])
    assert block.weight.tolist() == pytest.approx([1 / 1.01**0.5], abs=1e-6)
    assert view.embeds


def test_nothing_is_linked_below_the_threshold():
    view = toy_view(TableEmbedder(VECTORS))
    assert SynonymWeights(UniformWeights({}), 0.999).weights(view, view.everything()) == []


@pytest.mark.parametrize("bad", [{"threshold": 0}, {"threshold": 1.1}, {"neighbours": 0}, {"neighbours": True}])
def test_bad_values(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        SynonymWeights(UniformWeights({}), **bad)
