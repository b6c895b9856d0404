from __future__ import annotations

from memorai.retrieval.distance import GraphDistance
from tests.toys import TableEmbedder, toy_view


def test_steps_from_what_the_question_names():
    embedder = TableEmbedder({})
    view = toy_view(embedder, ["Tell me of the puppy and of Rex", "Is Rome old?"])
    # puppy and Rex: t1, t3, t5 at one step; Rome by Rex's relation, then t4 at two; t2 mentions nothing: beyond three
    assert GraphDistance(3).score(view)[:, 0].tolist() == [1 / 2, 1 / 5, 1 / 2, 1 / 3, 1 / 2]
    # Rome: t4, t5 at one; Rex at one, t3 at two; puppy never
    assert GraphDistance(3).score(view)[:, 1].tolist() == [1 / 5, 1 / 5, 1 / 3, 1 / 2, 1 / 2]
