from __future__ import annotations

import pytest
import torch

from memorai.retrieval.pagerank.threads import WORTH_THREADS, suited_threads


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_small_work_runs_on_one_thread_and_the_setting_comes_back(two_threads):
    with pytest.raises(KeyError), suited_threads(10) as threads:
        assert threads == torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == 2


def test_large_work_keeps_its_threads(two_threads):
    with suited_threads(WORTH_THREADS) as threads:
        assert threads == torch.get_num_threads() == 2
