"""Train and test scorers of evidence under a protocol: the task behind ``+experiment=learning_*``."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from tqdm import tqdm

from memorai.entry import variant
from memorai.errors import InputError
from memorai.harness.build import SystemFactory, build_dataset, plain
from memorai.harness.run import Outcome, run_systems
from memorai.learn.ablation import dropped, without
from memorai.learn.checkpoint import CARD, Checkpoint, Source, mean_of
from memorai.learn.examples import Group, collect
from memorai.learn.features import Evidence
from memorai.learn.fit import Curves, Settings, choose_and_fit, scores_of
from memorai.learn.protocols import PROTOCOLS, Fold, make_folds
from memorai.learn.retriever import models_of
from memorai.report.compare import Scored, comparison, mean_scored, scored_rows
from memorai.report.curves import write_curves
from memorai.report.manifest import manifest
from memorai.report.render import to_markdown, to_rich
from memorai.report.results import Results, Row
from memorai.report.run import check_ks, check_settings, notes_of, protocol_of, say_what_was_loaded
from memorai.report.tables import print_tables, write_tables
from memorai.report.tracking import log_results, tracked
from memorai.types import Dataset, Ranking

#: the licence of this data forbids to ship what was learned from it
NOT_TO_SHIP = ("locomo",)


@dataclass
class _Run:
    """What one run of the task holds."""

    config: DictConfig
    settings: dict[str, Any]
    folder: Path
    evidence: Evidence
    factory: SystemFactory
    tracker: Any = None
    curves: Curves = field(default_factory=Curves)

    @property
    def learning(self) -> DictConfig:
        return self.config.learning

    def groups(self, dataset: Dataset, text_format: DictConfig | None = None) -> list[Group]:
        factory = self.factory if text_format is None else SystemFactory(self._with(text_format))
        system = factory.build(self.config.systems[self.learning.system])
        return collect(dataset, system, self.evidence, bool(self.config.progress))  # type: ignore[arg-type]

    def _with(self, text_format: DictConfig) -> DictConfig:
        changed = self.config.copy()
        changed.text_format = text_format
        return changed

    def grid(self) -> list[Settings]:
        return [Settings(**entry) for entry in self.settings["learning"]["grid"]]


def train_scorers(config: DictConfig) -> float:
    """Train under ``learning.protocol`` with every seed, test, and write checkpoints, rows, tables and curves.

    Returns:
        The macro nDCG@10 over the test questions, mean over the seeds.

    Raises:
        InputError: the configuration or the data do not allow the protocol.
    """
    started, ks = datetime.now(UTC), check_ks(config.ks)
    settings = plain(config)
    check_settings(settings)
    _check(settings["learning"], settings["systems"])
    folder = Path(HydraConfig.get().runtime.output_dir)
    evidence = instantiate(config.evidence)
    with tracked(config.tracking.mode, config.tracking.project, settings, folder, variant()) as tracker:
        run = _Run(config, settings, folder, evidence, SystemFactory(config), tracker)
        dataset = build_dataset(config)
        say_what_was_loaded(dataset)
        groups = run.groups(dataset)
        others, sources = _others(run)
        sources.append(dataset)
        seconds = time.perf_counter()
        scored, notes = _learned(run, dataset, groups, others, sources, ks)
        notes.append(f"Training and testing took {(time.perf_counter() - seconds) / max(1, len(scored)):.0f} s a seed.")
        results = _report(run, dataset, scored, ks, notes, started)
        write_curves(run.curves.rows, folder)
    found = [
        r.value
        for r in results.rows
        if _is_main(r) and r.system == config.learning.name and r.variant and r.seed is None
    ]
    Console(stderr=True).print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)
    return found[0]


def _is_main(row: Row) -> bool:
    return (row.category, row.metric, row.unit, row.k) == ("macro", "ndcg", "turn", 10)


def _check(learning: Mapping[str, Any], systems: Mapping[str, Any]) -> None:
    if learning["protocol"] not in PROTOCOLS:
        raise InputError(f"learning.protocol={learning['protocol']}: use one of {', '.join(PROTOCOLS)}")
    if learning["system"] not in systems:
        raise InputError(f"learning.system={learning['system']} is not among the systems: {', '.join(systems)}")
    seeds = learning["seeds"]
    if not isinstance(seeds, list) or not seeds or any(type(seed) is not int or seed < 0 for seed in seeds):
        raise InputError(f"learning.seeds={seeds} is not a list of whole numbers of at least 0")
    if not learning["grid"]:
        raise InputError("learning.grid is empty; give at least one setting, such as [{hidden: 32}]")


def _others(run: _Run) -> tuple[list[Group], list[Dataset]]:
    """Groups of the data sets that zero_shot trains on; under another protocol nothing is loaded."""
    if run.learning.protocol != "zero_shot":
        return [], []
    groups, sources = [], []
    for entry in run.learning.training.values():
        dataset = instantiate(entry.dataset)
        if run.learning.ship and dataset.name.startswith(NOT_TO_SHIP):
            raise InputError(f"{dataset.name} is licensed CC BY-NC: set learning.ship=false to train on it")
        groups += run.groups(dataset, entry.text_format)
        sources.append(dataset)
    return groups, sources


def _learned(
    run: _Run,
    dataset: Dataset,
    groups: Sequence[Group],
    others: Sequence[Group],
    sources: Sequence[Dataset],
    ks: Sequence[int],
) -> tuple[dict[tuple[str, int], Scored], list[str]]:
    """Scores by (variant, seed): the full evidence first, then each ablation."""
    learning = run.settings["learning"]
    protocol, scored, notes = learning["protocol"], {}, []
    used = without(run.evidence.names, learning["without"])
    variants = {"": used} | dropped(used, learning["ablation"])
    folds = make_folds(protocol, groups, others, learning["folds"])
    full: dict[str, Settings] = {}
    trained: dict[str, list[Checkpoint]] = {}
    for name, features in variants.items():
        for seed in learning["seeds"] if not name else learning["seeds"][:1]:
            rankings: dict[str, Ranking] = {}
            chosen: list[str] = []
            for fold in tqdm(folds, desc=f"{protocol} {name} seed {seed}", disable=not run.config.progress):
                # an ablation changes the evidence alone: its settings are those that the full evidence chose
                grid = [full[fold.name]] if name else run.grid()
                checkpoint = _trained(run, fold, features, name, seed, sources, grid)
                if not name:
                    full.setdefault(fold.name, checkpoint.settings)
                    trained.setdefault(fold.name, []).append(checkpoint)
                chosen.append(f"{checkpoint.settings.hidden} units, {checkpoint.epoch} epochs")
                for group in fold.test:
                    rankings |= _ranked(checkpoint, group.keep(features), max(ks))
            scored[name, seed] = scored_rows(dataset, Outcome(learning["name"], rankings), ks)
            if not name:
                notes.append(f"Seed {seed} chose by fold: {'; '.join(chosen)}.")
    for fold_name, checkpoints in trained.items():
        if mean := mean_of(checkpoints):
            mean.write(run.folder / "checkpoints" / "mean" / fold_name)
    return scored, notes


def _trained(
    run: _Run,
    fold: Fold,
    features: Sequence[str],
    name: str,
    seed: int,
    sources: Sequence[Dataset],
    grid: Sequence[Settings],
) -> Checkpoint:
    """Train on a fold, or take the checkpoint of an earlier run that was trained on the very same."""
    place = Path("checkpoints") / (name or "full") / f"seed{seed}" / fold.name
    train = [group.keep(features) for group in fold.train]
    trained_on = [Source.of(d, train) for d in sources if any(group.dataset == d.name for group in train)]
    key = _key(run, train, features, seed, grid)
    if run.learning.resume:
        earlier = Path(run.learning.resume) / place
        if earlier.with_name(earlier.name + CARD).is_file() and (found := Checkpoint.read(earlier)).notes == [key]:
            found.write(run.folder / place)
            return found
    run.curves.label = "/".join(place.parts[1:])
    log = run.curves if run.tracker is None else _Logged(run.curves, run.tracker)
    fitted = choose_and_fit(train, grid, seed, on_epoch=log)
    models = {"index": train[0].embedder} | models_of(run.evidence)
    checkpoint = Checkpoint.of(fitted, features, models, seed, str(run.learning.protocol), trained_on)
    checkpoint = replace(checkpoint, notes=[key])
    checkpoint.write(run.folder / place)
    return checkpoint


def _key(run: _Run, train: Sequence[Group], features: Sequence[str], seed: int, grid: Sequence[Settings]) -> str:
    """Identity of a training: its data, features, grid and seed."""
    digest = hashlib.sha256(json.dumps([asdict(s) for s in grid], sort_keys=True).encode())
    for part in (run.evidence.identity, seed, *features, *(group.digest for group in train)):
        digest.update(f"{part}\0".encode())
    for group in train:
        digest.update(np.packbits(group.gold).tobytes())
        digest.update(np.ascontiguousarray(group.features.values).tobytes())
    return digest.hexdigest()


class _Logged:
    """Curves that also go to a wandb run."""

    def __init__(self, curves: Curves, tracker: Any) -> None:
        self._curves, self._tracker = curves, tracker

    def __call__(self, epoch: int, loss: float, validation: float | None) -> None:
        self._curves(epoch, loss, validation)
        values = {"loss": loss} if validation is None else {"loss": loss, "validation_ndcg@10": validation}
        self._tracker.log({f"{self._curves.label}/{name}": value for name, value in values.items()})


def _ranked(checkpoint: Checkpoint, group: Group, k: int) -> dict[str, Ranking]:
    rankings = {}
    for question, scores in zip(group.questions, scores_of(checkpoint.model, group), strict=True):
        order = np.argsort(-scores, kind="stable")[:k]
        ids = tuple(group.turn_ids[i] for i in order)
        rankings[question.id] = Ranking(question.id, ids, tuple(scores[order].tolist()))
    return rankings


def _report(
    run: _Run,
    dataset: Dataset,
    scored: Mapping[tuple[str, int], Scored],
    ks: Sequence[int],
    notes: list[str],
    started: datetime,
) -> Results:
    config, learning = run.config, run.settings["learning"]
    systems = {str(name): run.factory.build(system) for name, system in config.systems.items()}
    outcomes = run_systems(dataset, systems, max(ks), progress=bool(config.progress))
    untrained = {outcome.system: scored_rows(dataset, outcome, ks) for outcome in outcomes}
    protocols = {outcome.system: protocol_of(outcome, "untrained") for outcome in outcomes}
    rows: list[Row] = []
    common: dict[str, Any] = {"dataset": dataset.name, "order": dataset.categories}
    common |= {"n_resamples": int(config.bootstrap)}
    kind, learned = str(learning["variant"]), str(learning["name"])
    for name, values in untrained.items():
        rows += values.rows(protocol=protocols[name], system=name, **common)
    seeds = [values for (name, _), values in scored.items() if not name]
    means = {name: mean_scored([v for (n, _), v in scored.items() if n == name]) for name in {n: 0 for n, _ in scored}}
    for name, values in means.items():
        label = ",".join(part for part in (kind, name) if part)
        rows += values.rows(protocol=learning["protocol"], system=learned, variant=label, **common)
    for (name, seed), values in scored.items():
        if not name and len(seeds) > 1:
            own = values.rows(protocol=learning["protocol"], system=learned, variant=kind, seed=seed, **common)
            rows += [row for row in own if row.category in ("macro", "weighted") and row.k in (3, 10)]
    if len(seeds) > 1:
        notes.append("Over seeds, mean and standard deviation: " + _spread(rows, learned, kind))
    tests = comparison("the learned scorer", means[""], untrained | {n: v for n, v in means.items() if n})
    labels = {outcome.system: outcome.labels for outcome in outcomes}
    described = manifest(
        argv=sys.argv,
        config=run.settings,
        data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
        seed=int(config.seed),
        started=started,
        seconds=(datetime.now(UTC) - started).total_seconds(),
        module="memorai.train",
        systems=labels,
        categories=dataset.categories,
        category_ids=dataset.category_ids,
        notes=[*notes_of(dataset, ks), *notes],
    )
    parts = {"embedder": "+".join(run.evidence.fused), "extractor": "stem", "gate": "none"}
    described["systems"] += [{"system": learned, "variant": kind, **parts}]
    results = Results(manifest=described, rows=rows)
    results.write(run.folder)
    write_tables(run.folder, results, run.settings["published"])
    (run.folder / "tests.md").write_text(to_markdown(tests), encoding="utf-8")
    (run.folder / "evidence.yaml").write_text(OmegaConf.to_yaml(config.evidence, resolve=True), encoding="utf-8")
    _write_seeds(run.folder / "seeds.csv", rows)
    print_tables(results, run.settings["published"])
    Console().print(to_rich(tests, intervals=False))
    log_results(run.tracker, results)
    return results


def _spread(rows: Sequence[Row], learned: str, kind: str) -> str:
    parts = []
    for metric, k in (("ndcg", 10), ("recall", 10)):
        for category in ("macro", "weighted"):
            found = [
                100 * row.value
                for row in rows
                if (row.system, row.variant, row.metric, row.k, row.category, row.unit)
                == (learned, kind, metric, k, category, "turn")
                and row.seed is not None
            ]
            if found:
                parts.append(f"{category} {metric}@{k} {np.mean(found):.1f} ± {np.std(found, ddof=1):.2f}")
    return ", ".join(parts) + "."


def _write_seeds(path: Path, rows: Sequence[Row]) -> None:
    own = [row for row in rows if row.seed is not None]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["seed", "unit", "metric", "k", "category", "value"])
        writer.writerows([row.seed, row.unit, row.metric, row.k, row.category, row.value] for row in own)
