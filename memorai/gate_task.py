"""Train and evaluate the learned gate: the task behind ``+experiment=gate``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig
from rich.console import Console

from memorai.errors import InputError
from memorai.harness.build import build_dataset, plain
from memorai.learn.gate import GateTrainer, Labelled, gate_scores, label, leave_out
from memorai.report.gate import gate_rows, gate_table
from memorai.report.manifest import manifest
from memorai.report.render import to_markdown, to_rich
from memorai.report.results import Results, Row
from memorai.report.run import say_what_was_loaded
from memorai.report.tables import write_csv
from memorai.report.tracking import log_results
from memorai.types import Dataset
from memorai.write.gate_model import BUNDLED, GateModel

#: licences that forbid to ship what was learned from the data
NOT_TO_SHIP = ("locomo",)


class _Bootstrap(TypedDict):
    seed: int
    n_resamples: int


class _Run:
    """The parts that training and evaluation share."""

    def __init__(self, config: DictConfig) -> None:
        self.started, self.config, self.settings = datetime.now(UTC), config, plain(config)
        self.folder = Path(HydraConfig.get().runtime.output_dir)
        self.embedder = instantiate(config.embedder)
        self.previous = bool(config.gate_task.previous_vectors)
        self.trainer: GateTrainer = instantiate(config.gate_task.trainer)
        self.folds = int(config.gate_task.folds)
        self.n_vector = self.embedder.dim * (2 if self.previous else 1)

    def training_sets(self) -> list[tuple[Dataset, Labelled]]:
        """The data sets to train on, with their rows."""
        text_format = instantiate(self.config.gate_task.text_format)
        sets = [instantiate(part) for part in self.config.gate_task.training.values()]
        return [(dataset, label(dataset, self.embedder, text_format, self.previous)) for dataset in sets]

    def fit(self, data: Labelled) -> GateModel:
        return self.trainer.fit(data, self.embedder.name, self.n_vector, self.previous)

    def left_out(self, data: Labelled) -> tuple:
        return leave_out(data, self.trainer, self.embedder.name, self.n_vector, self.previous, self.folds)


def train_gate(config: DictConfig) -> float:
    """Train on ``gate_task.training``, write the model into the run's folder, and return its threshold.

    Data whose licence forbids it raises InputError unless ``gate_task.ship`` is false.
    """
    run = _Run(config)
    sets = run.training_sets()
    barred = [d.name for d, _ in sets if d.name.startswith(NOT_TO_SHIP)]
    if barred and config.gate_task.ship:
        raise InputError(
            f"{barred[0]} is licensed CC BY-NC: a gate trained on it cannot ship; set gate_task.ship=false"
        )
    data = sum((rows for _, rows in sets[1:]), sets[0][1])
    model = run.fit(data)
    path = model.write(run.folder / BUNDLED)
    Console(stderr=True).print(
        f"trained on {len(data.gold)} turns, {int(data.gold.sum())} of them evidence, of {', '.join(data.names)}; "
        f"threshold {model.threshold:.4f}; wrote {path}",
        **_PLAIN,
    )
    return model.threshold


def evaluate_gate(config: DictConfig, tracker: Any = None) -> dict[str, float]:
    """Measure rules and learned gate: leave-one-conversation-out, and across data sets; write the run's files.

    Args:
        config: of the evaluation.
        tracker: a wandb run or None.

    Returns:
        ``{system and protocol: evidence lost at 30 % dropped}`` on ``config.dataset``.
    """
    run = _Run(config)
    dataset = build_dataset(config)
    say_what_was_loaded(dataset)
    data = label(dataset, run.embedder, instantiate(config.text_format), run.previous)
    bootstrap = _Bootstrap(seed=int(config.seed), n_resamples=int(config.bootstrap))
    rows: list[Row] = []
    sets = run.training_sets()
    everything: list[tuple[Dataset, Labelled]] = [
        (dataset, data),
        *[s for s in sets if len(s[0].conversations) >= run.folds],
    ]
    for place, (tested, test) in enumerate(everything):
        for name, gate in config.gate_task.untrained.items():
            found = gate_scores(tested, instantiate(gate))
            rows += gate_rows(*found, dataset=tested.name, protocol="untrained", system=str(name), **bootstrap)
        probabilities, kept = run.left_out(test)
        held = (probabilities, kept, test.gold, test.group)
        rows += gate_rows(*held, dataset=tested.name, protocol="loco", system="learned", **bootstrap)
        trained = sum((r for _, r in sets[1:]), sets[0][1]) if place == 0 else data
        model = run.fit(trained)
        p = model.probability(test.x)
        across = (p, p >= model.threshold, test.gold, test.group)
        # a gate that is tested on what it was trained on has no protocol but this
        protocol = "within" if tested.name in trained.names else "zero_shot"
        rows += gate_rows(*across, dataset=tested.name, protocol=protocol, system="learned", **bootstrap)
    described = manifest(
        argv=sys.argv,
        config=run.settings,
        data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
        seed=int(config.seed),
        started=run.started,
        seconds=(datetime.now(UTC) - run.started).total_seconds(),
        systems={"learned": {"embedder": run.embedder.name, "gate": "learned"}},
        notes=[
            f"zero_shot on {dataset.name}: trained on {', '.join(d.name for d, _ in sets)}; on the others: trained on "
            f"{dataset.name}. loco: whole conversations in {config.gate_task.folds} folds."
        ],
    )
    results = Results(manifest=described, rows=rows)
    results.write(run.folder)
    log_results(tracker, results)
    table = gate_table(rows)
    (run.folder / "table.md").write_text(to_markdown(table), encoding="utf-8")
    write_csv(run.folder / "table.csv", rows)
    Console().print(to_rich(table, intervals=False))
    Console(stderr=True).print(f"wrote {run.folder}", **_PLAIN)
    return {
        f"{row.system}_{row.protocol}": row.value
        for row in rows
        if (row.dataset, row.metric, row.k) == (dataset.name, "evidence_fnr", 30)
    }


_PLAIN: dict = {"markup": False, "highlight": False, "soft_wrap": True}
