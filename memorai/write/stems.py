"""Shared words as entities: the edges of the strongest untrained graph we know (docs/design.md, "shared stems")."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from memorai.errors import InputError
from memorai.write.extraction import Extraction, Memo, Mention, Segment

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
        return self.extract_more(segments, language, {})

    def extract_more(self, segments: Sequence[Segment], language: str, memo: Memo) -> Extraction:
        """As `extract`; only new texts are tokenised, document frequencies are counted anew."""
        turns = {turn.id: turn for segment in segments for turn in segment.turns}
        stems: dict[str, list[str]] = {}
        for id_, turn in turns.items():
            text = f"{turn.text} {turn.caption or ''}"
            if text not in memo:
                memo[text] = list(dict.fromkeys(self._tokenizer(text, language)))
            stems[id_] = memo[text]
        df = Counter(stem for found in stems.values() for stem in found)
        most = self.max_df * len(turns) if isinstance(self.max_df, float) else self.max_df
        idf = {stem: math.log1p(len(turns) / n) for stem, n in df.items() if self.min_df <= n <= most}
        mentions = (Mention(s, s, id_, idf[s]) for id_, found in stems.items() for s in found if s in idf)
        return Extraction(tuple(mentions))


def _default_tokenizer() -> TokenizerFn:
    # imported here, so that an injected tokeniser needs no stemmer or stop list
    from memorai.index.tokenize import Tokenizer

    return Tokenizer(stem=True, stop_words=True)
