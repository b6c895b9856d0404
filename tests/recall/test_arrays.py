from __future__ import annotations

import numpy as np
import pytest

from memorai.recall.arrays import Growing, ragged, top


def test_an_array_grows_and_keeps_what_it_has():
    array = Growing(np.int32, [7])
    for i in range(100):
        array.extend([i])
    array.extend([])
    assert array.view.tolist() == [7, *range(100)] and len(array) == 101


def test_ragged_rows_are_laid_out_one_after_the_other():
    owner, places = ragged(np.array([5, 2, 9]), np.array([2, 0, 3]))
    assert owner.tolist() == [0, 0, 2, 2, 2] and places.tolist() == [5, 6, 9, 10, 11]


def test_top_breaks_ties_by_place_and_leaves_out_what_is_excluded():
    scores = np.array([1.0, 3.0, 3.0, -np.inf, 2.0])
    assert top(scores, 3).tolist() == [1, 2, 4]
    assert top(scores, 9).tolist() == [1, 2, 4, 0]
    assert top(scores, 0).tolist() == [] and top(np.empty(0), 3).tolist() == []


@pytest.mark.parametrize("seed", range(20))
def test_top_is_what_sorting_everything_gives(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-1, 3, 200).astype(float)  # many ties
    scores[rng.random(200) < 0.2] = -np.inf
    everything = [place for place in sorted(range(200), key=lambda i: (-scores[i], i)) if scores[place] > -np.inf]
    for k in (1, 7, 50, 199, 200, 300):
        assert top(scores, k).tolist() == everything[:k]
