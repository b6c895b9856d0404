from __future__ import annotations

from memorai.index.stopwords import CHINESE_CHARACTERS, stop_words


def test_english_drops_function_words_and_keeps_words_with_a_meaning() -> None:
    english = stop_words("en")
    assert {"the", "when", "what", "did", "i", "of"} <= english
    assert not {"won", "don", "ma", "cat", "may"} & english


def test_lists_are_written_as_the_tokenizer_writes() -> None:
    assert "dass" in stop_words("de") and "daß" not in stop_words("de")
    assert {"l", "de"} <= stop_words("fr")


def test_no_list_no_stop_words() -> None:
    assert stop_words("zh") == stop_words("xx") == frozenset()


def test_chinese_characters_carry_no_topic() -> None:
    assert set("我的了吗嗎們是") <= CHINESE_CHARACTERS
    assert not set("猫苹果香蕉月日年") & CHINESE_CHARACTERS
