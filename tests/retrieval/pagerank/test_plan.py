from __future__ import annotations

import pytest

pytest.importorskip("numba", reason="numba is not installed")

from memorai.retrieval.pagerank.plan import plan_of
from memorai.retrieval.pagerank.walk import prepare
from tests.retrieval.pagerank.graphs import convert, random_blocks, random_restart


def test_a_plan_is_made_once_for_new_factors_on_the_same_blocks():
    blocks, nodes = random_blocks(1, (6, 9, 2), 20, 3)
    restart = random_restart(1, nodes, 3)
    first = plan_of(prepare(blocks, restart))
    assert plan_of(prepare(convert(blocks, lambda factor: factor * 2), restart)) is first
    # one that no longer shares its factors has other slots, and so another plan
    assert plan_of(prepare(blocks[:3], restart)) is not first
