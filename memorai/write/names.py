"""Which words are names, and which names are the same entity."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer

from memorai.write.lexicon_en import CLOSED_CLASS, PLURALS
from memorai.write.tags import Tag, Token

_MIN_PREFIX = 3
_MAX_ACRONYM = 6
#: Snowball algorithms by ISO 639-1 code; a language without one keeps its words as they are
SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


@lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """Identity of a proper name: NFKC, casefolded, possessive and outer space removed; accents are kept."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return re.sub(r"\s+", " ", re.sub(r"['’]s?$", "", folded.strip())).strip()


class PhraseKeys:
    """Identity of a common phrase: its words casefolded and stemmed, so that "puppies" is "puppy".

    Args:
        language: ISO 639-1 code. Languages without a Snowball stemmer, Chinese among them, stem only ASCII words,
            as English.
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._native, self._english = language in SNOWBALL, language == "en"
        self._stemmer = Stemmer.Stemmer(SNOWBALL.get(language, "english"))

    def __call__(self, words: Iterable[str]) -> str:
        """Return the key of a phrase given as words."""
        return " ".join(self.stem(word) for word in words)

    def stem(self, word: str) -> str:
        """Stem one word."""
        folded = unicodedata.normalize("NFKC", word.casefold())
        if self._english:
            folded = PLURALS.get(folded, folded)
        return self._stemmer.stemWord(folded) if self._native or folded.isascii() else folded


class TrueCase:
    """Decides which capitalised words of a conversation are names, from how it writes them elsewhere.

    A word is a name if it is capitalised in mid-sentence at least once, and more often than it is in lower case
    anywhere. Sentence starts say nothing (Lita et al. 2003, "tRuEcasIng").
    """

    def __init__(self, sentences: Iterable[Sequence[Token]] = ()) -> None:
        self._upper: Counter[str] = Counter()
        self._lower: Counter[str] = Counter()
        self._names: set[str] = set()
        self.add(sentences)

    def add(self, sentences: Iterable[Sequence[Token]]) -> list[str]:
        """Count more sentences; return the words that have become names, or are names no more."""
        seen: dict[str, None] = {}
        for tokens in sentences:
            shouted = all(token.text.isupper() for token in tokens if token.text.isalpha())
            for index, token in enumerate(tokens):
                if token.tag is not None or token.cjk:
                    continue
                if token.text[0].islower():
                    self._lower[token.lower] += 1
                elif is_capitalised(token) and not shouted and (not starts(tokens, index) or _is_acronym(token)):
                    self._upper[token.lower] += 1
                else:
                    continue
                seen[token.lower] = None
        turned = [word for word in seen if (self._upper[word] > self._lower[word]) is not (word in self._names)]
        self._names.symmetric_difference_update(turned)
        return turned

    def is_name(self, token: Token) -> bool:
        """True if the token is written as a name and its word is one."""
        return is_capitalised(token) and token.lower in self._names and token.lower not in CLOSED_CLASS


def is_capitalised(token: Token) -> bool:
    """True for "Rome", "LGBTQ" and "iPhone"-like words, False for "I" and "rome"."""
    return len(token.text) > 1 and (token.text[0].isupper() or token.text[1].isupper())


def starts(tokens: Sequence[Token], index: int) -> bool:
    """True if a capital at ``index`` may be owed to the sentence's (or quotation's) start alone."""
    previous = tokens[index - 1] if index else None
    return previous is None or (previous.tag is Tag.PUNCTUATION and previous.text not in ",;&/+")


def _is_acronym(token: Token) -> bool:
    return 1 < len(token.text) <= _MAX_ACRONYM and token.text.isupper()


class SpeakerAliases:
    """Resolves a name in a turn's text to a speaker: the full name, one word of it, or an unambiguous short form.

    A short form is a prefix of the first name with three letters or more ("Mel" for "Melanie"). What fits two
    speakers fits none.
    """

    def __init__(self, speakers: Iterable[str]) -> None:
        self._keys = tuple(dict.fromkeys(key for key in map(name_key, speakers) if key))

    def resolve(self, name: str) -> str | None:
        """Return the key of the speaker that ``name`` means, or None."""
        key = name_key(name)
        if key in self._keys:
            return key
        by_word = [speaker for speaker in self._keys if key in speaker.split()]
        fits = by_word or [s for s in self._keys if len(key) >= _MIN_PREFIX and s.startswith(key) and key.isalpha()]
        return fits[0] if len(fits) == 1 else None
