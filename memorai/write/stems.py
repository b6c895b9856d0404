"""Shared words as entities: the edges of the strongest untrained graph we know (docs/design.md, "shared stems")."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Extraction, Segment
from memorai.write.gate import turns_of
from memorai.write.growing import MentionColumns, MentionTable

#: (text, language) -> tokens
TokenizerFn = Callable[[str, str], list[str]]


class StemExtractor:
    """Every stem that some turns share, and not too many, is an entity of those turns; there are no relations.

    A mention weighs the stem's inverse document frequency, log(1 + N / df), with N turns of which df hold the stem.
    Captions count as text; speakers are not added.

    Args:
        min_df: fewest turns, >= 1; a stem of one turn links nothing.
        max_df: most turns: a number >= ``min_df``, or a share of all turns if it is a float in (0, 1].
        tokenizer: (text, language) -> tokens; default ``memorai.index.tokenize.Tokenizer(stem=True, stop_words=True)``.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(self, min_df: int = 2, max_df: int | float = 30, tokenizer: TokenizerFn | None = None) -> None:
        valid = 0 < max_df <= 1 if isinstance(max_df, float) else max_df >= min_df
        if min_df < 1 or not valid:
            raise InputError(
                f"StemExtractor: min_df={min_df} must be >= 1 and max_df={max_df} an integer >= min_df or a float in "
                "(0, 1]; set them so in conf/extractor/stems.yaml"
            )
        self.min_df, self.max_df = min_df, max_df
        self._tokenizer = tokenizer if tokenizer is not None else _default_tokenizer()

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, each turn's stems in order of appearance."""
        turns = turns_of(segments)
        return self.grow(language).append(turns).extraction(turns)

    def grow(self, language: str) -> GrowingStems:
        """Begin a conversation."""
        return GrowingStems(self, language)

    def stems(self, text: str, language: str) -> list[str]:
        """Return the distinct stems of a text in order of appearance."""
        return list(dict.fromkeys(self._tokenizer(text, language)))


class GrowingStems:
    """The stems of one conversation. Only new texts are tokenised; every weight depends on all turns, in one array."""

    def __init__(self, extractor: StemExtractor, language: str) -> None:
        self._extractor, self._language = extractor, language
        self._columns = MentionColumns()
        self._stems: dict[str, list[str]] = {}
        self._turns = 0

    def append(self, turns: Sequence[Turn]) -> MentionTable:
        """Read more turns and return the mentions of all."""
        for turn in turns:
            text = f"{turn.text} {turn.caption or ''}"
            if text not in self._stems:
                self._stems[text] = self._extractor.stems(text, self._language)
            self._columns.put(self._turns, self._stems[text])
            self._turns += 1
        entity, turn_of = self._columns.flat()
        df, limit = self._columns.turn_counts(), self._extractor.max_df
        most = limit * self._turns if isinstance(limit, float) else limit
        allowed = (df >= self._extractor.min_df) & (df <= most)
        idf = np.zeros(len(df))
        for n in np.unique(df[allowed]).tolist():
            idf[df == n] = math.log1p(self._turns / n)
        kept = allowed[entity]
        entity, keys = entity[kept], self._columns.keys
        return MentionTable(keys, keys, entity, turn_of[kept], idf[entity], self._columns.take_changed())


def _default_tokenizer() -> TokenizerFn:
    # imported here, so that an injected tokeniser needs no stemmer or stop list
    from memorai.index.tokenize import Tokenizer

    return Tokenizer(stem=True, stop_words=True)
