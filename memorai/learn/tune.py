"""Choose configuration values on some conversations, to be reported on others."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from memorai.errors import InputError
from memorai.harness.run import run_systems, scored_questions
from memorai.metrics.retrieval import score_question
from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.systems.base import System
from memorai.types import Dataset


@dataclass(frozen=True)
class Objective:
    """What is maximised: one metric, averaged over questions (``weighted``) or over categories (``macro``).

    Args:
        metric: ``ndcg``, ``recall``, or another of memorai.metrics.retrieval.
        unit: ``turn`` or ``session``.
        k: cut-off.
        average: ``weighted`` or ``macro``.
    """

    metric: str = "ndcg"
    unit: str = "turn"
    k: int = 10
    average: str = WEIGHTED

    def __post_init__(self) -> None:
        if self.average not in (MACRO, WEIGHTED):
            raise InputError(f"objective.average={self.average}: use {MACRO} or {WEIGHTED}")
        if not _is_count(self.k):
            raise InputError(f"objective.k={self.k} is not a whole number of at least 1")

    def __call__(self, dataset: Dataset, system: System) -> float:
        """Return the objective of a system on all scored questions of a data set."""
        outcome = run_systems(dataset, {"candidate": system}, self.k, progress=False)[0]
        by_category: dict[str, list[float]] = {}
        for conversation in dataset.conversations:
            session_of = {turn.id: turn.session_id for turn in conversation.turns}
            for question in scored_questions(conversation):
                scores = score_question(outcome.rankings[question.id], question, [self.k], session_of)
                found = [value for metric, unit, _, value in scores if (metric, unit) == (self.metric, self.unit)]
                if not found:
                    raise InputError(f"objective: there is no {self.unit} {self.metric}@{self.k}")
                by_category.setdefault(question.category, []).extend(found)
        means = [float(np.mean(values)) for values in by_category.values()]
        sizes = [len(values) for values in by_category.values()]
        return float(np.average(means, weights=sizes if self.average == WEIGHTED else None))


@dataclass(frozen=True)
class Trial:
    """Values tried, by path inside the system's configuration, and the objective on the training conversations."""

    values: Mapping[str, Any]
    objective: float


def split(dataset: Dataset, train: float | Sequence[str], seed: int = 0) -> tuple[Dataset, Dataset]:
    """Part a data set by conversation: (train, test).

    Args:
        dataset: at least two conversations.
        train: share of the conversations, drawn by seed, or their ids.
        seed: of the draw.

    Raises:
        InputError: an unknown id, a share outside (0, 1), or nothing left on one side.
    """
    ids = [conversation.id for conversation in dataset.conversations]
    _check_train(train)
    if isinstance(train, int | float):
        drawn = random.Random(seed).sample(ids, round(train * len(ids)))
    else:
        drawn = [str(name) for name in train]
        for name in drawn:
            if name not in ids:
                raise InputError(f"train: data set {dataset.name} has no conversation {name}; it has {', '.join(ids)}")
    chosen = set(drawn)
    if not chosen or chosen == set(ids):
        raise InputError(f"{len(ids)} conversations of {dataset.name} leave nothing to train on or to test on")
    parts = [tuple(c for c in dataset.conversations if (c.id in chosen) == keep) for keep in (True, False)]
    return replace(dataset, conversations=parts[0]), replace(dataset, conversations=parts[1])


