from __future__ import annotations

import math
from datetime import datetime

import pytest

from memorai.retrieval.chronology import Chronological, Retention
from memorai.retrieval.indexed import QueryView
from memorai.types import Query
from tests.toys import toy_view


def test_in_order_and_newest_first():
    view = toy_view(texts=["a", "b"])
    assert Chronological().score(view)[:, 1].argsort(descending=True).tolist() == [0, 1, 2, 3, 4]
    assert Chronological(newest_first=True).score(view)[:, 0].argsort(descending=True).tolist() == [4, 3, 2, 1, 0]


def test_forgetting_counts_from_the_last_turn_or_from_the_question():
    view = toy_view()  # sessions on 2 and 3 May
    assert Retention(2.0).score(view)[:, 0].tolist() == pytest.approx([math.exp(-0.5)] * 3 + [1, 1])
    asked = QueryView(view.indexed, [Query("q", "?", datetime(2024, 5, 7))])
    assert Retention(5.0).score(asked)[:, 0].tolist() == pytest.approx([math.exp(-1)] * 3 + [math.exp(-0.8)] * 2)
    before = QueryView(view.indexed, [Query("q", "?", datetime(2024, 5, 1))])
    assert Retention().score(before)[:, 0].tolist() == [1] * 5


@pytest.mark.parametrize("days", [0, -1, float("inf"), True])
def test_strength_is_a_positive_number(days):
    with pytest.raises(ValueError, match="strength_days"):
        Retention(days)
