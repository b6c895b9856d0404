from __future__ import annotations

import numpy as np
import pytest

from memorai.graph.store.vectors import hash_terms
from memorai.index.lexical import BM25
from memorai.index.tokenize import Tokenizer
from memorai.recall.lexical import Words

TEXTS = [
    *("the cat sat on the mat", "a cat and a cat and a dog", "dogs bark", "nothing here", ""),
    *("the mat of the dog", "bark bark bark"),
]


def words_of(texts: list[str], step: int) -> Words:
    made = Words()
    tokenizer = Tokenizer()
    for start in range(0, len(texts), step):
        rows = [hash_terms(tokenizer(text)) for text in texts[start : start + step]]
        made.append(rows, [len(row) for row in rows])
        made.settle()
    return made


@pytest.mark.parametrize("step", [1, 3, 7])
@pytest.mark.parametrize("query", ["cat", "dog on a mat", "bark cat cat", "zebra", ""])
def test_scores_are_those_of_the_library(step, query):
    made = words_of(TEXTS, step)
    expected = BM25().fit(TEXTS).scores([query])[:, 0]
    scores = made.scores(hash_terms(Tokenizer()(query)), len(TEXTS))
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_what_has_left_is_out_of_all_statistics():
    made = words_of(TEXTS, 2)
    gone = np.array([1, 5])
    made.drop(gone)
    left = [text for i, text in enumerate(TEXTS) if i not in (1, 5)]
    expected = BM25().fit(left).scores(["dog cat"])[:, 0]
    scores = made.scores(hash_terms(Tokenizer()("dog cat")), len(left))
    np.testing.assert_allclose(np.delete(scores, gone), expected, rtol=1e-5, atol=1e-6)
    made.take(gone)
    whole = words_of(TEXTS, 7).scores(hash_terms(Tokenizer()("dog cat")), len(TEXTS))
    np.testing.assert_allclose(made.scores(hash_terms(Tokenizer()("dog cat")), len(TEXTS)), whole)


def test_a_dump_gives_the_same_scores():
    made = words_of(TEXTS, 3)
    again = Words()
    again.restore(made.arrays(), np.ones(len(TEXTS), bool))
    query = hash_terms(Tokenizer()("the dog and the cat"))
    assert again.scores(query, 7).tolist() == made.scores(query, 7).tolist()
