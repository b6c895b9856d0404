"""Cuts runs of Chinese characters at function words, without a dictionary of content words."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import pairwise

from memorai.write.lexicon_zh import DATED, DOTTED, POSSESSED, SHORT_KIN, SINGLE_NOUNS, WORDS
from memorai.write.tags import Tag, Token
from memorai.write.traditional import simplified

_LONGEST_WORD = max(map(len, WORDS))
#: characters of a piece that is taken for one word
MAX_PIECE = 4
_DIGIT = "零一二两三四五六七八九十百千万几半"
_MEASURED = re.compile(rf"[{_DIGIT}]+(?:点|[个只条本位辆家次张件杯瓶块碗天年月日号岁份场间座双种台部首])?")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_KATAKANA = re.compile("[\u30a0-\u30ff]{2,}")


def cut(run: str, known: Iterable[str] = ()) -> list[Token]:
    """Cut a run of CJK characters into tagged tokens: listed words, numbers with their measure, and pieces between.

    Traditional characters are looked up as simplified ones, which is what a token's ``lower``, and with it keys and the
    text of relations, holds. Hiragana counts as a function character, katakana words and names with a middle dot
    (玛丽·居里) are kept whole.

    Args:
        run: characters without spaces or punctuation.
        known: names to keep whole, such as the speakers'.
    """
    names = sorted((simplified(name) for name in known if name), key=len, reverse=True)
    plain = simplified(run)
    tokens: list[Token] = []
    start = index = 0
    while index < len(run):
        size, tag = _match(plain, index, names)
        if not size or tag is None:
            index += 1
            continue
        _piece(tokens, run[start:index])
        tokens.append(_token(run[index : index + size], tag))
        index += size
        start = index
    _piece(tokens, run[start:])
    for token, following in pairwise(tokens):
        if token.lower == "我" and following.lower in POSSESSED:
            token.tag = Tag.DETERMINER  # "my sister" is often said without 的
    return tokens


def _match(run: str, index: int, names: list[str]) -> tuple[int, Tag | None]:
    for name in names:
        if run.startswith(name, index):
            return len(name), Tag.NAME
    for pattern, tag in ((DOTTED, Tag.NAME), (DATED, Tag.ADVERB)):
        match = pattern.match(run, index)
        if match:
            return match.end() - index, tag
    for size in range(min(_LONGEST_WORD, len(run) - index), 0, -1):
        listed = WORDS.get(run[index : index + size])
        if listed is not None:
            return size, listed
    for pattern, tag in ((_MEASURED, Tag.NUMBER), (_HIRAGANA, Tag.ADVERB), (_KATAKANA, Tag.NOUN)):
        match = pattern.match(run, index)
        if match:
            return match.end() - index, tag
    return 0, None


def _piece(tokens: list[Token], text: str) -> None:
    text = text.strip("·・‧•")
    if not text:
        return
    if any(dot in text for dot in "·‧•"):
        tokens.append(_token(text, Tag.NAME))
        return
    # other characters alone are hardly ever a notion of their own
    lower = simplified(text)
    tokens.append(_token(text, Tag.NOUN if len(text) > 1 or lower in SINGLE_NOUNS or lower in SHORT_KIN else Tag.STOP))


def _token(text: str, tag: Tag) -> Token:
    lower = simplified(text.casefold())
    return Token(text, SHORT_KIN.get(lower, lower), tag, cjk=True)


def split_long(piece: str, words: Container[str]) -> tuple[str, ...]:
    """Split a piece of more than four characters at words that the conversation uses elsewhere.

    Args:
        piece: Chinese characters.
        words: pieces that stand alone somewhere.

    Returns:
        its parts in order: the longest known words of 2-4 characters, and what lies between them in pairs of
        characters, the most frequent word length of Chinese.
    """
    parts: list[str] = []
    start = index = 0
    while index < len(piece):
        size = next((n for n in range(MAX_PIECE, 1, -1) if piece[index : index + n] in words), 0)
        if not size:
            index += 1
            continue
        parts += _pairs(piece[start:index])
        parts.append(piece[index : index + size])
        index += size
        start = index
    return tuple(parts + _pairs(piece[start:]))


def _pairs(text: str) -> list[str]:
    """Pairs of characters, the last one a triple if the number is odd; a lone character is dropped."""
    if len(text) < 2:
        return []
    cuts = list(range(0, len(text) - len(text) % 2, 2))
    ends = [*cuts[1:], len(text)]
    return [text[a:b] for a, b in zip(cuts, ends, strict=True)]
