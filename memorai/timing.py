"""Where the time of a run goes, by stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up exclusive wall seconds by stage: a stage inside another is not counted in the outer one.

    Example:
        >>> watch = Stopwatch()
        >>> with watch("search"), watch("embed"):
        ...     pass
        >>> sorted(watch.take())
        ['embed', 'search']
    """

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._inner: list[float] = []

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Count the block's time, less that of stages inside it, to ``stage``."""
        self._inner.append(0.0)
        start = time.perf_counter()
        try:
            yield
        finally:
            elapsed = time.perf_counter() - start
            inside = self._inner.pop()
            self._seconds[stage] = self._seconds.get(stage, 0.0) + elapsed - inside
            if self._inner:
                self._inner[-1] += elapsed

    def take(self) -> dict[str, float]:
        """Return seconds by stage since the last call, and start anew."""
        seconds, self._seconds = self._seconds, {}
        return seconds
