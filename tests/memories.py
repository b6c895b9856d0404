"""What the tests of the agent's memory share: a clock that stands still, and memories that need no model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memorai.memory import Memory


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self, start: datetime = datetime(2025, 6, 1, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


def opened(path: Path | str, user: str = "ann", clock: Callable[[], datetime] | None = None, **options: Any) -> Memory:
    """A memory with the hashing embedder; a group is written at once, unless the test says otherwise."""
    options = {"embedder": "hashing", "group_messages": 1, **options}
    return Memory.open(path, user, clock=clock or Clock(), **options)


def said(text: str, time: str | None = None, **more: Any) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": text, "time": time, **more}


def texts(results: Any) -> list[str]:
    return [result.text for result in results]


def bytes_of(folder: Path) -> bytes:
    """Every byte of every file of a folder."""
    return b"\n".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())
