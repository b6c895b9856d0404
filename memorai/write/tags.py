"""The coarse word classes that bound noun phrases and verb phrases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Tag(Enum):
    """Word class of a token. ``STOP`` (greetings, dates, light nouns) bounds every phrase."""

    NAME = auto()
    NOUN = auto()
    ADJECTIVE = auto()
    VERB = auto()
    AUXILIARY = auto()
    NEGATION = auto()
    ADVERB = auto()
    PREPOSITION = auto()
    TO = auto()
    DETERMINER = auto()
    PRONOUN = auto()
    CONJUNCTION = auto()
    NUMBER = auto()
    PUNCTUATION = auto()
    STOP = auto()


@dataclass(slots=True)
class Token:
    """One token of a sentence.

    Args:
        text: surface form, NFKC.
        lower: casefolded, curly apostrophes straightened.
        tag: word class; None until a tagger has set it.
        title: a quoted title, one entity whatever it contains.
        cjk: belongs to a run of Chinese or Japanese characters, joined without spaces.
    """

    text: str
    lower: str
    tag: Tag | None = None
    title: bool = False
    cjk: bool = False


def join(tokens: list[Token]) -> str:
    """Write tokens as text: spaces between words, none between two CJK tokens."""
    out = ""
    for index, token in enumerate(tokens):
        glued = index == 0 or (token.cjk and tokens[index - 1].cjk)
        out += token.text if glued else f" {token.text}"
    return out
