"""Scores by time alone: in order, newest first, or as forgetting would have it."""

from __future__ import annotations

from datetime import datetime

import torch
from torch import Tensor

from memorai.retrieval.indexed import QueryView

_DAY = 86_400.0


class Chronological:
    """Turns in the order in which they were said, or the other way round, whatever the question is.

    Args:
        newest_first: the latest turn is best.
    """

    def __init__(self, newest_first: bool = False) -> None:
        self.newest_first = newest_first

    def score(self, view: QueryView) -> Tensor:
        """Return the place, or minus the place: float64 [n_turn, Q]."""
        place = torch.arange(len(view.graph.turns), dtype=torch.float64, device=view.device)
        return (place if self.newest_first else -place)[:, None].repeat(1, len(view))


class Retention:
    """exp(-t / S): what is left of a memory after t days (Ebbinghaus, 1885; for agents MemoryBank, Zhong et al. 2024).

    t counts from the question's time, or from the conversation's last turn where it has none. A turn without a time, or
    said after the question, is as fresh as can be.

    Args:
        strength_days: S > 0, the same for every memory: nothing here is recalled twice.
    """

    def __init__(self, strength_days: float = 365.0) -> None:
        if isinstance(strength_days, bool) or not 0 < strength_days < float("inf"):
            raise ValueError(f"strength_days={strength_days} is not a positive number")
        self.strength_days = float(strength_days)

    def score(self, view: QueryView) -> Tensor:
        """Return retention in (0, 1]: float64 [n_turn, Q]."""
        times = [turn.time for turn in view.graph.turns]
        last = max((time for time in times if time is not None), key=_stamp, default=None)
        out = torch.ones(len(times), len(view), dtype=torch.float64, device=view.device)
        for q, query in enumerate(view.queries):
            now = query.time or last
            if now is None:
                continue
            age = [0.0 if time is None else max(0.0, _stamp(now) - _stamp(time)) / _DAY for time in times]
            out[:, q] = torch.exp(-torch.tensor(age, dtype=torch.float64) / self.strength_days)
        return out


def _stamp(time: datetime) -> float:
    """Seconds on the clock's face: a naive time and one with a zone are compared as they were written."""
    return (time.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
