"""From a configuration to the objects of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from memorai.errors import InputError
from memorai.models.cache import content_key
from memorai.models.embedders import Embedder
from memorai.systems.base import System
from memorai.systems.index_cache import IndexCache
from memorai.types import Dataset, Turn

#: parts that all systems of a run share, unless a system's own configuration names another
SHARED = ("embedder", "lexical", "text_format")
#: what a system may change without its index changing
READ_PATH = ("retriever", "reranker", "batch_size", "chosen_on")
# one a process: the jobs of a multirun run in one
_INDEXES = IndexCache()


def build_dataset(config: DictConfig) -> Dataset:
    """Load the data set that ``config.dataset`` describes."""
    dataset = instantiate(config.dataset)
    if not isinstance(dataset, Dataset):
        raise InputError(f"dataset={config.dataset.get('_target_')} does not build a Dataset")
    return dataset


def keep_indexes(size: int) -> None:
    """Keep this many indexes in memory: a search over many small conversations wants all of them."""
    _INDEXES.size = size


class SystemFactory:
    """Builds systems that share one embedder, BM25, text format and index cache.

    Args:
        config: the run's configuration.
    """

    def __init__(self, config: DictConfig) -> None:
        self._shared: dict[str, Any] = {name: instantiate(config[name]) for name in SHARED}
        self._shared |= {"device": str(config.device), "cache": _INDEXES}
        self._base = [OmegaConf.to_container(config[name], resolve=True) for name in SHARED]

    @property
    def embedder(self) -> Embedder:
        """The run's embedder."""
        return self._shared["embedder"]

    @property
    def text_format(self) -> Callable[[Turn], str]:
        """What the run's embedder and BM25 see of a turn."""
        return self._shared["text_format"]

    def part(self, config: DictConfig) -> Any:
        """Build what is no system, such as a gate; an embedder or text format equal to the run's is the run's own."""
        written = _written(config)
        same = (name for name, base in zip(SHARED, self._base, strict=True) if written.get(name) == base)
        return _built(written, {name: self._shared[name] for name in same})

    def compose(self, config: DictConfig, **parts: Any) -> Any:
        """Build one system with ``parts`` in place of its own; no key describes them, so its indexes are not kept."""
        written = _written(config)
        shared = {name: part for name, part in self._shared.items() if name not in written}
        return _built(written, {**shared, "cache": None, **parts})

    def build(self, config: DictConfig) -> System:
        """Build one system; what its own configuration sets goes before what is shared."""
        write_path = {name: part for name, part in _written(config).items() if name not in READ_PATH}
        key = content_key(json.dumps([self._base, write_path], sort_keys=True, default=str))
        given = {**self._shared, "cache_key": key}
        return instantiate(config, **{name: part for name, part in given.items() if name not in config})


def build_systems(config: DictConfig) -> dict[str, System]:
    """Build every system of ``config.systems``.

    Raises:
        InputError: no system is configured.
    """
    if not config.systems:
        raise InputError("no system to run; add an experiment, such as +experiment=demo")
    factory = SystemFactory(config)
    return {str(name): factory.build(system) for name, system in config.systems.items()}


def plain(config: DictConfig) -> dict[str, Any]:
    """Return the resolved configuration as plain dicts and lists."""
    resolved = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    assert isinstance(resolved, dict)
    return {str(key): value for key, value in resolved.items()}


def _written(config: DictConfig) -> dict[str, Any]:
    found = OmegaConf.to_container(config, resolve=True)
    assert isinstance(found, dict)
    return {str(name): part for name, part in found.items()}


def _built(written: Mapping[str, Any], parts: Mapping[str, Any]) -> Any:
    # what a part replaces is left out: Hydra would merge the two
    return instantiate({name: value for name, value in written.items() if name not in parts}, **parts)
