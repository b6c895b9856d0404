"""From a configuration to the objects of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from memorai.errors import InputError
from memorai.systems.base import System
from memorai.types import Dataset

#: parts that all systems of a run share, unless a system's own configuration names another
SHARED = ("embedder", "lexical", "text_format")


def build_dataset(config: DictConfig) -> Dataset:
    """Load the data set that ``config.dataset`` describes."""
    dataset = instantiate(config.dataset)
    if not isinstance(dataset, Dataset):
        raise InputError(f"dataset={config.dataset.get('_target_')} does not build a Dataset")
    return dataset


def build_systems(config: DictConfig) -> dict[str, System]:
    """Build every system of ``config.systems``, with one embedder, BM25 and text format for all of them.

    Raises:
        InputError: no system is configured.
    """
    if not config.systems:
        raise InputError("no system to run; add an experiment, such as +experiment=demo")
    shared: dict[str, Any] = {name: instantiate(config[name]) for name in SHARED}
    return {str(name): build_system(system, shared, str(config.device)) for name, system in config.systems.items()}


def build_system(config: DictConfig, shared: Mapping[str, Any], device: str) -> System:
    """Build one system; what its own configuration sets goes before what is shared."""
    given = {**shared, "device": device}
    return instantiate(config, **{name: part for name, part in given.items() if name not in config})


def plain(config: DictConfig) -> dict[str, Any]:
    """Return the resolved configuration as plain dicts and lists."""
    resolved = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    assert isinstance(resolved, dict)
    return {str(key): value for key, value in resolved.items()}
