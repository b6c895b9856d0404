"""Every value that the memory of an agent has; conf/memory/default.yaml holds the same."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from memorai.errors import InputError

_WHOLE = (
    *("max_df", "seeds", "candidates", "exact_turns", "scan_turns", "group_messages", "context_turns", "segment_turns"),
    *("hot_entities", "cached_queries"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a memory searches, writes and forgets.

    Args:
        damping: probability that the walk follows an edge, in [0, 1).
        temperature: of the softmax that turns fused scores into restart mass, > 0.
        dense, lexical: weights of the z-scores of cosine and BM25.
        next_weight: edges between neighbouring turns of a session.
        shared_weight: edges between a turn and the words and entities it shares, times their idf.
        relation_weight: edges between entities of which a relation holds.
        max_df: what more turns share links nothing.
        fact_share: share of the restart mass for what facts of the kind asked for say, in [0, 1).
        aside: factor of turns about what such facts said at another time, in [0, 1].
        stale: factor of turns whose facts do not hold at the time asked for, in [0, 1].
        later: factor of turns said after the time asked for, none of whose facts is known to hold then.
        exact_turns: up to so many turns the walk sees the whole graph; beyond, the neighbourhood of the seeds.
        seeds: turns that get restart mass in a larger graph.
        candidates: turns of that neighbourhood.
        scan_turns: from so many turns on cosines come from a compressed scan, where faiss is installed.
        group_messages: messages that are written together, at most.
        group_ms: how long a message waits for others, in milliseconds.
        context_turns: turns before a new one that its reading may look at.
        segment_turns: turns of a segment.
        busy_seconds: how long a writer waits for another process.
        hot_entities: entities whose numbers are remembered.
        cached_queries: searches whose results are remembered; 0 = none.
        cache_seconds: for how long.
        strength_days: S of a new memory.
        growth: factor of S with each retrieval, >= 1.

    Raises:
        InputError: a value out of range.
    """

    damping: float = 0.6
    temperature: float = 0.7
    dense: float = 1.0
    lexical: float = 0.5
    next_weight: float = 1.0
    shared_weight: float = 0.25
    relation_weight: float = 0.25
    max_df: int = 30
    fact_share: float = 0.4
    aside: float = 0.3
    stale: float = 0.1
    later: float = 0.3
    exact_turns: int = 1500
    seeds: int = 100
    candidates: int = 1000
    scan_turns: int = 20_000
    group_messages: int = 10
    group_ms: float = 200.0
    context_turns: int = 6
    segment_turns: int = 10
    busy_seconds: float = 30.0
    hot_entities: int = 10_000
    cached_queries: int = 256
    cache_seconds: float = 60.0
    strength_days: float = 7.0
    growth: float = 1.5

    def __post_init__(self) -> None:
        for field in fields(self):
            value: Any = getattr(self, field.name)
            whole = field.name in _WHOLE
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise InputError(f"memory: {field.name}={value!r} is not a {'whole ' if whole else ''}number")
            if not 0 <= value < math.inf:
                raise InputError(f"memory: {field.name}={value} is not finite and >= 0")
        for name in ("temperature", "group_messages", "segment_turns", "seeds", "candidates", "strength_days"):
            if getattr(self, name) <= 0:
                raise InputError(f"memory: {name}={getattr(self, name)} must be above 0")
        if self.growth < 1 or max(self.stale, self.later, self.aside) > 1 or max(self.damping, self.fact_share) >= 1:
            raise InputError(
                f"damping={self.damping}, fact_share={self.fact_share} must be below 1, growth={self.growth} at "
                f"least 1, stale={self.stale}, later={self.later} and aside={self.aside} at most 1"
            )
