"""From the scores of single questions to result rows."""

from __future__ import annotations

from collections.abc import Sequence

from memorai.metrics.retrieval import Score
from memorai.metrics.statistics import aggregate
from memorai.report.jsonable import DIGITS
from memorai.report.results import Row


def summarize(
    scores: Sequence[Sequence[Score]],
    categories: Sequence[str],
    clusters: Sequence[str],
    *,
    dataset: str,
    protocol: str,
    system: str,
    variant: str = "",
    seed: int | None = None,
    order: Sequence[str] = (),
    n_resamples: int = 1000,
    bootstrap_seed: int = 0,
) -> list[Row]:
    """Average one system's scores into rows: every metric by category, macro and weighted, with intervals.

    Args:
        scores: for each question what `memorai.metrics.retrieval.score_question` returned; a question that lacks a unit
            is left out of that unit's rows, and n says so.
        categories: category of each question.
        clusters: conversation of each question.
        dataset: goes into the rows, like protocol, system, variant and seed.
        protocol: what the system has seen: untrained, zero_shot, loco or within.
        system: its name.
        variant: what a sweep changed, e.g. ``damping=0.3``.
        seed: of the system, None if nothing in it is random.
        order: category order.
        n_resamples: bootstrap draws; 0 for no intervals.
        bootstrap_seed: of the draws; keep it equal for all systems of a table.

    Raises:
        ValueError: see `memorai.metrics.statistics.aggregate`.
    """
    if not len(scores) == len(categories) == len(clusters):
        raise ValueError(
            f"lengths differ: {len(scores)} scores, {len(categories)} categories, {len(clusters)} clusters"
        )
    grouped: dict[tuple[str, str, int], tuple[list[float], list[int]]] = {}
    for question, entries in enumerate(scores):
        for metric, unit, k, value in entries:
            values, questions = grouped.setdefault((metric, unit, k), ([], []))
            values.append(value)
            questions.append(question)
    rows = []
    for (metric, unit, k), (values, questions) in grouped.items():
        estimates = aggregate(
            values,
            [categories[question] for question in questions],
            [clusters[question] for question in questions],
            n_resamples=n_resamples,
            seed=bootstrap_seed,
            order=order,
        )
        rows += [
            Row(
                dataset,
                protocol,
                system,
                variant,
                seed,
                e.category,
                metric,
                unit,
                k,
                round(e.value, DIGITS),
                _kept(e.lo),
                _kept(e.hi),
                e.n,
            )
            for e in estimates
        ]
    return rows


def _kept(value: float | None) -> float | None:
    # rounded as results.json will hold it, so that a table made now and one made from the file agree
    return None if value is None else round(value, DIGITS)
