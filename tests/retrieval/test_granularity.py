from __future__ import annotations

import pytest

from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.granularity import GRANULARITIES, MultiGranularity
from tests.toys import toy_view


def test_memories_are_sessions_turns_summaries_and_keywords():
    view = toy_view(HashingEmbedder(dim=64), ["Who adopted a puppy?", "Rome"])
    retriever = MultiGranularity()
    memories = retriever._memories(view.indexed)
    assert memories.kind.tolist() == [0, 1, 1, 1, 2, 3, 0, 1, 1, 2, 3]
    assert memories.turn.tolist() == [-1, 0, 1, 2, -1, -1, -1, 3, 4, -1, -1]
    # links lead from the second session to the first
    assert int(memories.block.source.min()) >= 6 > int(memories.block.target.max())
    weights = retriever.route(view, memories)
    assert weights.shape == (4, 2) and weights.sum(0).tolist() == pytest.approx([1, 1])


def test_the_turn_that_says_it_comes_first_and_the_router_explains_itself():
    view = toy_view(HashingEmbedder(dim=64), ["I adopted a puppy."])
    found = MultiGranularity().retrieve(view)
    assert int(found.scores[:, 0].argmax()) == 0
    assert list(found.info[0]["granularity"]) == list(GRANULARITIES)


@pytest.mark.parametrize("bad", [{"seeds": 0}, {"candidates": 0}, {"temperature": 0}, {"damping": 1.0}])
def test_bad_values(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        MultiGranularity(**bad)
