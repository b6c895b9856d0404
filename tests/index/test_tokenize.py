from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.index.tokenize import Tokenizer

PLAIN = Tokenizer(stem=False, stop_words=False)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Mel's cats don’t like running", ["mel", "cat", "like", "run"]),
        ("I'm sure they've won; can't Don come?", ["sure", "won", "don", "come"]),
        ("O'Brien's dogs' rock 'n' roll", ["obrien", "dog", "rock", "n", "roll"]),
        ("May 7th, 07 and 1,000 in 3.5 km, 42nd B2B", ["may", "7", "7", "1000", "3", "5", "km", "42", "b2b"]),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("", []),
        ("who is he?", []),
    ],
)
def test_english(text: str, terms: list[str]) -> None:
    assert Tokenizer()(text) == terms


def test_stemming_and_stop_words_can_be_left_out() -> None:
    assert Tokenizer(stem=False)("the cats were running") == ["cats", "running"]
    assert Tokenizer(stop_words=False)("the cats were running") == ["the", "cat", "were", "run"]
    assert PLAIN("don't we'll") == ["don", "we"]


@pytest.mark.parametrize(
    ("text", "language", "terms"),
    [
        ("l'homme de la forêt", "fr", ["homm", "forêt"]),
        ("Die Straßen daß", "de", ["strass"]),
        ("кошки и собаки", "ru", ["кошк", "собак"]),
        ("التُّفَّاح تفاح", "ar", ["تفاح", "تفاح"]),
        ("हिन्दी", "xx", ["हिन्दी"]),
        ("٣ كتب", "xx", ["3", "كتب"]),
        ("running cats", "xx", ["running", "cats"]),
    ],
)
def test_other_languages(text: str, language: str, terms: list[str]) -> None:
    assert Tokenizer()(text, language) == terms


@pytest.mark.parametrize(
    ("cjk", "text", "language", "terms"),
    [
        ("unigram+bigram", "苹果汁", "zh", ["苹", "苹果", "果", "果汁", "汁"]),
        ("bigram", "苹果汁", "zh", ["苹果", "果汁"]),
        ("unigram+bigram", "猫", "zh", ["猫"]),
        ("bigram", "猫", "zh", ["猫"]),
        ("unigram+bigram", "我的猫", "zh-CN", ["的猫", "猫"]),
        ("unigram+bigram", "我们的", "zh", []),
        ("unigram+bigram", "买iPhone手机,5月07日", "zh", ["买", "iphone", "手", "手机", "机", "5", "月", "7", "日"]),
        ("unigram+bigram", "データを食べる", "ja", ["デー", "ータ", "タを", "を食", "食", "食べ", "べる"]),
        ("unigram+bigram", "한국어", "ko", ["한국", "국어"]),
        ("unigram+bigram", "각자 한국어", "ko", ["한국", "국어"]),
        ("unigram+bigram", "กี่คน", "th", ["กี่ค", "คน"]),
    ],
)
def test_scripts_without_blanks(cjk: str, text: str, language: str, terms: list[str]) -> None:
    assert Tokenizer(cjk=cjk)(text, language) == terms


def test_names_in_other_scripts_stay_apart() -> None:
    assert not set(PLAIN("苹果", "zh")) & set(PLAIN("香蕉", "zh"))
    assert PLAIN("caf\u00e9") == PLAIN("cafe\u0301") != PLAIN("cafe")
    assert PLAIN("تفاحة") != PLAIN("موزة")
    assert PLAIN("🎉 👍🏽❤️ 👨‍👩‍👧 🇩🇪🇫🇷") == ["🎉", "👍", "❤", "👨", "👩", "👧", "🇩🇪", "🇫🇷"]


@given(st.text(st.characters()), st.sampled_from(["en", "zh", "ar", "fr", "xx"]))
def test_any_text_is_tokenised_alike_in_both_normal_forms(text: str, language: str) -> None:
    terms = Tokenizer()(text, language)
    assert all(terms)
    assert Tokenizer()(unicodedata.normalize("NFD", text), language) == terms


def test_numbers_too_long_to_convert_stay() -> None:
    assert PLAIN("1" * 5000) == ["1" * 5000]


def test_threads_may_share_a_tokenizer() -> None:
    tokenizer = Tokenizer()
    texts = [f"running {i} cats were jumping happily" for i in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tokenizer, texts)) == [["run", str(i), "cat", "jump", "happili"] for i in range(200)]


def test_an_unknown_mode_is_told() -> None:
    with pytest.raises(InputError, match="cjk=trigram"):
        Tokenizer(cjk="trigram")
