"""What a gate loses: rows and a table of keep rate, evidence lost, ranking and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from memorai.learn.gate import Bools, Doubles, dropped_at
from memorai.metrics.classification import auc, brier, expected_calibration_error, precision_recall_f1
from memorai.metrics.statistics import WEIGHTED
from memorai.report.render import Cell, Header, Line, Table
from memorai.report.results import Row

#: percentages of turns dropped at which lost evidence is reported
DROPS = (10, 20, 30, 40, 50)
_COLUMNS = (
    ("auc_evidence", None),
    *(("evidence_fnr", k) for k in DROPS),
    *((name, None) for name in ("keep_rate", "precision", "recall", "f1", "ece", "brier")),
)


def gate_values(
    scores: Doubles, kept: Bools, gold: Bools, dropped: Mapping[int, Bools]
) -> dict[tuple[str, int | None], float]:
    """Compute every metric over turns, pooled over conversations.

    Args:
        scores: [n] in [0, 1].
        kept: [n] whether the gate's own threshold keeps the turn; of it are recall, precision, F1 and keep rate.
        gold: [n] whether the turn is evidence.
        dropped: percentage -> [n] whether the turn is among the so many per cent that its conversation drops; of it is
            ``evidence_fnr`` at k, the share of evidence that is dropped. Empty for a gate that only says yes or no:
            its scores rank nothing and are no probabilities.

    Returns:
        By metric and k; what has no denominator (AUC with one class only) is left out.
    """
    precision, recall, f1 = precision_recall_f1(kept, gold)
    values: dict[tuple[str, int | None], float] = {("keep_rate", None): float(kept.mean())}
    values |= {("precision", None): precision, ("recall", None): recall, ("f1", None): f1}
    if not dropped:
        return values
    if gold.any() and not gold.all():
        values["auc_evidence", None] = auc(scores, gold)
    if gold.any():
        values |= {("evidence_fnr", k): float(gone[gold].mean()) for k, gone in dropped.items()}
    values["ece", None] = expected_calibration_error(scores, gold)
    values["brier", None] = brier(scores, gold)
    return values


def gate_rows(
    scores: Doubles,
    kept: Bools,
    gold: Bools,
    group: npt.NDArray[np.int64],
    *,
    dataset: str,
    protocol: str,
    system: str,
    seed: int | None = None,
    n_resamples: int = 1000,
) -> list[Row]:
    """Return one row a metric with a 95 % interval from resampled conversations; n counts turns."""
    # what a conversation drops depends on itself alone, so it is the same in every resample
    graded = len(np.unique(scores)) > 2
    dropped = {k: dropped_at(scores, group, k / 100) for k in DROPS if graded}
    points = gate_values(scores, kept, gold, dropped)
    rng = np.random.default_rng(seed or 0)
    places = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    drawn: dict[tuple[str, int | None], list[float]] = {key: [] for key in points}
    for _ in range(n_resamples if len(places) > 1 else 0):
        rows = np.concatenate([places[i] for i in rng.integers(len(places), size=len(places))])
        found = gate_values(scores[rows], kept[rows], gold[rows], {k: gone[rows] for k, gone in dropped.items()})
        for key, value in found.items():
            drawn[key].append(value)
    built = []
    for (metric, k), value in points.items():
        sample = drawn[metric, k]
        lo, hi = (float(v) for v in np.percentile(sample, [2.5, 97.5])) if sample else (None, None)
        n = len(gold)
        built.append(Row(dataset, protocol, system, "", seed, WEIGHTED, metric, "turn", k, value, lo, hi, n))
    return built


def gate_table(rows: Sequence[Row]) -> Table:
    """Lay gates out, a line each: AUC, evidence lost at each share dropped, and decisions at the gate's threshold."""
    found = {(row.dataset, row.protocol, row.system): row.n for row in rows}
    by = {(row.dataset, row.protocol, row.system, row.metric, row.k): row for row in rows}
    lines = []
    for key, n in found.items():
        cells = [by.get((*key, *column)) for column in _COLUMNS]
        shown = tuple(None if r is None else Cell(100 * r.value, _x100(r.lo), _x100(r.hi)) for r in cells)
        lines.append(Line((key[2], key[0], key[1], str(n)), shown))
    headers = tuple(Header(name if k is None else f"{name}@{k}") for name, k in _COLUMNS)
    notes = (
        "Values x100 with 95 % intervals from resampled conversations; n counts turns.",
        "evidence_fnr@k: share of the evidence turns among the k % of each conversation that are dropped.",
        "keep_rate, precision, recall, f1: at the gate's own threshold. ece, brier: of scores read as probabilities.",
    )
    return Table(
        "Gates: what is kept and what is lost", ("gate", "dataset", "protocol", "n"), headers, tuple(lines), notes
    )


def _x100(value: float | None) -> float | None:
    return None if value is None else 100 * value
