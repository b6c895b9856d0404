"""Extractive segment summaries: the sentences nearest to what the whole segment speaks of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.describe import trim
from memorai.write.extraction import Segment
from memorai.write.lexicon_en import CLOSED_CLASS
from memorai.write.lexicon_zh import WORDS
from memorai.write.names import PhraseKeys
from memorai.write.sentences import tokenize, turn_sentences

_KEYS = PhraseKeys("en")
_FULL_LENGTH = 3  # terms; a one-word sentence is too easily near to any centroid


#: a segment's turns -> its summary
Summarizer = Callable[[Sequence[Turn]], str]


@runtime_checkable
class BatchSummarizer(Protocol):
    """A summarizer that is quicker with many segments at once, such as one that waits for a language model."""

    def __call__(self, turns: Sequence[Turn]) -> str:
        """Summarise one segment's turns."""
        ...

    def many(self, segments: Sequence[Sequence[Turn]]) -> Sequence[str]:
        """Return one summary a segment, in order."""
        ...


def with_summaries(segments: Sequence[Segment], summarizer: Summarizer) -> tuple[Segment, ...]:
    """Return the segments with a summary each; one that has a summary keeps it.

    A summarizer that takes many segments is handed all of them at once.
    """
    bare = [segment.turns for segment in segments if not segment.summary]
    written = iter(summarizer.many(bare) if isinstance(summarizer, BatchSummarizer) else map(summarizer, bare))
    return tuple(s if s.summary else replace(s, summary=next(written)) for s in segments)


def summarize(turns: Sequence[Turn], sentences: int = 3, max_words: int = 30) -> str:
    """Summarise a segment by its most central sentences, each with its speaker, in the order in which they were said.

    A sentence is a tf-idf vector over stems (documents are the segment's sentences); its score is the cosine with
    the sum of all of them (the centroid method of Radev et al. 2004). The paper asks a language model for 2-3
    sentences instead. Statements come before questions, sentences of fewer than three terms are marked down,
    ties go to the earlier sentence; no text is taken twice.

    Args:
        turns: of one segment, in order.
        sentences: how many to keep, >= 1.
        max_words: of each sentence, >= 1.

    Returns:
        "Speaker: sentence Speaker: sentence ..."; empty if no turn has a sentence.

    Raises:
        InputError: for a limit below 1.
    """
    if sentences < 1 or max_words < 1:
        raise InputError(f"summarize: sentences={sentences} and max_words={max_words} must be >= 1; raise them")
    found = list(dict.fromkeys((turn.speaker, sentence) for turn in turns for sentence in turn_sentences(turn)))
    said = [(speaker, sentence.text) for speaker, sentence in found]
    # vocatives are everywhere in a conversation and tell nothing of its topic
    names = {_KEYS.stem(word) for turn in turns for word in turn.speaker.split()}
    scores = _centrality([Counter({t: n for t, n in _terms(text).items() if t not in names}) for _, text in said])
    order = sorted(range(len(said)), key=lambda index: (found[index][1].question, -scores[index], index))
    chosen = sorted(_distinct(order, said)[:sentences])
    return " ".join(f"{said[index][0]}: {trim(said[index][1], max_words)}" for index in chosen)


def _distinct(order: Sequence[int], said: Sequence[tuple[str, str]]) -> list[int]:
    """Drop indices whose text came before."""
    first: dict[str, int] = {}
    for index in order:
        first.setdefault(said[index][1], index)
    return list(first.values())


def _terms(text: str) -> Counter[str]:
    """Stems of content words; pairs of neighbouring characters for Chinese and Japanese."""
    terms: Counter[str] = Counter()
    for token in tokenize(text):
        if token.cjk:
            pairs = (token.lower[i : i + 2] for i in range(max(1, len(token.lower) - 1)))
            terms.update(pair for pair in pairs if pair not in WORDS)
        elif token.tag is None and token.lower not in CLOSED_CLASS and len(token.lower) > 1:
            terms[_KEYS.stem(token.lower)] += 1
    return terms


def _centrality(documents: Sequence[Counter[str]]) -> list[float]:
    df = Counter(term for document in documents for term in document)
    idf = {term: math.log1p(len(documents) / count) for term, count in df.items()}
    vectors = [{term: tf * idf[term] for term, tf in document.items()} for document in documents]
    centroid: dict[str, float] = {}
    for vector in vectors:
        for term, value in vector.items():
            centroid[term] = centroid.get(term, 0.0) + value
    out = []
    for vector in vectors:
        # the centroid's own norm is the same for all and left out
        norm = math.sqrt(sum(value * value for value in vector.values()))
        cosine = sum(value * centroid[term] for term, value in vector.items()) / norm if norm else 0.0
        out.append(cosine * min(1.0, len(vector) / _FULL_LENGTH))
    return out
