from __future__ import annotations

import numpy as np
import pytest

from memorai.graph.association import accepted, associate


def test_two_clear_groups_are_told_apart_and_a_constant_row_is_accepted():
    scores = np.array([[0.9, 0.88, 0.91, 0.2, 0.21, 0.19], [0.5] * 6])
    assert accepted(scores).tolist() == [[True, True, True, False, False, False], [True] * 6]


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn_where_the_groups_are_apart(seed):
    mixtures = pytest.importorskip("sklearn.mixture")
    rng = np.random.default_rng(seed)
    row = np.concatenate([rng.normal(0.7, 0.02, 10), rng.normal(0.2, 0.03, 20)])
    mixture = mixtures.GaussianMixture(2, random_state=0).fit(row[:, None])
    theirs = mixture.predict(row[:, None]) == mixture.means_[:, 0].argmax()
    assert accepted(row[None])[0].tolist() == theirs.tolist()


def test_links_lead_to_earlier_groups_alone():
    vectors = np.eye(4, dtype=np.float32)[[0, 1, 0, 1, 0]]
    pairs = associate(vectors, [0, 0, 1, 1, 2])
    # row 4 is like rows 0 and 2, row 2 like row 0, row 3 like row 1
    assert pairs.tolist() == [[2, 3, 4, 4], [0, 1, 0, 2]]
    assert associate(vectors[:2], [0, 0]).shape == (2, 0)
    assert associate(vectors[:0], []).shape == (2, 0)
