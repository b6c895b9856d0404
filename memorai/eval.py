"""Evaluate memory systems on a data set: ``python -m memorai.eval +experiment=demo``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig
from rich.console import Console

from memorai.entry import run_main, task_of, variant
from memorai.gate_task import evaluate_gate
from memorai.harness.build import build_dataset, build_systems, plain
from memorai.report.run import check_ks, check_settings, report, say_what_was_loaded
from memorai.report.tracking import tracked
from memorai.write_path_task import evaluate_write_path


def evaluate(config: DictConfig) -> dict[str, float]:
    """Run the configured systems, write the run's files and print its table.

    Returns:
        ``{system: weighted turn nDCG@k}`` at the largest k up to 10.
    """
    task = task_of(config, "gate", "write_path")
    if task is not None:
        return evaluate_gate(config) if task == "gate" else evaluate_write_path(config)
    started, ks = datetime.now(UTC), check_ks(config.ks)
    folder = Path(HydraConfig.get().runtime.output_dir)
    settings, changed = plain(config), variant()
    check_settings(settings)
    with tracked(config.tracking.mode, config.tracking.project, settings, folder, changed) as run:
        dataset = build_dataset(config)
        say_what_was_loaded(dataset)
        results = report(
            dataset,
            build_systems(config),
            ks,
            folder,
            settings,
            sys.argv,
            started=started,
            protocol=settings["protocol"],
            variant=changed,
            run=run,
        )
    Console(stderr=True).print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)
    shown = ("weighted", "ndcg", "turn", max([k for k in ks if k <= 10], default=ks[0]))
    return {row.system: row.value for row in results.rows if (row.category, row.metric, row.unit, row.k) == shown}


def main() -> None:
    """Entry point."""
    run_main(evaluate, "eval")


if __name__ == "__main__":
    main()
