"""How far the words of a question give its evidence away: what lexical search gets for nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean, median

from memorai.types import Dataset

#: (text, language) -> words, as `memorai.index.tokenize.Tokenizer` gives them: stop words out, stemmed.
Tokenize = Callable[[str, str], list[str]]


def question_overlap(dataset: Dataset, tokenize: Tokenize) -> dict[str, float]:
    """Per question id the share, in [0, 1], of its distinct words that occur in its evidence turns.

    A turn's text and caption count, not its speaker or date. Questions without evidence, or without words that
    `tokenize` keeps, are left out.
    """
    overlap: dict[str, float] = {}
    for conversation in dataset.conversations:
        turns = {turn.id: turn for turn in conversation.turns}
        words_of: dict[str, frozenset[str]] = {}
        for question in conversation.questions:
            asked = set(tokenize(question.text, conversation.language))
            if not asked or not question.evidence:
                continue
            for turn_id in question.evidence:
                if turn_id not in words_of:
                    said = f"{turns[turn_id].text}\n{turns[turn_id].caption or ''}"
                    words_of[turn_id] = frozenset(tokenize(said, conversation.language))
            found = asked & frozenset().union(*(words_of[turn_id] for turn_id in question.evidence))
            overlap[question.id] = len(found) / len(asked)
    return overlap


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """Overlap over the questions of one category: mean, median, share of questions above one half."""

    category: str
    n: int
    mean: float
    median: float
    above_half: float


def overlap_rows(dataset: Dataset, overlap: Mapping[str, float]) -> list[OverlapRow]:
    """A row for each category that has questions in `overlap`, in the data set's order, and one for ``all``."""
    values: dict[str, list[float]] = {name: [] for name in dataset.categories}
    for conversation in dataset.conversations:
        for question in conversation.questions:
            if question.id in overlap:
                values.setdefault(question.category, []).append(overlap[question.id])
    rows = [_row(name, own) for name, own in values.items() if own]
    return rows if len(values) == 1 or not overlap else [*rows, _row("all", list(overlap.values()))]


def _row(category: str, values: list[float]) -> OverlapRow:
    above = sum(value > 0.5 for value in values) / len(values)
    return OverlapRow(category, len(values), fmean(values), median(values), above)
