"""Evaluate memory systems on a data set: ``python -m memorai.eval +experiment=demo``."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig
from rich.console import Console

from memorai.entry import run_main, variant
from memorai.errors import InputError
from memorai.harness.build import build_dataset, build_systems, plain
from memorai.harness.run import run_systems
from memorai.report.manifest import manifest
from memorai.report.results import Results
from memorai.report.run import notes_of, rows_of, timings_of, write_rankings
from memorai.report.tables import print_tables, write_tables
from memorai.report.tracking import log_rows, tracked
from memorai.types import Dataset


def evaluate(config: DictConfig) -> dict[str, float]:
    """Run the configured systems, write the run's files and print its table.

    Returns:
        ``{system: weighted turn nDCG@10}``, or at the largest k below 10.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    ks = check_ks(config.ks)
    folder = Path(HydraConfig.get().runtime.output_dir)
    settings, changed = plain(config), variant()
    with tracked(config.tracking.mode, config.tracking.project, settings, folder, changed) as run:
        dataset = build_dataset(config)
        say_what_was_loaded(dataset)
        systems = build_systems(config)
        outcomes = run_systems(dataset, systems, max(ks), progress=config.progress)
        rows = [
            row
            for outcome in outcomes
            for row in rows_of(
                dataset,
                outcome,
                ks,
                protocol=config.protocol,
                variant=changed,
                seed=config.seed,
                n_resamples=config.bootstrap,
            )
        ]
        results = Results(
            manifest=manifest(
                argv=sys.argv,
                config=settings,
                data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
                seed=config.seed,
                started=started,
                seconds=time.monotonic() - clock,
                systems={outcome.system: outcome.labels for outcome in outcomes},
                categories=dataset.categories,
                category_ids=dataset.category_ids,
                notes=notes_of(dataset, ks),
            )
            | {"graphs": {o.system: o.statistics for o in outcomes if o.statistics}},
            rows=rows,
            timings=[timing for outcome in outcomes for timing in timings_of(outcome)],
        )
        results.write(folder)
        write_tables(folder, results, config.published)
        write_rankings(folder, dataset, outcomes)
        print_tables(results, config.published)
        log_rows(run, rows)
    Console(stderr=True).print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)
    shown = max([k for k in ks if k <= 10], default=ks[0])
    return {
        row.system: row.value
        for row in rows
        if (row.category, row.metric, row.unit, row.k) == ("weighted", "ndcg", "turn", shown)
    }


def check_ks(ks: object) -> list[int]:
    """Return the cut-offs, sorted, or raise InputError naming the first that is not a whole number >= 1."""
    values = list(ks) if not isinstance(ks, int | str) and ks is not None else [ks]  # type: ignore[call-overload]
    for k in values:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InputError(f"ks: {k!r} is not a whole number of at least 1")
    if not values:
        raise InputError("ks is empty; give at least one cut-off, such as ks=[10]")
    return sorted(set(values))


def say_what_was_loaded(dataset: Dataset) -> None:
    """Print denominators, and every record that a loader had to repair or could not score, by id."""
    console = Console(stderr=True)
    counts = ", ".join(f"{name} {count}" for name, count in dataset.counts.items())
    console.print(f"{dataset.name} ({dataset.version}): {counts}", markup=False, highlight=False, soft_wrap=True)
    kinds: dict[str, list[str]] = {}
    for note in dataset.notes:
        kinds.setdefault(note.kind, []).append(note.record)
    for kind, records in kinds.items():
        more = f" and {len(records) - 12} more" if len(records) > 12 else ""
        text = f"  {kind} ({len(records)}): {', '.join(records[:12])}{more}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def main() -> None:
    """Entry point."""
    run_main(evaluate, "eval")


if __name__ == "__main__":
    main()
