"""Times what is called: wall and processor milliseconds, medians of several runs."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from memorai.write import describe, names, when

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """Milliseconds a turn: medians over ``runs``. Processor time suffers less from other programs than wall time."""

    wall: float
    cpu: float
    runs: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.cpu + other.cpu, min(self.runs, other.runs))


def timed(call: Callable[[], T], turns: int, runs: int = 5) -> tuple[T, Cost]:
    """Call ``runs`` times, each time with the package's own caches empty; return the last result and the cost."""
    walls, cpus = [], []
    for _ in range(runs):
        forget()
        gc.collect()
        gc.disable()  # a collection of another stage's garbage would be counted here
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        gc.enable()
    scale = 1000 / max(1, turns)
    return result, Cost(scale * statistics.median(walls), scale * statistics.median(cpus), runs)


def forget() -> None:
    """Empty the caches that would make a second run cheaper than the first."""
    describe._searchable.cache_clear()
    when._library.cache_clear()
    names.name_key.cache_clear()
