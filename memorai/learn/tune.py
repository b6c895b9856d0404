"""Choose configuration values on some conversations, to be reported on others."""

from __future__ import annotations

import itertools
import random
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
    """What is maximised: one metric, averaged over questions (``weighted``) or over categories (``macro``)."""

    metric: str = "ndcg"
    unit: str = "turn"
    k: int = 10
    average: str = WEIGHTED

    def __call__(self, dataset: Dataset, system: System) -> float:
        """Return the objective of a system on all scored questions of a data set."""
        if self.average not in (MACRO, WEIGHTED):
            raise InputError(f"objective.average={self.average}: use {MACRO} or {WEIGHTED}")
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
    if isinstance(train, int | float):
        if not 0 < train < 1:
            raise InputError(f"train={train} is not a share between 0 and 1")
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
        InputError: an entry is not of that form or has no value, or ``max_trials`` is below 1.
    """
    if max_trials < 1:
        raise InputError(f"max_trials={max_trials} is less than 1")
    for entry in space:
        if not isinstance(entry, Mapping) or set(entry) != {"path", "values"}:
            raise InputError(f"space: {entry!r} is not of the form {{path: a.b, values: [1, 2]}}")
        if not isinstance(entry["values"], list) or not entry["values"]:
            raise InputError(f"space: {entry['path']} needs a list of at least one value")
    if not space:
        raise InputError("space is empty; give at least one {path: a.b, values: [1, 2]}")
    paths, values = [entry["path"] for entry in space], [entry["values"] for entry in space]
    grid = [dict(zip(paths, chosen, strict=True)) for chosen in itertools.product(*values)]
    if len(grid) <= max_trials:
        return grid
    return [grid[i] for i in sorted(random.Random(seed).sample(range(len(grid)), max_trials))]


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
