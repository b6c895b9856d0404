"""Our ablations beside the paper's: what each change costs here, what it cost there, and how the two differ."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from memorai.errors import InputError
from memorai.harness.run import Outcome
from memorai.metrics.statistics import WEIGHTED, holm, paired_permutation
from memorai.report.compare import scored_rows
from memorai.report.render import MISSING, Line, Table, to_markdown
from memorai.report.results import Row
from memorai.report.tables import Measure
from memorai.types import Dataset

FILE_NAME = "paper.md"
MEASURE = Measure("recall", "turn", 10)
FULL = "full"
_SAME = {"locomo_lmeb": "locomo", "longmemeval_s_user": "longmemeval_s"}
NOTES = (
    "Weighted means in points. The paper reads with gpt-oss-20b in every step of its write path and embeds with "
    "Contriever; its definition of recall, its turn unit and its treatment of adversarial questions are not reported. "
    "So only directions and sizes of the changes can be set beside one another, not the levels.",
    "p: paired permutation over conversations against the reference, adjusted by Holm over the rows.",
    "The paper's text with and without triplets (judge 60.2 and 51.7 on LoCoMo, 75.6 and 61.7 on LongMemEval-S) change "
    "what the reader sees, not what is found, and need a reader.",
)


def check_paper(paper: object, systems: Sequence[str], ks: Sequence[int]) -> dict[str, Any] | None:
    """Return the settings of the comparison with the paper, None where there is to be none.

    Raises:
        InputError: a key is missing or unknown, a system does not run, or the paper has no such setting.
    """
    if paper is None:
        return None
    if not isinstance(paper, Mapping) or set(paper) != {"reference", "settings"}:
        raise InputError(f"paper={paper}: give reference and settings, as conf/experiment/paper_ablations.yaml does")
    if paper["reference"] not in systems:
        raise InputError(f"paper.reference={paper['reference']} is not among the systems: {', '.join(systems)}")
    known = {setting for _, setting in _reported()}
    for system, setting in (paper["settings"] or {}).items():
        if system not in systems or setting not in known:
            raise InputError(
                f"paper.settings.{system}={setting}: a system that runs, and one of {', '.join(sorted(known))}"
            )
    if MEASURE.k not in ks:
        raise InputError(f"paper: {MEASURE} needs 10 among ks={list(ks)}")
    return dict(paper)


def write_paper(
    folder: Path,
    dataset: Dataset,
    outcomes: Sequence[Outcome],
    rows: Sequence[Row],
    ks: Sequence[int],
    paper: Mapping[str, Any],
) -> Path:
    """Write paper.md: every system against the reference, beside the paper's figure for the same change.

    Args:
        folder: of the run.
        dataset: whose questions were asked.
        outcomes: of all systems.
        rows: of the run.
        ks: cut-offs.
        paper: as `check_paper` returns it.
    """
    path = folder / FILE_NAME
    path.write_text(to_markdown(paper_table(dataset, outcomes, rows, ks, paper)), encoding="utf-8")
    return path


def paper_table(
    dataset: Dataset, outcomes: Sequence[Outcome], rows: Sequence[Row], ks: Sequence[int], paper: Mapping[str, Any]
) -> Table:
    """Return the table of `write_paper`; arguments likewise."""
    reference, name = paper["reference"], _SAME.get(dataset.name, dataset.name)
    theirs = {setting: value for (where, setting), value in _reported().items() if where == name}
    own = {
        row.system: row
        for row in rows
        if (row.metric, row.unit, row.k, row.category) == (MEASURE.metric, MEASURE.unit, MEASURE.k, WEIGHTED)
    }
    scored = {outcome.system: scored_rows(dataset, outcome, ks) for outcome in outcomes}
    values = {system: s.values(MEASURE.metric, MEASURE.unit, MEASURE.k or 0) for system, s in scored.items()}
    others = [system for system in own if system != reference]
    tests = [paired_permutation(values[s], values[reference], scored[reference].clusters) for s in others]
    adjusted = dict(zip(others, holm([test.p_value for test in tests]), strict=True))
    lines = []
    for system, row in own.items():
        setting = FULL if system == reference else (paper["settings"] or {}).get(system)
        reported = theirs.get(setting) if setting else None
        change = 100 * (row.value - own[reference].value)
        paper_change = None if reported is None or FULL not in theirs else reported - theirs[FULL]
        interval = "" if row.lo is None or row.hi is None else f" [{100 * row.lo:.1f}, {100 * row.hi:.1f}]"
        is_reference = system == reference
        lines.append(
            Line(
                (
                    system,
                    f"{100 * row.value:.1f}{interval}",
                    MISSING if is_reference else f"{change:+.1f}",
                    MISSING if is_reference else f"{adjusted[system]:.3f}",
                    setting or MISSING,
                    MISSING if reported is None else f"{reported:.1f}",
                    MISSING if paper_change is None or is_reference else f"{paper_change:+.1f}",
                    MISSING if paper_change is None or is_reference else f"{change - paper_change:+.1f}",
                ),
                (),
            )
        )
    labels = (
        "system",
        f"{MEASURE} here",
        f"change from {reference}",
        "p (Holm)",
        "in the paper",
        f"{MEASURE} there",
        "change there",
        "our change minus theirs",
    )
    return Table(f"{dataset.name}: ablations beside the paper's", labels, (), tuple(lines), NOTES)


@lru_cache(maxsize=1)
def _reported() -> dict[tuple[str, str], float]:
    """(data set, setting) -> the paper's value."""
    text = resources.files("memorai.report").joinpath("paper_ablations.csv").read_text(encoding="utf-8")
    entries = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {(entry["dataset"], entry["setting"]): float(entry["value"]) for entry in entries}
