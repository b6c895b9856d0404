"""Weights & Biases, if asked for: configuration, tables and plots of a run, finished even after an exception."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args

from memorai.errors import InputError
from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report.manifest import sanitise
from memorai.report.results import Results, Row

Mode = Literal["disabled", "offline", "online"]
MODES: tuple[str, ...] = get_args(Mode)
#: of a row, what can tell two lines of one system apart
_PARTS = ("dataset", "protocol", "variant", "seed")


@contextmanager
def tracked(mode: Mode, project: str, config: Mapping[str, Any], folder: Path, name: str = "") -> Iterator[Any]:
    """Yield a wandb run, or None if disabled; log the plots in its folder at the end, and close it.

    If the block raises, the run is closed with exit code 1.

    Args:
        mode: ``disabled``, ``offline`` (files under ``folder/wandb``) or ``online`` (key from the environment).
        project: wandb project.
        config: plain resolved configuration; passed when the run starts, so that an offline run keeps it on disk. Paths
            are cut and secrets masked as in a manifest, for others may see the run.
        folder: of the run.
        name: shown in the dashboard.

    Raises:
        InputError: an unknown mode.
    """
    if mode not in MODES:
        raise InputError(f"tracking.mode={mode}: unknown; use one of {', '.join(MODES)}")
    if mode == "disabled":
        yield None
        return
    import wandb  # costs a second that a run without tracking need not pay

    # Hydra's folder is per job, so that each job of a multirun is a run of its own
    run = wandb.init(
        mode=mode,
        project=project,
        config=sanitise(config),
        dir=str(folder),
        name=name or None,
        reinit="finish_previous",
    )
    try:
        yield run
        log_plots(run, folder)
    except BaseException:
        run.finish(exit_code=1)
        raise
    run.finish()


def log_results(run: Any, results: Results) -> None:
    """Log what ``results.json`` holds: overall means as the run's summary, rows, timings and costs as tables.

    Args:
        run: a wandb run, or None for nothing.
        results: of the run; records of which there are none make no table.
    """
    if run is None:
        return
    for name, value in summary_of(results.rows).items():
        run.summary[name] = value
    for name, records in (("rows", results.rows), ("timings", results.timings), ("costs", results.costs)):
        if records:
            columns = [field.name for field in fields(records[0])]
            log_table(run, name, columns, [[getattr(record, column) for column in columns] for record in records])


def summary_of(rows: Sequence[Row]) -> dict[str, float]:
    """Return the overall means by ``{system}/{unit}_{metric}@{k}_{macro or weighted}``.

    What several rows of a system differ in (data set, protocol, variant, seed) follows its name, so that none hides
    another; a job of a sweep has one variant, and so the same names as every other job.
    """
    overall = [row for row in rows if row.category in (MACRO, WEIGHTED)]
    seen: dict[tuple[str, str], set[Any]] = defaultdict(set)
    for row in overall:
        for part in _PARTS:
            seen[row.system, part].add(getattr(row, part))
    found = {}
    for row in overall:
        told = [(part, getattr(row, part)) for part in _PARTS if len(seen[row.system, part]) > 1]
        named = [f"seed {value}" if part == "seed" else value for part, value in told if value not in ("", None)]
        cut = "" if row.k is None else f"@{row.k}"
        found[f"{' '.join([row.system, *named])}/{row.unit}_{row.metric}{cut}_{row.category}"] = row.value
    return found


def log_table(run: Any, name: str, columns: Sequence[str], data: Sequence[Sequence[Any]]) -> None:
    """Log a table under a name; nothing without a run."""
    if run is None:
        return
    import wandb

    # a column of a tuned value may hold numbers and texts
    table = wandb.Table(columns=list(columns), data=[list(line) for line in data], allow_mixed_types=True)
    run.log({name: table})


def log_plots(run: Any, folder: Path) -> None:
    """Log the pictures that lie in the run's folder, as ``plots/{file without its ending}``."""
    pictures = sorted(folder.glob("*.png"))
    if not pictures:
        return
    import wandb

    run.log({f"plots/{path.stem}": wandb.Image(str(path)) for path in pictures})
