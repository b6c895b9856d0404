from __future__ import annotations

import pytest
import torch

from memorai.retrieval.pagerank import Block, WeightedBlock
from memorai.retrieval.pagerank.schedule import Schedule, is_reversible


def test_chebyshev_factors_by_hand():
    schedule = Schedule(0.6, True, 1e-6, torch.float64)
    # 1, then 2 / (2 - 0.36), then 1 / (1 - 0.09 omega)
    second = 2 / 1.64
    assert [schedule.next() for _ in range(3)] == pytest.approx([1.0, second, 1 / (1 - 0.09 * second)])


def test_power_steps_follow_when_chebyshev_has_had_its_chance():
    schedule = Schedule(0.5, True, 1e-6, torch.float64)
    factors = [schedule.next() for _ in range(100)]
    assert factors[10] > 1
    assert factors[-1] == 1
    assert {Schedule(0.5, False, 1e-6, torch.float64).next() for _ in range(9)} == {1.0}


def test_giving_up_twice_is_an_error():
    schedule = Schedule(0.5, True, 1e-6, torch.float32)
    schedule.next()
    schedule.give_up(torch.float32)
    assert schedule.next() == 1
    with pytest.raises(ValueError, match="differ by more than"):
        schedule.give_up(torch.float32)


def test_a_walk_is_reversible_if_both_ways_share_their_factors():
    block = Block(slice(0, 2), slice(2, 4), torch.tensor([0, 1]), torch.tensor([1, 0]), torch.ones(2))
    scale, equal = torch.ones(2, 1), torch.ones(2, 1)
    forth, back = WeightedBlock(block, scale), WeightedBlock(block, scale, reverse=True)
    assert is_reversible([])
    assert is_reversible([back, forth])
    assert is_reversible([forth, back, forth, back])
    assert not is_reversible([forth])
    assert not is_reversible([forth, back, back])
    assert not is_reversible([forth, WeightedBlock(block, equal, reverse=True)])
