"""The conversations of a run over several processes, of this machine or of a Ray cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from memorai.errors import InputError
from memorai.harness.build import build_systems
from memorai.harness.run import Outcome, run_systems, scored_questions
from memorai.systems.base import System
from memorai.types import Dataset

T = TypeVar("T")
R = TypeVar("R")


class Spread(Protocol):
    """Applies a function to items in other processes."""

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Yield the results in the order of the items; what ``work`` raises is raised here."""
        ...


class Processes:
    """Processes of this machine.

    Args:
        workers: how many; None for as many as there are cores.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = _checked(workers)

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """See `Spread`."""
        # spawned, for a forked child of a process that has threads may hang
        with ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(work, items)


class Ray:
    """Tasks of Ray, here or on a cluster.

    Args:
        workers: processes at once where Ray is started here; None for as many as there are cores.
        address: of a running cluster (``auto``: the one that this machine is part of); None starts Ray here.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.workers, self.address = _checked(workers), address

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """See `Spread`."""
        try:
            import ray
        except ImportError:
            raise InputError("spread=ray needs Ray; run pip install 'memorai[ray]'") from None
        started = not ray.is_initialized()
        if started:
            size = {} if self.address else {"num_cpus": self.workers}
            ray.init(address=self.address, include_dashboard=False, log_to_driver=False, logging_level="error", **size)
        try:
            task, shared = ray.remote(_applied), ray.put(work)
            for result in [task.remote(shared, item) for item in items]:
                try:
                    yield ray.get(result)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None  # as it was raised there, without the other process's traceback
        finally:
            if started:
                ray.shutdown()


def _applied(work: Callable[[T], R], item: T) -> R:
    return work(item)


def _checked(workers: int | None) -> int | None:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise InputError(f"spread.workers={workers} is not a number of processes")
    return workers


def run_spread(
    dataset: Dataset, config: Mapping[str, Any], k: int, spread: Spread, progress: bool = True
) -> list[Outcome]:
    """Do what `memorai.harness.run.run_systems` does with the systems of a configuration, a conversation at a time.

    Rankings and failures are the same, and in the same order; timings are those of processes that share the machine.

    Args:
        dataset: what to ask; each conversation is sent to one process.
        config: plain and resolved; every process builds the systems from it, once.
        k: length of the rankings, >= 1.
        spread: where to.
        progress: show a progress bar on stderr.

    Raises:
        InputError: as `run_systems`.
    """
    parts = [replace(dataset, conversations=(c,)) for c in dataset.conversations if scored_questions(c)]
    if not parts:
        return run_systems(dataset, build_systems(OmegaConf.create(dict(config))), k, progress)  # which says why not
    work = _Ask(OmegaConf.to_yaml(OmegaConf.create(dict(config))), k)
    outcomes: list[Outcome] = []
    with tqdm(total=len(parts), desc=dataset.name, unit="conversation", disable=not progress) as bar:
        for found in spread.map(work, parts):
            if outcomes:
                for outcome, more in zip(outcomes, found, strict=True):
                    outcome.merge(more)
            else:
                outcomes = found
            bar.update()
    return outcomes


@dataclass(frozen=True)
class _Ask:
    """One conversation's share of a run; the configuration is YAML, for processes share no objects."""

    config: str
    k: int

    def __call__(self, part: Dataset) -> list[Outcome]:
        return run_systems(part, _systems(self.config), self.k, progress=False)


@lru_cache(maxsize=1)
def _systems(config: str) -> dict[str, System]:
    made = OmegaConf.create(config)
    assert isinstance(made, DictConfig)
    return build_systems(made)
