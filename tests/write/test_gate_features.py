from __future__ import annotations

import numpy as np

from memorai.types import Turn
from memorai.write.gate_features import FEATURES, features, inputs

TURNS = (
    Turn("a", "s1", "Ann", "Did you go to Rome?"),
    Turn("b", "s1", "Bob", "Yes! I visited Rome in 2019."),
    Turn("c", "s2", "Bob", "Look", caption="a kite", role="user"),
)
VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)


def value(row: int, name: str) -> float:
    return float(features(TURNS, VECTORS)[row, FEATURES.index(name)])


def test_values_by_hand():
    assert value(0, "ends_in_question") == 1 and value(1, "ends_in_question") == 0
    assert value(1, "digit") == 1 and value(0, "digit") == 0
    assert np.isclose(value(1, "log_words"), np.log1p(6))
    assert np.isclose(value(1, "log_names"), np.log1p(1))
    assert np.isclose(value(1, "log_past"), np.log1p(1))
    assert value(1, "opens_with_marker") == 1
    assert value(2, "caption") == 1 and value(2, "is_user") == 1
    assert np.isclose(value(1, "cosine_previous"), 0.6)
    assert value(1, "speaker_changed") == 1


def test_the_context_is_the_session():
    assert value(1, "previous_ends_in_question") == 1
    assert value(2, "previous_digit") == 0 and value(2, "first") == 1 and value(2, "cosine_previous") == 0
    assert inputs(TURNS, VECTORS, True)[:, 2:4].tolist() == [[0, 0], [1, 0], [0, 0]]


def test_a_row_does_not_change_when_the_conversation_goes_on():
    whole = inputs(TURNS, VECTORS, True)
    for n in range(1, 4):
        assert np.array_equal(inputs(TURNS[:n], VECTORS[:n], True), whole[:n])


def test_shapes():
    assert features((), np.zeros((0, 2), np.float32)).shape == (0, len(FEATURES))
    assert inputs(TURNS, VECTORS, False).shape == (3, 2 + len(FEATURES))
    assert len(set(FEATURES)) == len(FEATURES)
