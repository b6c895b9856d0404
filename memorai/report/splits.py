"""Quality split by what makes a question hard: its word overlap with the evidence, and its stated difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memorai.harness.run import scored_questions
from memorai.metrics.overlap import BINS, bin_of
from memorai.metrics.statistics import WEIGHTED, aggregate
from memorai.report.compare import Scored
from memorai.report.render import Cell, Header, Line, Table
from memorai.report.tables import CEILINGS, Measure
from memorai.types import Dataset

DIFFICULTIES = ("easy", "medium", "hard")


def overlap_split(
    scored: Mapping[str, Scored], overlap: Mapping[str, float], measure: Measure, n_resamples: int
) -> Table:
    """Return a table of one measure with a column for each third of word overlap."""
    labels = [f"{bin_of(value)} overlap" for value in overlap.values()]
    return _split(
        "word overlap of question and evidence", labels, [f"{n} overlap" for n, _ in BINS], scored, measure, n_resamples
    )


def difficulty_split(
    dataset: Dataset, scored: Mapping[str, Scored], measure: Measure, n_resamples: int
) -> Table | None:
    """Return a table with a column for each difficulty, None where the data set states none."""
    found = [q.difficulty for c in dataset.conversations for q in scored_questions(c)]
    if not any(found):
        return None
    return _split(
        "difficulty", [d or "not stated" for d in found], [*DIFFICULTIES, "not stated"], scored, measure, n_resamples
    )


def _split(
    title: str,
    labels: Sequence[str],
    order: Sequence[str],
    scored: Mapping[str, Scored],
    measure: Measure,
    n_resamples: int,
) -> Table:
    present = [name for name in order if name in set(labels)]
    lines, counts = [], dict.fromkeys(present, 0)
    for system, own in scored.items():
        values = own.values(measure.metric, measure.unit, measure.k or 0)
        found = {e.category: e for e in aggregate(values, labels, own.clusters, n_resamples=n_resamples, order=order)}
        counts = {name: found[name].n for name in present}
        columns = [found[name] for name in (*present, WEIGHTED)]
        cells = (Cell(100 * e.value, _percent(e.lo), _percent(e.hi)) for e in columns)
        lines.append(Line((system,), tuple(cells)))
    headers = (*(Header(f"{name} n={counts[name]}") for name in present), Header("all"))
    return Table(f"{measure} by {title}", ("system",), headers, _bold(lines))


def _percent(end: float | None) -> float | None:
    return None if end is None else 100 * end


def _bold(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Mark the best of each column that no ceiling holds; values that print alike are equally good."""
    best: list[float] = []
    for column in range(len(lines[0].cells)):
        cells = [line.cells[column] for line in lines if line.labels[0] not in CEILINGS]
        best.append(max((round(cell.value, 1) for cell in cells if cell is not None), default=float("inf")))
    return tuple(
        Line(
            line.labels,
            tuple(
                cell and replace(cell, best=line.labels[0] not in CEILINGS and round(cell.value, 1) == top)
                for cell, top in zip(line.cells, best, strict=True)
            ),
        )
        for line in lines
    )
