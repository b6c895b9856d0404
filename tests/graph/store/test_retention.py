from __future__ import annotations

import math

import pytest

from memorai.errors import InputError
from memorai.graph.store.database import Database
from memorai.graph.store.retention import DAY, Fading, retention_of, touch, traces
from memorai.graph.store.users import find_user
from tests.memories import Clock, opened, said


def test_what_is_left_by_hand():
    assert retention_of(0, 7.0, 0) == 1.0
    assert retention_of(0, 7.0, 7 * DAY) == pytest.approx(1 / math.e)
    assert retention_of(0, 14.0, 7 * DAY) == pytest.approx(math.exp(-0.5))
    assert retention_of(5 * DAY, 7.0, 0) == 1.0  # a clock that went back
    assert retention_of(0, 1e-9, 10**9 * DAY) == 0.0


def test_strength_grows_and_stays_finite():
    assert Fading(7.0, 1.5).grown(7.0, 1) == pytest.approx(10.5)
    assert Fading(7.0, 1.5).grown(7.0, 3) == pytest.approx(7 * 1.5**3)
    assert Fading(7.0, 1.0).grown(7.0, 1000) == 7.0
    assert Fading(7.0, 1e300).grown(1e7, 1000) == 1e8
    assert Fading(1e9, 2.0).grown(1e9, 1) == 1e9
    for wrong in ((0, 1.5), (math.inf, 1.5), (7, 0.5), (7, math.inf)):
        with pytest.raises(InputError, match="retention"):
            Fading(*wrong)


def test_retrievals_add_up_and_pass_over_what_is_gone(tmp_path):
    fading = Fading(7.0, 2.0)
    with opened(tmp_path / "m", clock=Clock()) as memory:
        memory.add([said("One.", id="1"), said("Two.", id="2")])
    database = Database(tmp_path / "m")
    with database.write() as connection:
        user = find_user(connection, "ann")
        before = traces(connection, user, fading)
        later = before[1].accessed + DAY
        touch(connection, user, {1: (1, later), 99: (1, later)}, fading)
        touch(connection, user, {1: (2, later - DAY), 2: (1, later)}, fading)
        found = traces(connection, user, fading)
        assert {n: (trace.accessed, trace.strength) for n, trace in found.items()} == {
            1: (later, 56.0),
            2: (later, 14.0),
        }
        assert traces(connection, user, fading, only=2) == {2: found[2]}
    database.close()
