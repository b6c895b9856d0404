"""Entities and relations without a model: what rules and word lists can find in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memorai.errors import InputError
from memorai.write.extraction import Extraction, Segment
from memorai.write.gate import turns_of
from memorai.write.lexical_growing import GrowingLexical, LexicalOptions
from memorai.write.reading import Memo


class LexicalExtractor:
    """Names, noun-like phrases and speakers as entities; subject-verb-object patterns as relations.

    English and Chinese have word lists; other languages get names and stop-free runs of words at lower precision,
    and no relations worth the name. Nothing is downloaded, the same input always gives the same output.

    Args:
        max_words: longest common phrase in words, >= 1.
        min_df: an entity must occur in so many turns, >= 1; speakers are exempt.
        max_df_share: entities in more than this share of the turns (and in more than ten turns) are dropped, in
            (0, 1]; speakers are exempt.
        speakers: every turn mentions its speaker. Without it a speaker is mentioned only where a relation or the
            text names them.
        relations: look for relations.
        nested: a phrase of three words or more also mentions the longest phrase of at least two words inside it that
            stands alone elsewhere, so that "adoption agency interview" meets "adoption agency" (the nested terms of
            C-value, Frantzi et al. 2000).
        coreference: "he", "she" and "they" mention whom they mean where that is clear (memorai.write.coref).
        dates: a relation holds from the date that its sentence states (memorai.write.when); needs dateparser.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(
        self,
        max_words: int = 4,
        min_df: int = 1,
        max_df_share: float = 0.2,
        speakers: bool = True,
        relations: bool = True,
        nested: bool = True,
        coreference: bool = False,
        dates: bool = False,
    ) -> None:
        if max_words < 1 or min_df < 1 or not 0 < max_df_share <= 1:
            raise InputError(
                f"LexicalExtractor: max_words={max_words}, min_df={min_df} and max_df_share={max_df_share} must be "
                ">= 1, >= 1 and in (0, 1]; set them so in conf/extractor/lexical.yaml"
            )
        self.max_words, self.min_df, self.max_df_share = max_words, min_df, max_df_share
        self.speakers, self.relations, self.nested = speakers, relations, nested
        self.coreference, self.dates = coreference, dates
        self._memo: Memo | None = None

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, each turn's in order of appearance, and relations by their first statement.

        Args:
            segments: of one conversation.
            language: ISO 639-1 code; chooses the stemmer. Chinese text is recognised by its characters.
        """
        turns = turns_of(segments)
        return self.grow(language).append(turns).extraction(turns)

    def grow(self, language: str) -> GrowingLexical:
        """Begin a conversation to which turns can be added."""
        options = LexicalOptions(
            max_words=self.max_words,
            min_df=self.min_df,
            max_df_share=self.max_df_share,
            speakers=self.speakers,
            relations=self.relations,
            nested=self.nested,
            coreference=self.coreference,
            dates=self.dates,
        )
        return GrowingLexical(options, language, self._memo)


class WindowLexicalExtractor(LexicalExtractor):
    """The same for windows that overlap: how a sentence was read is remembered for the next window that holds it.

    Args:
        sentences: how many are remembered, at most.
        options: of `LexicalExtractor`.
    """

    def __init__(self, sentences: int = 20_000, **options: Any) -> None:
        super().__init__(**options)
        self._memo = Memo(sentences)
