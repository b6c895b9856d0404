"""Cuts runs of Chinese characters at function words, without a dictionary of content words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from memorai.write.lexicon_zh import POSSESSED, SINGLE_NOUNS, WORDS
from memorai.write.tags import Tag, Token

_LONGEST_WORD = max(map(len, WORDS))
_MAX_PIECE = 4
_DIGIT = "零一二两三四五六七八九十百千万几半"
_MEASURED = re.compile(rf"[{_DIGIT}]+(?:点|[个只条本位辆家次张件杯瓶块碗天年月日号岁份场间座双种台部首])?")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_KATAKANA = re.compile("[\u30a0-\u30ff]{2,}")


def cut(run: str, known: Iterable[str] = ()) -> list[Token]:
    """Cut a run of CJK characters into tagged tokens: listed words, numbers with their measure, and pieces between.

    Hiragana counts as a function character, katakana words are kept whole.

    Args:
        run: characters without spaces or punctuation.
        known: names to keep whole, such as the speakers'.
    """
    names = sorted((name for name in known if name), key=len, reverse=True)
    tokens: list[Token] = []
    start = index = 0
    while index < len(run):
        size, tag = _match(run, index, names)
        if not size or tag is None:
            index += 1
            continue
        _piece(tokens, run[start:index])
        tokens.append(_token(run[index : index + size], tag))
        index += size
        start = index
    _piece(tokens, run[start:])
    for token, following in pairwise(tokens):
        if token.text == "我" and following.text in POSSESSED:
            token.tag = Tag.DETERMINER  # "my sister" is often said without 的
    return tokens


def _match(run: str, index: int, names: list[str]) -> tuple[int, Tag | None]:
    for name in names:
        if run.startswith(name, index):
            return len(name), Tag.NAME
    for size in range(min(_LONGEST_WORD, len(run) - index), 0, -1):
        tag = WORDS.get(run[index : index + size])
        if tag is not None:
            return size, tag
    for pattern, tag in ((_MEASURED, Tag.NUMBER), (_HIRAGANA, Tag.ADVERB), (_KATAKANA, Tag.NOUN)):
        match = pattern.match(run, index)
        if match:
            return match.end() - index, tag
    return 0, None


def _piece(tokens: list[Token], text: str) -> None:
    if text:
        # other characters alone are hardly ever a notion of their own
        tokens.append(_token(text, Tag.NOUN if len(text) > 1 or text in SINGLE_NOUNS else Tag.STOP))


def _token(text: str, tag: Tag) -> Token:
    return Token(text, text.casefold(), tag, cjk=True)


def split_long(pieces: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Split pieces of more than four characters at words that the conversation uses elsewhere.

    Returns:
        for each long piece its parts in order: the longest known pieces of 2-4 characters, and what lies between
        them in pairs of characters, the most frequent word length of Chinese.
    """
    counts = Counter(pieces)
    words = {piece for piece in counts if 2 <= len(piece) <= _MAX_PIECE}
    return {piece: tuple(_parts(piece, words)) for piece in counts if len(piece) > _MAX_PIECE}


def _parts(piece: str, words: set[str]) -> list[str]:
    parts: list[str] = []
    start = index = 0
    while index < len(piece):
        size = next((n for n in range(_MAX_PIECE, 1, -1) if piece[index : index + n] in words), 0)
        if not size:
            index += 1
            continue
        parts += _pairs(piece[start:index])
        parts.append(piece[index : index + size])
        index += size
        start = index
    return parts + _pairs(piece[start:])


def _pairs(text: str) -> list[str]:
    """Pairs of characters, the last one a triple if the number is odd; a lone character is dropped."""
    if len(text) < 2:
        return []
    cuts = list(range(0, len(text) - len(text) % 2, 2))
    ends = [*cuts[1:], len(text)]
    return [text[a:b] for a, b in zip(cuts, ends, strict=True)]
