"""What a conversation teaches about its Chinese words, and which of its texts have to be cut otherwise for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memorai.write.names_zh import find_names
from memorai.write.tagging_zh import MAX_PIECE, cut, split_long
from memorai.write.tags import Tag, Token
from memorai.write.traditional import simplified


class ChineseWords:
    """Cuts runs of Chinese characters into words, with the names and terms of all runs seen so far.

    Args:
        speakers: display names, which Chinese text holds without spaces around.
    """

    def __init__(self, speakers: Sequence[str]) -> None:
        self._speakers = tuple(simplified(speaker) for speaker in speakers if speaker)
        self._names: dict[str, None] = {}
        self._plain: dict[str, str] = {}  # runs in simplified characters
        self._cuts: dict[str, list[Token]] = {}
        self._parts: dict[str, list[Token]] = {}
        self._holders: dict[str, dict[str, None]] = {}  # piece -> runs that hold it
        self._within: dict[str, dict[str, None]] = {}  # 2-4 characters -> longer pieces around them

    def add(self, runs: Iterable[str]) -> list[str]:
        """Learn from more runs; return the earlier ones whose words may have changed."""
        fresh = [run for run in dict.fromkeys(runs) if run not in self._cuts]
        names = [name for name in find_names(fresh) if name not in self._names]
        again = [run for run, plain in self._plain.items() if any(name in plain for name in names)] if names else []
        self._names.update(dict.fromkeys(names))
        turned: dict[str, None] = {}  # pieces that stand alone now, or no more
        for run in again:
            self._leave(run, turned)
        for run in (*again, *fresh):
            self._enter(run, turned)
        longer = (piece for word in turned for piece in self._within.get(word, ()))
        new = frozenset(fresh)
        around = (run for piece in longer for run in self._holders.get(piece, ()) if run not in new)
        stale = dict.fromkeys((*again, *around))
        for run in stale:
            self._parts.pop(run, None)
        return list(stale)

    def words(self, run: str) -> list[Token]:
        """Return the words of a run that was added."""
        if run not in self._parts:
            self._parts[run] = [part for token in self._cuts[run] for part in self._split(token)]
        return self._parts[run]

    def _enter(self, run: str, turned: dict[str, None]) -> None:
        plain = self._plain[run] = simplified(run)
        self._cuts[run] = cut(run, [name for name in (*self._speakers, *self._names) if name in plain])
        for token in self._cuts[run]:
            if token.tag is Tag.NOUN:
                if token.lower not in self._holders:
                    turned[token.lower] = None
                    self._surround(token.lower)
                self._holders.setdefault(token.lower, {})[run] = None

    def _leave(self, run: str, turned: dict[str, None]) -> None:
        for piece in dict.fromkeys(token.lower for token in self._cuts[run] if token.tag is Tag.NOUN):
            del self._holders[piece][run]
            if not self._holders[piece]:
                del self._holders[piece]
                turned[piece] = None

    def _surround(self, piece: str) -> None:
        if len(piece) <= MAX_PIECE:
            return
        for size in range(2, MAX_PIECE + 1):
            for start in range(len(piece) - size + 1):
                self._within.setdefault(piece[start : start + size], {})[piece] = None

    def _split(self, token: Token) -> Sequence[Token]:
        """The parts of a long piece; itself if it is not long or has none."""
        if token.tag is not Tag.NOUN or len(token.text) <= MAX_PIECE:
            return (token,)
        parts, end = [], 0
        for part in split_long(token.lower, self._holders):
            start = token.lower.index(part, end)
            end = start + len(part)
            parts.append(replace(token, text=token.text[start:end], lower=part))
        return parts or (token,)
