from __future__ import annotations

import numpy as np
import pytest

from memorai.retrieval.neighbours import Sessions
from tests.toys import TURNS


def test_shifts_stay_inside_their_session_and_pools_cover_it():
    sessions = Sessions.of(TURNS)  # three turns, then two
    values = np.array([1.0, 5.0, 2.0, 7.0, 4.0])
    assert sessions.number.tolist() == [0, 0, 0, 1, 1]
    assert sessions.place.tolist() == [0, 1, 2, 0, 1]
    assert sessions.shifted(values, 1).tolist() == [5, 2, 0, 4, 0]
    assert sessions.shifted(values, -2, outside=-1).tolist() == [-1, -1, 1, -1, -1]
    assert sessions.shifted(values, 9).tolist() == [0, 0, 0, 0, 0]
    assert sessions.maximum(values).tolist() == [5, 5, 5, 7, 7]
    assert sessions.mean(np.stack([values, -values], 1))[:, 1] == pytest.approx([-8 / 3] * 3 + [-5.5] * 2)


def test_no_turns():
    sessions = Sessions.of(())
    empty = np.zeros((0, 2))
    assert all(len(f) == 0 for f in (sessions.shifted(empty, 1), sessions.maximum(empty), sessions.mean(empty)))
