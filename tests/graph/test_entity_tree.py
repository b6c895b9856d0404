from __future__ import annotations

import numpy as np

from memorai.graph.entity_tree import bisect, grow_tree


def cloud(centres: np.ndarray, each: int, spread: float = 0.05, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([centre + rng.normal(0, spread, (each, len(centre))) for centre in centres])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_cut_is_that_of_the_second_eigenvector():
    vectors = cloud(np.eye(6)[:2], 9, 0.15)
    affinity = (1 + vectors @ vectors.T) / 2
    root = np.sqrt(affinity.sum(1))
    _, vectors_of = np.linalg.eigh(affinity / np.outer(root, root))
    reference = (vectors_of[:, -2] / root) >= 0
    half = bisect(vectors)
    assert half.tolist() in (reference.tolist(), (~reference).tolist())
    assert half[0] and half.tolist() == [True] * 9 + [False] * 9


def test_a_topic_splits_past_its_limit_and_holds_each_fact_once():
    vectors = cloud(np.eye(8)[:3], 10)
    tree = grow_tree(4, range(30), vectors, limit=15)
    assert tree.entity == 4
    assert [topic.rows for topic in tree.topics] == [tuple(range(i, i + 10)) for i in (0, 10, 20)]
    assert [topic.rows for topic in grow_tree(0, range(15), vectors, limit=15).topics] == [tuple(range(15))]


def test_thin_topics_that_are_alike_are_joined_and_others_are_not():
    near = cloud(np.array([[1.0, 0.1, 0], [1.0, -0.1, 0]]), 8, 0.001)
    assert [len(t.rows) for t in grow_tree(0, range(16), near, limit=8, sparse=1).topics] == [8, 8]
    # one more than the limit: eight and one; the one is thin, yet joining it would pass the limit
    assert max(len(t.rows) for t in grow_tree(0, range(9), near, limit=8, sparse=3).topics) <= 8
    pair = cloud(np.array([[1.0, 0, 0], [0.99, 0.1, 0]]), 1, 0.0)
    assert len(grow_tree(0, [0, 1], pair, limit=1, sparse=3, similar=0.8).topics) == 2


def test_equal_facts_split_anyhow_and_none_gives_no_topic():
    same = np.tile([[1.0, 0.0]], (40, 1))
    assert max(len(topic.rows) for topic in grow_tree(0, range(40), same, limit=15).topics) <= 15
    assert grow_tree(0, [], same).topics == ()
