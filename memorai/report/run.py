"""From what systems did to the files of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from memorai.harness.run import Outcome, scored_questions
from memorai.metrics.retrieval import count_saturated, score_question
from memorai.report.results import Row, Timing
from memorai.report.summarize import summarize
from memorai.report.trec import write_predictions, write_trec_qrels, write_trec_run
from memorai.types import Dataset


def rows_of(
    dataset: Dataset,
    outcome: Outcome,
    ks: Sequence[int],
    *,
    protocol: str = "untrained",
    variant: str = "",
    seed: int | None = None,
    n_resamples: int = 1000,
) -> list[Row]:
    """Score one system's rankings: every metric by category, macro and weighted, turn and session.

    Args:
        dataset: whose questions were asked.
        outcome: rankings by question id.
        ks: cut-offs.
        protocol: what the system has seen.
        variant: what a sweep changed.
        seed: of the run.
        n_resamples: bootstrap draws, clustered by conversation.
    """
    scores, categories, clusters = [], [], []
    for conversation in dataset.conversations:
        session_of = {turn.id: turn.session_id for turn in conversation.turns}
        for question in scored_questions(conversation):
            scores.append(score_question(outcome.rankings[question.id], question, ks, session_of))
            categories.append(question.category)
            clusters.append(conversation.id)
    return summarize(
        scores,
        categories,
        clusters,
        dataset=dataset.name,
        protocol=protocol,
        system=outcome.system,
        variant=variant,
        seed=seed,
        order=dataset.categories,
        n_resamples=n_resamples,
    )


def timings_of(outcome: Outcome) -> list[Timing]:
    """Median and 95th percentile of every stage, in milliseconds; n counts conversations or queries."""
    timings = []
    for stage, values in outcome.stages.items():
        p50, p95 = np.percentile(values, [50, 95])
        timings.append(Timing(outcome.system, stage, float(p50), float(p95), len(values)))
    return timings


def notes_of(dataset: Dataset, ks: Sequence[int]) -> list[str]:
    """Sentences that a table needs below it: denominators, survived defects, cut-offs that say nothing."""
    scored = {c.id: scored_questions(c) for c in dataset.conversations}
    total = sum(len(c.questions) for c in dataset.conversations)
    n = sum(len(questions) for questions in scored.values())
    notes = [f"{n} of {total} questions name evidence and are scored."]
    defects = Counter(note.kind for note in dataset.notes)
    if defects:
        listed = ", ".join(f"{kind} {count}" for kind, count in sorted(defects.items()))
        notes.append(f"Defects of the data survived: {listed}.")
    sizes = [len(c.turns) for c in dataset.conversations for _ in scored[c.id]]
    for k, count in count_saturated(sizes, ks).items():
        if count:
            notes.append(f"k={k} covers every candidate turn of {count} of {n} questions, whose recall@{k} is trivial.")
    return notes


def write_rankings(folder: Path, dataset: Dataset, outcomes: Sequence[Outcome]) -> None:
    """Write predictions.jsonl, one TREC run a system, and the qrels."""
    questions = [q for c in dataset.conversations for q in scored_questions(c)]
    rankings: Mapping[str, list] = {o.system: [o.rankings[q.id] for q in questions] for o in outcomes}
    write_predictions(folder / "predictions.jsonl", rankings, questions)
    write_trec_qrels(folder / "qrels.trec", questions)
    for system, ranked in rankings.items():
        write_trec_run(folder / f"{system}.trec", ranked, tag=system)
