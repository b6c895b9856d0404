from __future__ import annotations

import numpy as np
import pytest
import torch

from memorai.errors import InputError
from memorai.retrieval.rank import rank
from memorai.retrieval.rerank import CrossEncoderReranker, NoReranker
from memorai.retrieval.retrievers import Retrieved
from tests.toys import toy_view

#: what the cross-encoder thinks of t1 .. t5, whatever is asked
LOGITS = {"t1": -3.0, "t2": 4.0, "t3": 1.0, "t4": 0.0, "t5": 9.0}
IDS = list(LOGITS)


class Table:
    """Knows the logits of turns by id, and remembers the pairs."""

    name, languages = "table", ("en",)

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def score(self, pairs) -> np.ndarray:
        self.pairs += pairs
        return np.array([LOGITS[document] for _, document in pairs], np.float32)


def reranker(**options) -> CrossEncoderReranker:
    return CrossEncoderReranker(Table(), lambda turns, place: turns[place].id, **options)


def retrieved(*columns: list[float]) -> Retrieved:
    return Retrieved(torch.tensor(columns, dtype=torch.float64).T, [{"engine": "x"} for _ in columns])


def order(found: Retrieved, view) -> list[tuple[str, ...]]:
    return [ranking.ids for ranking in rank(view, found, 5)]


def test_the_first_turns_are_read_again_and_the_rest_follows_in_its_order() -> None:
    view = toy_view(texts=["a", "b"])
    stage = reranker(depth=2, alpha=0.0)
    found = stage.rerank(view, retrieved([0.4, 0.3, 0.15, 0.1, 0.05], [0.1, 0.2, 0.3, 0.35, 0.05]))
    assert order(found, view) == [("t2", "t1", "t3", "t4", "t5"), ("t3", "t4", "t2", "t1", "t5")]
    assert stage.cross_encoder.pairs == [("a", "t1"), ("a", "t2"), ("b", "t4"), ("b", "t3")]
    assert found.info[0] == {"engine": "x", "reranked": 2}
    assert found.scores[:, 0].tolist() == pytest.approx([-3, 4, -4, -4.05, -4.1])


def test_the_prior_is_the_z_scored_logarithm() -> None:
    view = toy_view()
    scores = [0.4, 0.2, 0.2, 0.1, 0.1]
    log = np.log(scores)
    expected = np.array(list(LOGITS.values())) + 2.5 * (log - log.mean()) / log.std()
    found = reranker(alpha=2.5).rerank(view, retrieved(scores))
    np.testing.assert_allclose(found.scores[:, 0], expected)
    plain = reranker(alpha=2.5, prior="score").rerank(view, retrieved(scores))
    expected = np.array(list(LOGITS.values())) + 2.5 * (np.array(scores) - 0.2) / np.std(scores)
    np.testing.assert_allclose(plain.scores[:, 0], expected)


def test_a_turn_without_mass_ranks_with_the_last_that_has_some() -> None:
    scores = [0.8, 0.2, 0.0, 0.0, 0.0]
    log = np.log([0.8, 0.2, 0.2, 0.2, 0.2])
    found = reranker(alpha=1.0).rerank(toy_view(), retrieved(scores))
    np.testing.assert_allclose(found.scores[:, 0], list(LOGITS.values()) + (log - log.mean()) / log.std())
    nothing = reranker(alpha=1.0).rerank(toy_view(), retrieved([0.0] * 5))
    assert nothing.scores[:, 0].tolist() == list(LOGITS.values())


def test_what_was_not_retrieved_stays_so_and_is_not_read() -> None:
    view, inf = toy_view(texts=["a", "b", "c"]), float("-inf")
    stage = reranker(depth=4, alpha=0.0)
    columns = [0.4, inf, 0.2, inf, inf], [inf] * 5, [0.1, 0.3, inf, 0.2, 0.25]
    found = stage.rerank(view, retrieved(*columns))
    assert order(found, view) == [("t3", "t1"), (), ("t5", "t2", "t4", "t1")]
    assert [info["reranked"] for info in found.info] == [2, 0, 4]
    assert ("a", "t2") not in stage.cross_encoder.pairs


def test_a_depth_beyond_the_conversation_reads_every_turn() -> None:
    view = toy_view()
    found = reranker(depth=50, alpha=0.0).rerank(view, retrieved([0.2] * 5))
    assert order(found, view) == [("t5", "t2", "t3", "t4", "t1")]


def test_scores_that_were_given_are_not_changed() -> None:
    given = retrieved([0.4, 0.3, 0.15, 0.1, 0.05])
    reranker().rerank(toy_view(), given)
    assert given.scores[:, 0].tolist() == [0.4, 0.3, 0.15, 0.1, 0.05]


def test_a_language_that_the_model_does_not_know_keeps_its_ranking() -> None:
    view, given = toy_view(language="zh"), retrieved([0.4, 0.3, 0.15, 0.1, 0.05])
    stage = reranker()
    assert stage.rerank(view, given) is given and stage.cross_encoder.pairs == []


def test_none_changes_nothing() -> None:
    given = retrieved([0.4, 0.3, 0.15, 0.1, 0.05])
    assert NoReranker().rerank(toy_view(), given) is given


def test_its_time_is_counted_apart() -> None:
    view = toy_view()
    with view.indexed.watch("rank"):
        reranker().rerank(view, retrieved([0.2] * 5))
    assert set(view.indexed.watch.take()) == {"rank", "rerank"}


@pytest.mark.parametrize(
    "options",
    [
        {"depth": 0},
        {"depth": 2.5},
        {"depth": True},
        {"alpha": -1},
        {"alpha": float("nan")},
        {"alpha": "x"},
        {"prior": "z"},
    ],
)
def test_bad_values_are_told_at_once(options: dict) -> None:
    with pytest.raises(InputError, match=f"reranker {next(iter(options))}="):
        reranker(**options)
