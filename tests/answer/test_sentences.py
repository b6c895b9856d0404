from __future__ import annotations

import math

import numpy as np
import pytest

from memorai.answer.question import understand
from memorai.answer.sentences import (
    SENTENCE_FEATURES,
    TURN_FEATURES,
    ContextReader,
    Coverage,
    rarity,
    sentence_features,
    turn_features,
)


def test_rarity_counts_sentences(context) -> None:
    spoken = ContextReader().read(context("Ann: I paint. I paint lakes.", "Bo: Lakes!"), "en")
    weight = rarity(spoken)  # three sentences: paint in two, lakes in two
    assert weight["paint"] == pytest.approx(math.log1p(3 / 2))
    assert weight["lake"] == pytest.approx(math.log1p(3 / 2))


def test_coverage_is_a_share_and_unseen_terms_weigh_like_the_rarest(context) -> None:
    asked = understand("paint lake yacht", [])
    coverage = Coverage(asked, {"paint": 1.0, "lake": 2.0})
    assert coverage(frozenset(("paint",))) == pytest.approx(1 / 5)
    assert coverage(frozenset(("lake", "dog"))) == pytest.approx(2 / 5)
    assert coverage(asked.terms) == pytest.approx(1.0)
    assert Coverage(understand("", []), {})(frozenset(("x",))) == 0.0


def test_turn_features_by_hand(context) -> None:
    given = context("Bo: Do you paint?", "Ann: Yes. I began yesterday, with lakes.", best=(1, 0))
    asked = understand("When did Ann begin to paint?", ["Ann", "Bo"])
    spoken = ContextReader().read(given, "en")
    coverage = Coverage(asked, rarity(spoken))
    found = turn_features(asked, spoken, coverage)
    column = {name: found[:, place].tolist() for place, name in enumerate(TURN_FEATURES)}
    assert column["reciprocal_rank"] == [0.5, 1.0]
    assert column["log_rank"] == [math.log1p(1), 0.0]
    assert column["subject_speaks"] == [0.0, 1.0] and column["other_speaks"] == [1.0, 0.0]
    assert column["asks"] == [1.0, 0.0] and column["replies"] == [0.0, 1.0]
    assert column["states_time"] == [0.0, 1.0]
    assert column["short"] == [1.0, 0.0]  # four tokens with the mark
    assert column["covered_by_previous"] == [0.0, column["covered"][0]]
    own = sentence_features(asked, spoken[1], coverage)
    rows = {name: own[:, place].tolist() for place, name in enumerate(SENTENCE_FEATURES)}
    assert rows["first"] == [1.0, 0.0] and rows["short"] == [1.0, 0.0] and rows["states_time"] == [0.0, 1.0]
    assert rows["covered"][1] == pytest.approx(column["covered_by_sentence"][1])


def test_a_turn_without_a_word_has_no_sentence(context) -> None:
    spoken = ContextReader().read(context("Ann: ...", "Bo: Fine."), "en")
    assert [len(item.said) for item in spoken] == [0, 1]
    found = turn_features(understand("Who?", []), spoken, Coverage(understand("Who?", []), rarity(spoken)))
    assert np.isfinite(found).all()
