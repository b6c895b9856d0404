from __future__ import annotations

import pytest

from memorai import timing
from memorai.timing import Stopwatch


def test_inner_stages_are_not_counted_twice(monkeypatch):
    clock = iter([0.0, 1.0, 4.0, 10.0])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    watch = Stopwatch()
    with watch("outer"), watch("inner"):
        pass
    assert watch.take() == pytest.approx({"inner": 3.0, "outer": 7.0})
    assert watch.take() == {}


def test_a_stage_that_raises_is_still_counted():
    watch = Stopwatch()
    with pytest.raises(KeyError), watch("failing"):
        raise KeyError
    assert list(watch.take()) == ["failing"]
