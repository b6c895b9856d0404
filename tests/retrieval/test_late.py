from __future__ import annotations

import numpy as np
import pytest

from memorai.models.cache import ByteCache
from memorai.models.late_interaction import Tokens
from memorai.retrieval.late import LateInteraction, TokenMatcher
from tests.toys import toy_view


class WordEncoder:
    """Every distinct word is a direction of its own, so that a cosine is 1 or 0."""

    name = model_id = "words"
    languages = ("en",)

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self.calls = 0

    def encode(self, texts, kind="document"):
        self.calls += 1
        out = []
        for text in texts:
            words = text.lower().strip(".?").split()
            ids = np.array([self.vocabulary.setdefault(word, len(self.vocabulary)) for word in words])
            out.append(Tokens(ids, np.eye(64, dtype=np.float16)[ids]))
        return out


def scorer(cache=False, **options):
    return LateInteraction(TokenMatcher(WordEncoder(), lambda turn: turn.text, cache), **options)


def test_maxsim_by_hand():
    view = toy_view(texts=["rex is in rome"])
    # t3 "He is called Rex": rex, is; t5 "Rex loves Rome": rex, rome; t2 "What is its name?": is; t4 "I moved to Rome"
    assert scorer(idf=False).score(view)[:, 0].tolist() == pytest.approx([0, 0.25, 0.5, 0.25, 0.5])
    # idf of 5 turns: rex 2, is 2, in 0, rome 2
    idf = {df: np.log1p(5 / (df + 0.5)) for df in (0, 2)}
    total = 3 * idf[2] + idf[0]
    expected = [0, idf[2] / total, 2 * idf[2] / total, idf[2] / total, 2 * idf[2] / total]
    assert scorer().score(view)[:, 0].tolist() == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("previous", [0, 0.25, 0.5, 0.25, 0.5]),  # t3 and t2 share "is"
        ("around", [0.25, 0.5, 0.5, 0.5, 0.5]),
        ("session", [0.5, 0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_a_word_may_be_matched_nearby(span, expected):
    view = toy_view(texts=["rex is in rome"])
    assert scorer(idf=False, span=span).score(view)[:, 0].tolist() == pytest.approx(expected)


def test_the_cache_answers_without_the_model(tmp_path):
    cache = ByteCache(tmp_path / "c.sqlite")
    cold = scorer(cache)
    first = cold.score(toy_view(texts=["rome", "is rex there"]))
    warm = scorer(cache)
    assert warm.score(toy_view(texts=["is rex there", "rome"])).flip(1).equal(first)
    assert (cold.matcher.encoder.calls, warm.matcher.encoder.calls) == (2, 0)


def test_an_unknown_language_scores_nothing_and_an_unknown_span_is_refused():
    assert not scorer().score(toy_view(language="zh")).any()
    with pytest.raises(ValueError, match="span=turns"):
        scorer(span="turns")


def test_variants_differ_in_one_thing_each():
    kinds = {name: (part.idf, part.span) for name, part in scorer().variants().items()}
    assert kinds == {
        "flat": (False, "turn"),
        "previous": (True, "previous"),
        "around": (True, "around"),
        "session": (True, "session"),
    }
