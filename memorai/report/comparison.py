"""What a comparison says beyond its tables: tests against a baseline, splits, costs, published figures, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memorai.errors import InputError
from memorai.harness.run import Outcome, same_questions
from memorai.metrics.overlap import overlap_note, overlaps
from memorai.metrics.retrieval import METRICS
from memorai.report.charts import category_bars, quality_and_latency, system_bars
from memorai.report.compare import Scored, scored_rows
from memorai.report.expense import expense_table, expenses
from memorai.report.failures import write_failures
from memorai.report.jsonable import dumps
from memorai.report.published_systems import published_table
from memorai.report.render import to_markdown
from memorai.report.results import Row
from memorai.report.significance import versus, versus_table
from memorai.report.splits import difficulty_split, overlap_split
from memorai.report.tables import Measure
from memorai.types import Dataset

FILE_NAME, JSON_NAME = "comparison.md", "comparison.json"
_KEYS = {"baseline", "measures", "failures_of", "per_category", "quote"}


def check_compare(compare: object, systems: Sequence[str], ks: Sequence[int]) -> dict[str, Any] | None:
    """Return the settings of a comparison, None where there is to be none.

    Raises:
        InputError: a key is missing or unknown, a system is not among those that run, or a measure is not computed.
    """
    if compare is None:
        return None
    if not isinstance(compare, Mapping) or set(compare) != _KEYS:
        raise InputError(
            f"compare={compare}: give exactly {', '.join(sorted(_KEYS))}, as conf/experiment/compare.yaml does"
        )
    settings = dict(compare)
    for key, names in (("baseline", [settings["baseline"]]), ("failures_of", settings["failures_of"])):
        for name in names or []:
            if name not in systems:
                raise InputError(f"compare.{key}={name} is not among the systems: {', '.join(systems)}")
    measures = measures_of(settings)
    for measure in measures:
        if measure.metric not in METRICS or measure.unit not in ("turn", "session") or measure.k not in ks:
            raise InputError(
                f"compare.measures: {measure} is not computed; metrics: {', '.join(METRICS)}; units: turn, session; "
                f"k among ks={list(ks)}"
            )
    if not measures:
        raise InputError("compare.measures is empty; give at least one, such as {metric: ndcg, unit: turn, k: 10}")
    return settings


def measures_of(settings: Mapping[str, Any]) -> list[Measure]:
    """Return the measures of a comparison's settings.

    Raises:
        InputError: an entry is not of the form {metric, unit, k}.
    """
    try:
        return [Measure(entry["metric"], entry["unit"], entry["k"]) for entry in settings["measures"]]
    except (KeyError, TypeError):
        raise InputError(f"compare.measures={settings['measures']}: each is {{metric, unit, k}}") from None


def write_comparison(
    folder: Path,
    dataset: Dataset,
    outcomes: Sequence[Outcome],
    rows: Sequence[Row],
    ks: Sequence[int],
    settings: Mapping[str, Any],
    n_resamples: int,
) -> list[Path]:
    """Write comparison.md and .json, failures.md and the plots.

    Args:
        folder: of the run.
        dataset: whose questions were asked.
        outcomes: of all systems, over the same questions.
        rows: of the run, for the plots.
        ks: cut-offs.
        settings: as `check_compare` returns them.
        n_resamples: bootstrap draws behind the intervals of the splits.

    Returns:
        The files written.

    Raises:
        ValueError: the systems answered different questions.
    """
    same_questions(outcomes)
    measures = measures_of(settings)
    scored: dict[str, Scored] = {outcome.system: scored_rows(dataset, outcome, ks) for outcome in outcomes}
    overlap = overlaps(dataset)
    found = versus(scored, settings["baseline"], measures)
    costs = expenses(outcomes)
    tables = [
        versus_table(found, settings["baseline"]),
        overlap_split(scored, overlap, measures[0], n_resamples),
        difficulty_split(dataset, scored, measures[0], n_resamples),
        expense_table(costs),
        published_table(dataset.name),
    ]
    head = f"# {dataset.name}: {len(outcomes)} systems compared\n\n{overlap_note(overlap)}\n"
    failed = [f"- {f.system} on {f.conversation}: {f.error}\n" for outcome in outcomes for f in outcome.failures]
    if failed:
        head += "\nFailed, and counted as not found:\n\n" + "".join(failed)
    text = "\n".join([head, *(to_markdown(table) for table in tables if table is not None)])
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    record = {
        "versus": [{**asdict(v), "measure": asdict(v.measure)} for v in found],
        "costs": [asdict(cost) for cost in costs],
        "overlap": overlap,
    }
    (folder / JSON_NAME).write_text(dumps(record, indent=1) + "\n", encoding="utf-8")
    failures = write_failures(
        folder,
        dataset,
        outcomes,
        settings["failures_of"] or [],
        per_category=settings["per_category"],
        quote=settings["quote"],
    )
    pictures = [
        *system_bars(rows, measures[0], folder),
        *category_bars(rows, measures[0], folder),
        *quality_and_latency(rows, measures[0], {cost.system: cost.query_ms for cost in costs}, folder),
    ]
    return [folder / FILE_NAME, folder / JSON_NAME, failures, *pictures]
