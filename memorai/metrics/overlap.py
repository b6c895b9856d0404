"""How many of a question's words stand in its evidence: what a word-matching retriever is given for nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memorai.index.tokenize import Tokenizer
from memorai.types import Dataset, Turn

#: upper bounds of the bins; the last one is closed
BINS = (("low", 1 / 3), ("middle", 2 / 3), ("high", 1.0))


def word_overlap(question: str, evidence: Sequence[Turn], language: str, tokenizer: Tokenizer) -> float:
    """Return the share of a question's distinct terms that its evidence holds, speaker and caption included.

    Terms are stemmed and without stop words; a question without any has overlap 0.

    Example:
        >>> turn = Turn("t1", "s1", "Ann", "I adopted a puppy.")
        >>> word_overlap("When did Ann adopt the kitten?", [turn], "en", Tokenizer())
        0.6666666666666666
    """
    asked = set(tokenizer(question, language))
    said = {
        term
        for turn in evidence
        for text in (turn.speaker, turn.text, turn.caption or "")
        for term in tokenizer(text, language)
    }
    return len(asked & said) / len(asked) if asked else 0.0


def overlaps(dataset: Dataset) -> dict[str, float]:
    """Return the overlap of every question with evidence, by id, in the data set's order."""
    tokenizer = Tokenizer()
    found = {}
    for conversation in dataset.conversations:
        by_id = {turn.id: turn for turn in conversation.turns}
        for question in conversation.questions:
            if question.evidence:
                evidence = [by_id[id_] for id_ in question.evidence]
                found[question.id] = word_overlap(question.text, evidence, conversation.language, tokenizer)
    return found


def bin_of(overlap: float) -> str:
    """Return ``low``, ``middle`` or ``high``: thirds of the scale, not of the questions."""
    return next(name for name, bound in BINS if overlap < bound or name == BINS[-1][0])


def overlap_note(found: dict[str, float]) -> str:
    """Return the sentence that a table prints about its questions."""
    values = np.array(list(found.values()))
    counts = [sum(bin_of(value) == name for value in values.tolist()) for name, _ in BINS]
    thirds = ", ".join(f"{name} {count}" for (name, _), count in zip(BINS, counts, strict=True))
    return (
        f"Word overlap of question and evidence (stems without stop words): mean {100 * values.mean():.0f} %, "
        f"median {100 * np.median(values):.0f} %; {thirds}."
    )
