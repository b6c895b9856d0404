from __future__ import annotations

import math
import sys

import pytest

from memorai.errors import InputError
from memorai.metrics.answer import (
    _nltk,
    abstains,
    bleu1_nltk,
    exact_match,
    f1_locomo,
    f1_set,
    normalize_answer,
)

pytest.importorskip("nltk")


def test_words_without_articles_and_punctuation():
    assert normalize_answer("The red car, and a dog.") == ["red", "car", "dog"]
    assert normalize_answer("Andy's theatre: 1,000") == ["andys", "theatre", "1000"]
    assert normalize_answer("a, the and!") == []


def test_the_two_f1_differ_as_by_hand():
    # stems: {red, car, dog} in both; plain words: red, dog of {the, red, car, and, a, dog} and {red, cars, dog}
    assert f1_locomo("the red car and a dog", "red cars, dog", "single_hop") == 1
    assert f1_set("the red car and a dog", "red cars, dog") == pytest.approx(2 * 2 / (6 + 3))


def test_words_are_counted():
    # dog twice against once: common 1, precision 1/2, recall 1
    assert f1_locomo("dog dog", "dog", "temporal") == pytest.approx(2 / 3)
    assert f1_set("dog dog", "dog") == 1


def test_multi_hop_is_cut_at_commas():
    # gold "red car": best 2*1/(1+2) against "car"; gold "dog": 1
    assert f1_locomo("car, a dog", "red cars, dog", "multi_hop") == pytest.approx((2 / 3 + 1) / 2)
    # uncut: common car, dog of 2 and 3
    assert f1_locomo("car, a dog", "red cars, dog", "single_hop") == pytest.approx(4 / 5)
    # an empty part of the gold can be met by nothing
    assert f1_locomo("dog", "dog,", "multi_hop") == 0.5


def test_open_domain_reads_up_to_the_semicolon():
    assert f1_locomo("yes", "Yes; she likes dogs", "open_domain") == 1
    assert f1_locomo("yes", "Yes; she likes dogs", "single_hop") == pytest.approx(2 / 5)


def test_adversarial_needs_no_gold():
    assert f1_locomo("Not mentioned in the conversation", None, "adversarial") == 1
    assert f1_locomo("There is NO information available.", None, "adversarial") == 1
    assert f1_locomo("a dog", "a dog", "adversarial") == 0
    assert not abstains("I do not know")
    with pytest.raises(InputError, match="multi_hop has no gold"):
        f1_locomo("a dog", None, "multi_hop")


def test_integers_as_text():
    assert f1_locomo("2022", "2022", "temporal") == 1
    assert f1_locomo("in 2022", "2022", "temporal") == pytest.approx(2 / 3)


def test_stems_are_nltks_not_those_of_plain_porter():
    # Porter's rules make "dy" and "die" of these; nltk's extensions make "die" of both
    assert f1_locomo("dying", "die", "single_hop") == 1


@pytest.mark.parametrize("empty", ["", " ", "the"])
def test_nothing_said_scores_nothing(empty):
    assert f1_locomo(empty, "dog", "multi_hop") == f1_locomo(empty, "dog", "single_hop") == 0
    assert exact_match(empty, "dog") == exact_match(empty, empty) == f1_set(empty, "dog") == 0


def test_exact_match_is_of_sets():
    assert exact_match("Dog and a CAT", "cat, dog") == 1
    assert exact_match("cat", "cats") == 0


def test_bleu1_by_hand():
    # 2 of 3 words stand in the reference; not shorter, so no penalty
    assert bleu1_nltk("a red dog", "Red dog") == pytest.approx(2 / 3)
    # one word of one, brevity penalty exp(1 - 3/1)
    assert bleu1_nltk("dog", "a red dog") == pytest.approx(math.exp(-2))
    # the comma is a word: dog , cat against cat , dog
    assert bleu1_nltk("dog, cat", "cat, dog") == 1
    assert bleu1_nltk("", "dog") == 0


def test_without_nltk_it_says_what_to_install(monkeypatch):
    _nltk.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(InputError, match=r"memorai\[qa\]"):
        bleu1_nltk("a", "b")
