"""Scores of answers by other packages, and what a table of answers shows beside every score.

`memorai.metrics.answer` has the scores by words that benchmarks define themselves; none of them compares with these.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from memorai.errors import InputError


def rouge(prediction: str, gold: str) -> dict[str, float]:
    """Return the F-measures of ROUGE-1, ROUGE-2 and ROUGE-L of the package rouge-score, with its stemmer.

    Raises:
        InputError: rouge-score is missing.
    """
    found = _rouge_scorer().score(gold, prediction)
    return {name: float(score.fmeasure) for name, score in found.items()}


def bleu(prediction: str, gold: str) -> float:
    """Return sacrebleu's sentence BLEU with its default settings and effective order, in [0, 1].

    Raises:
        InputError: sacrebleu is missing.
    """
    try:
        from sacrebleu import sentence_bleu
    except ImportError as error:
        raise _missing("sacrebleu") from error
    return float(sentence_bleu(prediction, [gold]).score) / 100


def answer_length(prediction: str) -> int:
    """Words between blanks: shown beside every score, since overlap scores reward short answers."""
    return len(prediction.split())


def abstention_accuracy(abstained: Sequence[bool], answerable: Sequence[bool]) -> float | None:
    """Return how often a reader declines exactly where the question has no answer; None without questions.

    Raises:
        ValueError: the two differ in length.
    """
    pairs = list(zip(abstained, answerable, strict=True))
    return sum(declined != can for declined, can in pairs) / len(pairs) if pairs else None


def official_mean(scores: Sequence[float]) -> float | None:
    """Return the mean of scores rounded to three decimals each, as LoCoMo's script averages; None without scores."""
    return sum(round(score, 3) for score in scores) / len(scores) if scores else None


def official_recall(recalls: Sequence[float | None]) -> float | None:
    """Return LoCoMo's mean evidence recall of a category: None = no evidence, added as 0 but counted.

    The corrected mean leaves such questions out; see `corrected_recall`.
    """
    return sum(recall or 0.0 for recall in recalls) / len(recalls) if recalls else None


def corrected_recall(recalls: Sequence[float | None]) -> float | None:
    """Return the mean evidence recall over the questions that have evidence; None without any."""
    known = [recall for recall in recalls if recall is not None]
    return sum(known) / len(known) if known else None


@cache
def _rouge_scorer() -> Any:
    try:
        from absl import logging as absl_logging
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise _missing("rouge-score") from error
    if sys.__stderr__ is not None:
        # absl, which rouge-score logs with, closes whatever stood in for standard error at its import as soon as
        # logging is configured anew, as Hydra does for each job; the process's own it leaves open
        absl_logging.get_absl_handler().python_handler.setStream(sys.__stderr__)
    return RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)


def _missing(package: str) -> InputError:
    return InputError(f"scores of answers need {package}; install it: pip install 'memorai[qa]'")
