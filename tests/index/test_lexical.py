from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hydra.utils import instantiate
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from memorai.errors import InputError
from memorai.index.lexical import BM25
from memorai.index.tokenize import Tokenizer

TEXTS = st.lists(st.lists(st.sampled_from(["ape", "bee", "cow", "dog", "eel"]), max_size=6).map(" ".join), max_size=6)


def plain_scores(documents: list[str], query: str, k1: float, b: float, method: str) -> list[float]:
    """BM25 term by term, from the definitions in Kamphuis et al. (ECIR 2020)."""
    split = [document.split() for document in documents]
    n, mean = len(split), sum(map(len, split)) / len(split)
    scores = []
    for document in split:
        score = 0.0
        for term in query.split():
            df, tf = sum(term in other for other in split), document.count(term)
            if df == 0:
                continue
            saturation = tf / (tf + k1 * (1 - b + b * len(document) / mean)) if tf else 0.0
            if method == "lucene":
                score += math.log(1 + (n - df + 0.5) / (df + 0.5)) * saturation
            else:  # BM25+, delta = 0.5: an absent term counts, too
                score += math.log((n + 1) / df) * ((k1 + 1) * saturation + 0.5)
        scores.append(score)
    return scores


def test_one_score_by_hand() -> None:
    scores = BM25(k1=1.2, b=0.75).fit(["red kite kite", "red apple", "a green tree"]).scores(["kite"])
    # N = 3, df = 1, tf = 2, |D| = 3, mean length (3 + 2 + 2) / 3 = 7 / 3
    expected = math.log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 9 / 7))
    np.testing.assert_allclose(scores, [[expected], [0], [0]], rtol=1e-6)
    assert scores.dtype == np.float32


@given(
    TEXTS,
    TEXTS,
    st.sampled_from([(1.2, 0.75), (0.9, 0.4), (2.0, 1.0), (0.5, 0.0)]),
    st.sampled_from(["lucene", "bm25+"]),
)
def test_agrees_with_a_plain_computation(
    documents: list[str], queries: list[str], parameters: tuple[float, float], method: str
) -> None:
    tokenizer = Tokenizer(stem=False, stop_words=False)
    k1, b = parameters
    scores = BM25(tokenizer, k1, b, method).fit(documents).scores(queries)
    assert scores.shape == (len(documents), len(queries))
    if any(documents):
        for q, query in enumerate(queries):
            np.testing.assert_allclose(scores[:, q], plain_scores(documents, query, k1, b, method), atol=1e-5)
    else:
        assert not scores.any()


@given(st.text(max_size=20), st.text(max_size=20))
def test_terms_of_texts_joined_by_a_blank_are_the_joined_terms(one: str, two: str) -> None:
    tokenizer = Tokenizer()
    assert tokenizer(f"{one} {two}") == tokenizer(one) + tokenizer(two)


def test_terms_made_elsewhere_give_the_same_index() -> None:
    texts = ["The cat's toys", "", "cats and dogs"]
    terms = [Tokenizer()(text) for text in texts]
    assert (BM25().fit_terms(terms).scores(["cat"]) == BM25().fit(texts).scores(["cat"])).all()
    assert BM25().fit_terms(terms).scores(["cat"]).any()


def test_nothing_known_scores_zero() -> None:
    index = BM25().fit(["a red kite", ""])
    assert not index.scores(["", "zebra", "the of", "?!"]).any()
    assert BM25().fit([]).scores(["kite"]).shape == (0, 1)
    assert BM25().fit(["", "?"]).scores(["kite"]).tolist() == [[0], [0]]
    assert index.scores([]).shape == (2, 0)


def test_a_repeated_query_term_counts_twice() -> None:
    once, twice = BM25().fit(["red kite", "blue sky"]).scores(["kite", "kite kites"])[0]
    assert twice == pytest.approx(2 * once) and once > 0


def test_the_language_reaches_documents_and_queries() -> None:
    scores = BM25().fit(["我喜欢苹果", "她养了一只猫", "香蕉很甜"], "zh").scores(["谁喜欢吃苹果?", "猫在哪里?"])
    assert scores.argmax(axis=0).tolist() == [0, 1]
    assert scores[2, 0] == 0


def test_values_out_of_range_are_told() -> None:
    for options in ({"k1": 0}, {"b": 1.5}, {"method": "okapi"}):
        with pytest.raises(InputError, match="k1 > 0"):
            BM25(**options)


def test_fitting_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    BM25().fit(["a red kite"])
    assert not caplog.records


def test_config() -> None:
    lexical = instantiate(OmegaConf.load(Path(__file__).parents[2] / "conf" / "lexical" / "bm25.yaml"))
    assert (type(lexical), lexical.k1, lexical.b, lexical.tokenizer.cjk) == (BM25, 1.2, 0.75, "unigram+bigram")
