"""All scores of one answer, and what stands beside them: context, length, abstention, a judge's word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorai.answer.types import Answer, Verdict
from memorai.metrics.answer import bleu1_nltk, exact_match, f1_locomo, f1_set
from memorai.metrics.answer_table import answer_length, bleu, rouge
from memorai.metrics.retrieval import Score
from memorai.types import Question

#: unit of scores of an answer, and of what it was given
ANSWER, CONTEXT = "answer", "context"
#: scores by overlap of words with the gold answer
OVERLAP = ("f1_locomo", "f1_set", "exact_match", "bleu1_nltk", "rouge1", "rouge2", "rougeL", "bleu")
#: a metric without a cut-off, where scores have one
NO_K = 0


def score_answer(
    question: Question, answer: Answer, held: Sequence[str], tokens: int, verdicts: Mapping[str, Verdict]
) -> list[Score]:
    """Score one answer.

    A question that has no answer (LoCoMo's adversarial ones, those whose premise fails) has no overlap but
    ``f1_locomo``, which asks whether the answer abstains; neither has one without a gold answer.

    Args:
        question: with its gold.
        answer: a failed one is empty and has 0.
        held: ids of the turns in the context.
        tokens: of the context.
        verdicts: by judge; one that says nothing is no score.

    Returns:
        ``f1_locomo`` and the other overlaps where they are defined, ``length`` in words, ``abstention`` (declined
        exactly where there is no answer), ``judge_NAME``; of the context ``evidence`` (share of the evidence in it,
        only where there is evidence), ``evidence_official`` (the same, 0 where there is none) and ``tokens``.
    """
    values: dict[str, float] = {}
    if not question.answerable:
        values["f1_locomo"] = f1_locomo(answer.text, None, "adversarial")
    elif question.answer is not None:
        values["f1_locomo"] = f1_locomo(answer.text, question.answer, question.category)
        values["f1_set"] = f1_set(answer.text, question.answer)
        values["exact_match"] = exact_match(answer.text, question.answer)
        values["bleu1_nltk"] = bleu1_nltk(answer.text, question.answer)
        values |= rouge(answer.text, question.answer)
        values["bleu"] = bleu(answer.text, question.answer)
    values["length"] = float(answer_length(answer.text))
    values["abstention"] = float(answer.abstained != question.answerable)
    values |= {f"judge_{name}": float(v.correct) for name, v in verdicts.items() if v.correct is not None}
    scores: list[Score] = [(name, ANSWER, NO_K, value) for name, value in values.items()]
    share = len(set(held) & set(question.evidence)) / len(question.evidence) if question.evidence else None
    scores += [(f"evidence{end}", CONTEXT, NO_K, value) for end, value in _recalls(share)]
    return [*scores, ("tokens", CONTEXT, NO_K, float(tokens))]


def _recalls(share: float | None) -> list[tuple[str, float]]:
    return [("_official", 0.0)] if share is None else [("", share), ("_official", share)]
