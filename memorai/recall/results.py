"""What a search gives back: the turn, where it came from, and why it was found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memorai.graph.store.records import Fact, micros


@dataclass(frozen=True, slots=True)
class Why:
    """What brought a turn up.

    Args:
        seed: its share of the restart mass: how well it answers by itself.
        cosine: of its vector and the query's; 0 where the embedder does not know the language.
        bm25: its BM25 score.
        path: the nodes by which most of its score came, last the turn itself: ``turn:ID``, ``word:...``,
            ``entity:NAME``. One node = it was found by itself.
    """

    seed: float
    cosine: float
    bm25: float
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A turn that was found.

    Args:
        id, text, speaker, role, caption, session: of the turn.
        time: when it was said, with the zone that was given; None if unknown.
        score: PageRank mass, lowered where its facts do not hold at the time asked for.
        facts: the relations that it states, each with all turns that state it.
        why: what brought it up.
        gate: the gate's score when it was added, or None.
    """

    id: str
    text: str
    speaker: str
    time: datetime | None
    session: str
    score: float
    facts: tuple[Fact, ...]
    why: Why
    role: str | None = None
    caption: str | None = None
    gate: float | None = None

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """Its provenance: its own id, then the other turns that state its facts."""
        return tuple(dict.fromkeys([self.id, *(turn for fact in self.facts for turn in fact.turn_ids)]))


@dataclass(frozen=True, slots=True)
class Context:
    """What was found, as text for a prompt: turns in the order of time, within a budget.

    Args:
        text: one line a turn.
        results: the turns in it, best first.
        tokens: estimated length.
    """

    text: str
    results: tuple[Result, ...]
    tokens: int

    def __str__(self) -> str:
        return self.text


def context_of(results: tuple[Result, ...], budget: int) -> Context:
    """Take the best results that fit, and write them in the order of time."""
    chosen: list[tuple[Result, str]] = []
    used = 0
    for result in results:
        line = _line(result)
        cost = estimate_tokens(line)
        if used + cost > budget and not chosen and budget > 0:
            # better a part of the best than nothing; no estimate exceeds the number of characters and one
            line = line[: max(0, budget - 2)] + "…"
            cost = estimate_tokens(line)
        if used + cost <= budget:
            chosen.append((result, line))
            used += cost
    ordered = sorted(range(len(chosen)), key=lambda i: (_clock(chosen[i][0]), i))
    return Context("\n".join(chosen[i][1] for i in ordered), tuple(result for result, _ in chosen), used)


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text: four ASCII characters a token, any other one each."""
    plain = sum(char.isascii() for char in text)
    return -(-plain // 4) + len(text) - plain + 1


def _line(result: Result) -> str:
    date = f"[{result.time:%Y-%m-%d %H:%M}] " if result.time else ""
    caption = f" [{result.caption}]" if result.caption else ""
    return f"{date}{result.speaker}: {' '.join(result.text.split())}{caption}"


def _clock(result: Result) -> float:
    return float("-inf") if result.time is None else micros(result.time)
