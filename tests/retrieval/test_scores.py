from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from memorai.retrieval.scores import Dense, Lexical, RandomScores, ReciprocalRankFusion, ZScoreSum, z_score
from tests.toys import TURNS, TableEmbedder, toy_view


class Fixed:
    def __init__(self, *columns: list[float]) -> None:
        self.scores = torch.tensor(columns, dtype=torch.float64).T

    def score(self, view):
        return self.scores


def test_dense_is_the_cosine():
    vectors = {t.text: [1.0, 0.0] for t in TURNS} | {TURNS[3].text: [3.0, 4.0], "Which city?": [0.0, 2.0]}
    assert Dense().score(toy_view(TableEmbedder(vectors)))[:, 0].tolist() == pytest.approx([0, 0, 0, 0.8, 0])


def test_an_embedder_that_does_not_know_the_language_is_silent_where_asked():
    vectors = {t.text: [1.0, 0.0] for t in TURNS} | {"Which city?": [1.0, 1.0]}
    english, chinese = (toy_view(TableEmbedder(vectors), language=code) for code in ("en", "zh"))
    assert (Dense(fluent_only=True).score(english) > 0.7).all()
    assert (Dense(fluent_only=True).score(chinese) == 0).all()
    assert (Dense().score(chinese) > 0.7).all()


def test_only_the_roles_asked_for_are_embedded():
    roles = ["user", "assistant", None, "assistant", "user"]
    turns = tuple(replace(turn, role=role) for turn, role in zip(TURNS, roles, strict=True))
    # the table has no assistant's turn: it may not be asked for
    vectors = {turns[i].text: v for i, v in ((0, [1.0, 0.0]), (2, [0.0, 1.0]), (4, [3.0, 4.0]))}
    view = toy_view(TableEmbedder(vectors | {"Which city?": [0.0, 2.0]}))
    view.graph = view.indexed.graph = replace(view.graph, turns=turns)
    assert Dense(roles=["user"]).score(view)[:, 0].tolist() == pytest.approx([0, 0.6, 1, 0.6, 0.8])
    assert Dense(roles=["user"]).model_id != Dense().model_id


def test_lexical_finds_the_word_and_nothing_else():
    scores = Lexical().score(toy_view(texts=["Rome?"]))[:, 0]
    assert (scores > 0).tolist() == [False, False, False, True, True]


def test_random_depends_on_seed_query_and_turn_only():
    view = toy_view(texts=["a", "b"])
    scores = RandomScores(seed=1).score(view)
    assert torch.equal(scores, RandomScores(seed=1).score(toy_view(texts=["a", "b"])))
    assert not torch.equal(scores, RandomScores(seed=2).score(view))
    assert len(set(scores.flatten().tolist())) == 10
    assert ((scores >= 0) & (scores < 1)).all()


def test_z_score_by_hand_and_constant_columns():
    scored = z_score(torch.tensor([[1.0, 5.0], [3.0, 5.0]], dtype=torch.float64))
    assert scored.tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    # a constant whose mean is not exactly representable stays a constant
    assert z_score(torch.full((3, 1), 0.1, dtype=torch.float64)).tolist() == [[0.0]] * 3
    assert z_score(torch.zeros(0, 2)).shape == (0, 2)


def test_z_score_sum_weights_its_parts():
    view = toy_view()
    a, b = Fixed([0, 0, 0, 0, 1]), Fixed([1, 0, 0, 0, 0])
    # z of one hit in five is 2 for the hit and -0.5 elsewhere
    assert ZScoreSum([a, b], [1.0, 0.5]).score(view)[:, 0].tolist() == pytest.approx([0.5, -0.75, -0.75, -0.75, 1.75])
    with pytest.raises(ValueError, match="1 weights for 2 scorers"):
        ZScoreSum([a, b], [1.0])


def test_reciprocal_rank_fusion_by_hand_with_ties():
    view = toy_view()
    fused = ReciprocalRankFusion([Fixed([5, 4, 4, 2, 1]), Fixed([0, 0, 0, 0, 9])], k=60).score(view)[:, 0]
    assert fused.tolist() == pytest.approx(
        [1 / 61 + 1 / 62, 1 / 62 + 1 / 62, 1 / 62 + 1 / 62, 1 / 64 + 1 / 62, 1 / 65 + 1 / 61]
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e308, "1", None, True])
def test_weights_of_a_fusion_are_finite_numbers(bad):
    with pytest.raises(ValueError, match="of the scorers is not a finite number"):
        ZScoreSum([Dense(), Lexical()], [bad, 1.0])


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "60", None])
def test_the_constant_of_rank_fusion_is_a_finite_number(bad):
    with pytest.raises(ValueError, match="is not a finite number >= 0"):
        ReciprocalRankFusion([Dense()], k=bad)
