"""What the cells of a write-path grid keep, build, cost and find, as result rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memorai.graph.schema import EDGE_TYPES, NODE_TYPES
from memorai.harness.grid import Cell
from memorai.harness.run import scored_questions
from memorai.harness.write_path import STAGES, CellRun
from memorai.metrics.retrieval import score_question
from memorai.metrics.statistics import WEIGHTED, aggregate
from memorai.report.jsonable import DIGITS
from memorai.report.manifest import sanitise
from memorai.report.results import Row
from memorai.types import Dataset

Doubles = npt.NDArray[np.float64]

#: what retrieval is judged by
FOUND = ("recall", "ndcg")
COUNTS = (*(f"nodes_{name}" for name in NODE_TYPES), *(f"edges_{kind[1]}" for kind in EDGE_TYPES))
TIMES = (*(f"ms_{stage}" for stage in STAGES), "ms_per_turn")
#: suffixes: standard deviation over repetitions; difference to the cell of `compared_with`
SPREAD, DELTA = "_sd", "_delta"


def write_path_rows(
    dataset: Dataset, runs: Sequence[CellRun], k: int, *, n_resamples: int = 1000, seed: int = 0
) -> list[Row]:
    """Turn the runs of a grid into rows.

    A cell without a language model has one run, and its rows have no seed. Any other has one run a repetition: their
    rows carry the model's seed, the rows without one are means over the repetitions, and metrics that end in ``_sd``
    are standard deviations over them (n counts repetitions).

    Metrics: ``keep_rate`` of all turns and ``evidence_fnr`` of evidence turns (n counts turns), ``nodes_*`` and
    ``edges_*`` over the whole data set, ``ms_*`` a turn that was said, by stage and together, ``recall`` and ``ndcg``
    at k by category, and ``recall_delta`` and ``ndcg_delta``: the mean difference, question by question, to the
    cell that `compared_with` says. Intervals resample whole conversations.

    Args:
        dataset: whose conversations were written.
        runs: the repetitions of a cell stand together, a system's first cell before its others.
        k: cut-off.
        n_resamples: bootstrap draws; 0 for no intervals.
        seed: of the draws.
    """
    repetitions: dict[Cell, list[CellRun]] = {}
    for run in runs:
        repetitions.setdefault(run.cell, []).append(run)
    questions = _Questions(dataset, k, n_resamples, seed)
    scores = {cell: [questions.scores(run) for run in repeated] for cell, repeated in repetitions.items()}
    means = {cell: np.mean(found, axis=0) for cell, found in scores.items()}
    rows: list[Row] = []
    for cell, repeated in repetitions.items():
        other = means[compared_with(cell, list(means))]

        def rows_of(some: Sequence[CellRun], found: Doubles, other: Doubles = other) -> list[Row]:
            values = [*_written(some, n_resamples, seed), *questions.means(found, other)]
            return [_row(dataset, some[0], value) for value in values]

        rows += [replace(row, seed=None) for row in rows_of(repeated, means[cell])]
        if repeated[0].seed is not None:
            single = [row for run, found in zip(repeated, scores[cell], strict=True) for row in rows_of([run], found)]
            rows += [*single, *_spreads(single)]
    return rows


def compared_with(cell: Cell, cells: Sequence[Cell]) -> Cell:
    """Return the cell from which another's differences are counted: those of one step, where the grid allows it.

    With another gate than the system's first cell it is the same cell with that one's gate, if there is one; otherwise
    it is the system's first cell.
    """
    first = next(other for other in cells if other.system == cell.system)
    ungated = replace(cell, gate=first.gate, drop_share=first.drop_share)
    return ungated if ungated != cell and ungated in cells else first


class _Value(NamedTuple):
    """A row without its cell."""

    metric: str
    value: float
    n: int
    lo: float | None = None
    hi: float | None = None
    k: int | None = None
    category: str = WEIGHTED


class _Questions:
    """The scored questions of a data set, in its order."""

    def __init__(self, dataset: Dataset, k: int, n_resamples: int, seed: int) -> None:
        self.k, self.options = k, {"n_resamples": n_resamples, "seed": seed}
        self.asked = [(c, q) for c in dataset.conversations for q in scored_questions(c)]
        self.sessions = {c.id: {turn.id: turn.session_id for turn in c.turns} for c in dataset.conversations}
        self.order = tuple(dataset.categories)

    def scores(self, run: CellRun) -> Doubles:
        """One row a metric of `FOUND`, one column a question: [2, Q]."""
        found = np.zeros((len(FOUND), len(self.asked)))
        for column, (conversation, question) in enumerate(self.asked):
            ranking = run.rankings[question.id]
            for metric, unit, _, value in score_question(ranking, question, [self.k], self.sessions[conversation.id]):
                if unit == "turn" and metric in FOUND:
                    found[FOUND.index(metric), column] = value
        return found

    def means(self, found: Doubles, other: Doubles) -> Iterator[_Value]:
        """Means by category, and of the differences to ``other``."""
        categories, clusters = [q.category for _, q in self.asked], [c.id for c, _ in self.asked]
        for suffix, block in (("", found), (DELTA, found - other)):
            for metric, values in zip(FOUND, block, strict=True):
                for e in aggregate(values, categories, clusters, order=self.order, **self.options):
                    yield _Value(metric + suffix, e.value, e.n, e.lo, e.hi, self.k, e.category)


def _written(runs: Sequence[CellRun], n_resamples: int, seed: int) -> Iterator[_Value]:
    """What the write path did, averaged over runs and pooled over conversations."""
    by_conversation = list(zip(*(run.written for run in runs), strict=True))

    def summed(values: Sequence[Sequence[float]]) -> Doubles:
        return np.array([sum(each) for each in values]) / len(runs)

    turns = summed([[w.turns for w in each] for each in by_conversation])
    gold = summed([[w.gold for w in each] for each in by_conversation])
    kept = summed([[w.kept for w in each] for each in by_conversation])
    lost = summed([[w.lost for w in each] for each in by_conversation])
    yield _ratio("keep_rate", kept, turns, n_resamples, seed)
    yield _ratio("evidence_fnr", lost, gold, n_resamples, seed)
    for name in COUNTS:
        yield _Value(
            name, float(summed([[w.counts[name] for w in each] for each in by_conversation]).sum()), len(turns)
        )
    stages = {s: summed([[1e3 * w.seconds[s] for w in each] for each in by_conversation]) for s in STAGES}
    for stage, ms in stages.items():
        yield _ratio(f"ms_{stage}", ms, turns, n_resamples, seed)
    yield _ratio("ms_per_turn", np.sum(list(stages.values()), axis=0), turns, n_resamples, seed)


def _ratio(metric: str, part: Doubles, whole: Doubles, n_resamples: int, seed: int) -> _Value:
    """The ratio of two sums over conversations [C]; one conversation alone has no interval."""
    value, n = float(part.sum() / whole.sum()), round(float(whole.sum()))
    if len(whole) < 2 or n_resamples == 0:
        return _Value(metric, value, n)
    draws = np.random.default_rng(seed).multinomial(len(whole), np.full(len(whole), 1 / len(whole)), n_resamples)
    lo, hi = np.percentile((draws @ part) / (draws @ whole), [2.5, 97.5])
    return _Value(metric, value, n, float(lo), float(hi))


def _spreads(single: Sequence[Row]) -> Iterator[Row]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in single:
        groups.setdefault((row.category, row.metric), []).append(row)
    for rows in groups.values():
        if len(rows) > 1:
            spread = round(float(np.std([row.value for row in rows], ddof=1)), DIGITS)
            metric = rows[0].metric + SPREAD
            yield replace(rows[0], metric=metric, seed=None, value=spread, lo=None, hi=None, n=len(rows))


def _row(dataset: Dataset, run: CellRun, value: _Value) -> Row:
    def kept(number: float | None) -> float | None:
        return None if number is None else round(number, DIGITS)

    return Row(
        dataset=sanitise(dataset.name),
        protocol=run.protocol,
        system=run.cell.system,
        variant=run.cell.variant,
        seed=run.seed,
        category=value.category,
        metric=value.metric,
        unit="turn",
        k=value.k,
        value=round(value.value, DIGITS),
        lo=kept(value.lo),
        hi=kept(value.hi),
        n=value.n,
    )
