"""Scores of single questions kept together, so that systems can be averaged and tested against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memorai.harness.run import Outcome, scored_questions
from memorai.metrics.retrieval import Score, score_question
from memorai.metrics.statistics import MACRO, WEIGHTED, holm, paired_permutation
from memorai.report.render import Cell, Header, Line, Table
from memorai.report.results import Row
from memorai.report.summarize import summarize
from memorai.types import Dataset

#: what systems are tested on
_TESTED = (("ndcg", "turn", 10), ("recall", "turn", 10))


@dataclass(frozen=True)
class Scored:
    """One system's scores, question by question, in the data set's order.

    Args:
        scores: of each question (`memorai.metrics.retrieval.score_question`).
        categories: of each question.
        clusters: conversation of each question.
    """

    scores: tuple[tuple[Score, ...], ...]
    categories: tuple[str, ...]
    clusters: tuple[str, ...]

    def rows(self, **labels: Any) -> list[Row]:
        """Return result rows, see `memorai.report.summarize.summarize`."""
        return summarize(self.scores, self.categories, self.clusters, **labels)

    def values(self, metric: str, unit: str, k: int) -> list[float]:
        """Return one metric of every question."""
        return [v for entries in self.scores for m, u, cut, v in entries if (m, u, cut) == (metric, unit, k)]


def scored_rows(dataset: Dataset, outcome: Outcome, ks: Sequence[int]) -> Scored:
    """Score the rankings of one system."""
    scores, categories, clusters = [], [], []
    for conversation in dataset.conversations:
        session_of = {turn.id: turn.session_id for turn in conversation.turns}
        for question in scored_questions(conversation):
            scores.append(tuple(score_question(outcome.rankings[question.id], question, ks, session_of)))
            categories.append(question.category)
            clusters.append(conversation.id)
    return Scored(tuple(scores), tuple(categories), tuple(clusters))


def mean_scored(runs: Sequence[Scored]) -> Scored:
    """Average each question's scores over runs, for instance seeds, so that an interval is of their mean."""
    first = runs[0]
    scores = []
    for question in zip(*(run.scores for run in runs), strict=True):
        entries = []
        for same in zip(*question, strict=True):
            metric, unit, k, _ = same[0]
            entries.append((metric, unit, k, float(np.mean([entry[3] for entry in same]))))
        scores.append(tuple(entries))
    return Scored(tuple(scores), first.categories, first.clusters)


def comparison(title: str, ours: Scored, others: Mapping[str, Scored]) -> Table:
    """Return a table of ours minus each other, with paired permutation p-values adjusted by Holm over the table.

    Args:
        title: what the others are compared with.
        ours: scores of the system in question.
        others: by name; all over the same questions.
    """
    tests: list[tuple[str, str, float, float]] = []
    for name, other in others.items():
        for metric, unit, k in _TESTED:
            values = ours.values(metric, unit, k), other.values(metric, unit, k)
            for average in (MACRO, WEIGHTED):
                kinds = ours.categories if average == MACRO else None
                test = paired_permutation(*values, ours.clusters, categories=kinds)
                tests.append((name, f"{metric}@{k} {average}", test.difference, test.p_value))
    adjusted = holm([p for *_, p in tests])
    headers = [f"{metric}@{k} {average}" for metric, _, k in _TESTED for average in (MACRO, WEIGHTED)]
    lines = []
    for name in others:
        own = [(d, p) for (n, _, d, _), p in zip(tests, adjusted, strict=True) if n == name]
        lines.append(Line((name,), tuple(Cell(100 * d) for d, _ in own) + tuple(Cell(100 * p) for _, p in own)))
    columns = (*(Header(h, "difference") for h in headers), *(Header(h, "p, %") for h in headers))
    notes = ("Paired permutation of whole conversations; differences in points, p in per cent, adjusted by Holm.",)
    return Table(f"{title} minus", ("compared with",), columns, tuple(lines), notes)
