"""Tune a system on part of the conversations and report on the rest: ``python -m memorai.train +experiment=tune``."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from memorai.entry import run_main, task_of, variant
from memorai.errors import InputError
from memorai.gate_task import train_gate
from memorai.harness.build import SystemFactory, build_dataset, plain
from memorai.learn.tune import Trial, candidates, check_tuning, split, tune, with_values
from memorai.learn_task import train_scorers
from memorai.report.run import check_ks, check_settings, report, say_what_was_loaded
from memorai.report.tracking import log_table, tracked


def train(config: DictConfig) -> float:
    """Choose the values on the training conversations, then run default and tuned system on the others.

    Returns:
        The objective of the chosen values on the training conversations.
    """
    task = task_of(config, "gate", "learning")
    folder, settings = Path(HydraConfig.get().runtime.output_dir), plain(config)
    if task == "learning":
        return train_scorers(config)
    if task == "gate":
        with tracked(config.tracking.mode, config.tracking.project, settings, folder, variant()):
            return train_gate(config)
    started, ks = datetime.now(UTC), check_ks(config.ks)
    check_settings(settings)
    check_tuning(settings["tune"])
    name, tuned = str(config.tune.system), f"{config.tune.system}_tuned"
    names = [str(system) for system in config.systems or ()]
    if name not in names:
        raise InputError(f"tune.system={name} is not among the systems: {', '.join(names)}")
    if tuned.casefold() in map(str.casefold, names):
        raise InputError(f"systems: {tuned} is what the tuned {name} will be called; rename the one that is there")
    default, objective, space = config.systems[name], instantiate(config.tune.objective), settings["tune"]["space"]
    with_values(default, candidates(space, 1, config.seed)[0])  # paths that are not there show before any work
    with tracked(config.tracking.mode, config.tracking.project, settings, folder, variant()) as run:
        dataset = build_dataset(config)
        say_what_was_loaded(dataset)
        training, test = split(dataset, config.tune.train, config.seed)
        factory = SystemFactory(config)
        best, trials = tune(
            training,
            default,
            factory.build,
            space,
            objective,
            config.tune.max_trials,
            config.seed,
            config.progress,
        )
        _write(folder, trials, with_values(default, best.values))
        log_table(run, "trials", [*trials[0].values, "objective"], [[*t.values.values(), t.objective] for t in trials])
        chosen = ", ".join(f"{path.rsplit('.', 1)[-1]}={value}" for path, value in best.values.items())
        ids = [[c.id for c in part.conversations] for part in (training, test)]
        systems = {str(n): factory.build(system) for n, system in config.systems.items()}
        systems[tuned] = factory.build(with_values(default, best.values))
        report(
            test,
            systems,
            ks,
            folder,
            settings,
            sys.argv,
            started=started,
            module="memorai.train",
            protocol="within",
            variant=variant(),
            notes=[
                f"{tuned}: {chosen}; best of {len(trials)} trials ({best.objective:.4f}) on "
                f"{len(ids[0])} conversations: {', '.join(ids[0][:12])}. Reported on the other {len(ids[1])}.",
                f"{name}: the values it ships with.",
            ],
            run=run,
        )
    Console(stderr=True).print(f"chose {chosen}; wrote {folder}", markup=False, highlight=False, soft_wrap=True)
    return best.objective


def _write(folder: Path, trials: list[Trial], tuned: DictConfig) -> None:
    with (folder / "trials.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*trials[0].values, "objective"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**trial.values, "objective": round(trial.objective, 6)} for trial in trials)
    (folder / "tuned_system.yaml").write_text(OmegaConf.to_yaml(tuned), encoding="utf-8")


def main() -> None:
    """Entry point."""
    run_main(train, "train")


if __name__ == "__main__":
    main()
