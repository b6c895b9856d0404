"""Texts to index terms, for every script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import regex
import Stemmer

from memorai.errors import InputError
from memorai.index.normalize import normalize
from memorai.index.stopwords import CHINESE_CHARACTERS, stop_words

_SNOWBALL = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_RUN = r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]&&[\p{L}\p{M}\p{N}]]"
_WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{_RUN}]"
_TOKEN = regex.compile(
    rf"(?P<run>{_RUN}+)|(?P<word>{_WORD}+(?:'{_WORD}+)*)|(?P<emoji>\p{{RI}}\p{{RI}}|\p{{Extended_Pictographic}})",
    regex.V1,
)
_HAN = regex.compile(r"\p{Han}")
_ORDINAL = regex.compile(r"(\d+)(?:st|nd|rd|th)")
_ENGLISH_ENDINGS = ("s", "t", "re", "ve", "ll", "d", "m")


class Tokenizer:
    """Index terms of a text: normalised, without stop words, stemmed; the same for documents and queries.

    Words are runs of letters, marks and digits. Runs of scripts written without blanks (Chinese, Japanese, Korean,
    Thai, Lao, Khmer, Burmese) become overlapping bigrams of characters and, by default, single Han characters: a short
    question often shares only one character of a word with its answer (cat in "a cat" and "kitten"), and the two
    together retrieve Chinese better than either (Nie, Gao, Zhang, Zhou, "On the Use of Words and N-grams for Chinese
    Information Retrieval", IRAL 2000). A kana or a Hangul syllable alone means too little to be a term.
    Each emoji is a term. Numbers lose leading zeros and, in English, the ending of an ordinal: 07, 7th and 7 are one.

    Args:
        stem: Snowball stemming, where the language has a stemmer.
        stop_words: drop stop words, where the language has a list.
        cjk: ``unigram+bigram`` or ``bigram``, the latter with a lone character kept.

    Example:
        >>> Tokenizer()("Mel's cats don't like café Müller on May 7th 🎉")
        ['mel', 'cat', 'like', 'café', 'müller', 'may', '7', '🎉']
    """

    def __init__(
        self,
        stem: bool = True,
        stop_words: bool = True,
        cjk: Literal["unigram+bigram", "bigram"] = "unigram+bigram",
    ) -> None:
        if cjk not in ("unigram+bigram", "bigram"):
            raise InputError(f"tokenizer cjk={cjk}: use unigram+bigram or bigram")
        self.stem = stem
        self.stop_words = stop_words
        self.cjk = cjk

    def __call__(self, text: str, language: str = "en") -> list[str]:
        """Return the terms of ``text`` in order, with repeats.

        Args:
            text: anything, lone surrogates included.
            language: ISO 639-1 code (``en``, ``zh-CN``; the region is ignored); unknown: no stemmer, no stop words.
        """
        code = language.replace("_", "-").split("-")[0].lower()
        stops = stop_words(code) if self.stop_words else frozenset()
        terms: list[str] = []
        for match in _TOKEN.finditer(normalize(text)):
            if match["word"]:
                terms += self._words(match["word"], code, stops)
            elif match["run"] is None:
                terms.append(match["emoji"])
            elif match["run"] not in stops:
                terms += self._grams(match["run"], code)
        algorithm = _SNOWBALL.get(code)
        if self.stem and algorithm in Stemmer.algorithms():
            # made anew each time: a Stemmer must not be shared by threads
            return list(Stemmer.Stemmer(algorithm, 0).stemWords(terms))
        return terms

    def _words(self, word: str, code: str, stops: frozenset[str]) -> Iterator[str]:
        for part in _split_apostrophes(word, code, drop_negations=self.stop_words):
            if part.isdecimal() and len(part) < 20:
                yield str(int(part))  # also digits of other scripts
            elif code == "en" and (ordinal := _ORDINAL.fullmatch(part)):
                yield ordinal[1].lstrip("0") or "0"
            elif part not in stops:
                yield part

    def _grams(self, run: str, code: str) -> Iterator[str]:
        """Bigrams and, as asked, unigrams of a run's characters (with their marks), in reading order."""
        functional = CHINESE_CHARACTERS if self.stop_words and code == "zh" else frozenset()
        characters = regex.findall(r"\X", run)
        for i, character in enumerate(characters):
            alone = len(characters) == 1 or (self.cjk != "bigram" and _HAN.match(character))
            if alone and character not in functional:
                yield character
            pair = characters[i : i + 2]
            if len(pair) == 2 and not functional.issuperset(pair):
                yield "".join(pair)


def _split_apostrophes(word: str, code: str, drop_negations: bool) -> list[str]:
    if "'" not in word:
        return [word]
    if code != "en":
        return word.split("'")  # French l'homme, Italian dell'arte
    head, _, ending = word.rpartition("'")
    if ending == "t" and head.endswith("n") and drop_negations:
        return []
    return [(head if ending in _ENGLISH_ENDINGS else word).replace("'", "")]
