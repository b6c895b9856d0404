"""Evaluate memory systems on a data set: ``python -m memorai.eval +experiment=demo``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig
from rich.console import Console

from memorai.entry import SystemsFailed, arguments, run_main, task_of, variant
from memorai.gate_task import evaluate_gate
from memorai.harness.build import build_dataset, build_systems, plain
from memorai.qa_task import evaluate_answers
from memorai.report.results import Results
from memorai.report.resume import finished
from memorai.report.run import check_ks, check_settings, report, say_what_was_loaded
from memorai.report.tracking import tracked
from memorai.write_path_task import evaluate_write_path

_TASKS = {"answers": evaluate_answers, "gate": evaluate_gate, "write_path": evaluate_write_path}


def evaluate(config: DictConfig) -> dict[str, float]:
    """Run the configured systems, write the run's files and print its table.

    A job of a multirun that has already finished in its folder is not run again.

    Returns:
        ``{system: weighted turn nDCG@k}`` at the largest k up to 10.

    Raises:
        SystemsFailed: a system raised on a conversation; all is written. A multirun goes on, and its end says so.
    """
    task = task_of(config, *_TASKS)
    folder, settings, changed = Path(HydraConfig.get().runtime.output_dir), plain(config), variant()
    if task is not None:
        with tracked(config.tracking.mode, config.tracking.project, settings, folder, changed) as run:
            return _TASKS[task](config, run)
    started, ks = datetime.now(UTC), check_ks(config.ks)
    multirun = HydraConfig.get().mode == RunMode.MULTIRUN
    check_settings(settings)
    kept = finished(folder, settings, changed) if multirun and config.resume else None
    if kept is not None:
        _say(f"kept {folder}, which had finished")
        return _headline(kept, ks)
    with tracked(config.tracking.mode, config.tracking.project, settings, folder, changed) as run:
        dataset = build_dataset(config)
        say_what_was_loaded(dataset)
        results = report(
            dataset,
            build_systems(config),
            ks,
            folder,
            settings,
            arguments(),
            started=started,
            protocol=settings["protocol"],
            variant=changed,
            run=run,
        )
    _say(f"wrote {folder}")
    failures = results.manifest.get("failures", [])
    if failures and not multirun:
        raise SystemsFailed(failures)
    return _headline(results, ks)


def _headline(results: Results, ks: Sequence[int]) -> dict[str, float]:
    shown = ("weighted", "ndcg", "turn", max([k for k in ks if k <= 10], default=ks[0]))
    return {row.system: row.value for row in results.rows if (row.category, row.metric, row.unit, row.k) == shown}


def _say(text: str) -> None:
    Console(stderr=True).print(text, markup=False, highlight=False, soft_wrap=True)


def main() -> None:
    """Entry point."""
    run_main(evaluate, "eval")


if __name__ == "__main__":
    main()