def candidates(space: Sequence[Mapping[str, Any]], max_trials: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return every combination of the space, or ``max_trials`` of them drawn by seed, in the grid's order.

    Args:
        space: ``{"path": dotted path, "values": [...]}`` each.
        max_trials: at least 1.
        seed: of the draw.

    Raises:
        InputError: an entry is not of that form or has no value, or ``max_trials`` is no whole number of at least 1.
    """
    if not _is_count(max_trials):
        raise InputError(f"max_trials={max_trials} is not a whole number of at least 1")
    if not isinstance(space, list | tuple):
        raise InputError(f"space={space} is not a list; give [{{path: a.b, values: [1, 2]}}]")
    for entry in space:
        if not isinstance(entry, Mapping) or set(entry) != {"path", "values"}:
            raise InputError(f"space: {entry!r} is not of the form {{path: a.b, values: [1, 2]}}")
        if not isinstance(entry["path"], str) or not entry["path"].strip():
            raise InputError(f"space: path {entry['path']!r} does not name a value, as a.b would")
        if not isinstance(entry["values"], list) or not entry["values"]:
            raise InputError(f"space: {entry['path']} needs a list of at least one value")
    if not space:
        raise InputError("space is empty; give at least one {path: a.b, values: [1, 2]}")
    repeated = [path for path, count in Counter(entry["path"] for entry in space).items() if count > 1]
    if repeated:
        raise InputError(f"space: {repeated[0]} stands twice; give all its values in one entry")
    paths, values = [entry["path"] for entry in space], [entry["values"] for entry in space]
    grid = [dict(zip(paths, chosen, strict=True)) for chosen in itertools.product(*values)]
    if len(grid) <= max_trials:
        return grid
    return [grid[i] for i in sorted(random.Random(seed).sample(range(len(grid)), max_trials))]


def check_tuning(settings: object) -> None:
    """Raise InputError for a ``tune`` section that would only fail once the data are loaded; `candidates` has its own.

    Args:
        settings: plain ``tune`` of the configuration: ``system``, ``train``, ``space``, ``max_trials``, ``objective``.
    """
    if not isinstance(settings, Mapping):
        raise InputError(f"tune={settings} is not a section; leave it out, or set values in it, such as tune.train=0.5")
    missing = [key for key in ("system", "train", "space", "max_trials", "objective") if key not in settings]
    if missing:
        raise InputError(f"tune has no {', '.join(missing)}; conf/train.yaml lists its values")
    _check_train(settings["train"])
    candidates(settings["space"], settings["max_trials"])
    if not isinstance(settings["objective"], Mapping):
        raise InputError(
            f"tune.objective={settings['objective']} is not a section; set tune.objective.metric and the like"
        )


def _check_train(train: object) -> None:
    if isinstance(train, int | float):
        if not 0 < train < 1:
            raise InputError(f"train={train} is not a share between 0 and 1")
    elif not isinstance(train, Sequence) or isinstance(train, str):
        raise InputError(f"train={train} is neither a share between 0 and 1 nor a list of conversation ids")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def with_values(config: DictConfig, values: Mapping[str, Any]) -> DictConfig:
    """Return a copy of a system's configuration with values set; a path that is not there raises InputError."""
    changed = config.copy()
    for path, value in values.items():
        if OmegaConf.select(changed, path, default=_ABSENT) is _ABSENT:
            raise InputError(f"space: the system has no value {path}")
        OmegaConf.update(changed, path, value)
    return changed


_ABSENT = object()


def tune(
    dataset: Dataset,
    config: DictConfig,
    build: Callable[[DictConfig], System],
    space: Sequence[Mapping[str, Any]],
    objective: Objective,
    max_trials: int = 200,
    seed: int = 0,
    progress: bool = True,
) -> tuple[Trial, list[Trial]]:
    """Try combinations of values and return (best, all); of equals the first in the grid's order wins.

    Args:
        dataset: training conversations only.
        config: of the system, with its default values.
        build: from a configuration to a system.
        space: see `candidates`.
        objective: what to maximise.
        max_trials: most combinations; beyond it a sample is drawn by seed.
        seed: of the sample.
        progress: show a bar on stderr.
    """
    trials = [
        Trial(values, objective(dataset, build(with_values(config, values))))
        for values in tqdm(candidates(space, max_trials, seed), desc="tune", unit="trial", disable=not progress)
    ]
    return max(trials, key=lambda trial: trial.objective), trials
