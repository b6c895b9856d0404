"""Mentions in columns: what a conversation that grows is counted in, without an object a mention."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from memorai.types import Turn
from memorai.write.extraction import Extraction, Mention, RelationMention

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MentionTable:
    """The mentions of a conversation so far, turn by turn and in order; an entity and a turn meet once.

    Args:
        keys: [K] of the entities by number; some may have no mention.
        names: [K] display names.
        entity: int64 [M] number of each mention's entity.
        turn: int64 [M] place of its turn, never decreasing.
        weight: float64 [M] > 0.
        changed: numbers of the entities whose name or turns are not what the table before said; all at first.
        relations: by first statement, each (source, text, target) once.
        ends: int64 [2, R] numbers of their sources and targets.
    """

    keys: Sequence[str]
    names: Sequence[str]
    entity: Ints
    turn: Ints
    weight: Doubles
    changed: Sequence[int]
    relations: tuple[RelationMention, ...] = ()
    ends: Ints = field(default_factory=lambda: np.zeros((2, 0), np.int64))

    def extraction(self, turns: Sequence[Turn]) -> Extraction:
        """Write the table out; ``turns`` are all that were read, in order."""
        rows = zip(self.entity.tolist(), self.turn.tolist(), self.weight.tolist(), strict=True)
        mentions = (Mention(self.keys[e], self.names[e], turns[t].id, weight) for e, t, weight in rows)
        return Extraction(tuple(mentions), self.relations)


class GrowingExtraction(Protocol):
    """What one extractor knows of one conversation."""

    def append(self, turns: Sequence[Turn]) -> MentionTable:
        """Read more turns and return the mentions of all so far: what reading all at once would give."""
        ...


@runtime_checkable
class GrowingExtractor(Protocol):
    """An extractor that need not start over when a conversation goes on."""

    def grow(self, language: str) -> GrowingExtraction:
        """Begin a conversation."""
        ...


def participants(known: Sequence[str], turns: Sequence[Turn]) -> tuple[str, ...]:
    """The speakers that were known and those who are new, in the order in which they first spoke."""
    return tuple(dict.fromkeys((*known, *(turn.speaker for turn in turns))))


class MentionColumns:
    """Numbers entities, and keeps which of them each turn mentions."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._numbers: dict[str, int] = {}
        self._rows: list[Ints] = []
        self._changed: dict[int, None] = {}
        self._entity = self._turn = np.zeros(0, np.int64)
        self._flat = 0  # rows that stand in the two arrays above

    def number(self, key: str) -> int:
        """Return the entity's number, a new one if need be."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.keys)
            self.keys.append(key)
            self._changed[found] = None
        return found

    def put(self, turn: int, keys: Iterable[str]) -> None:
        """Set the distinct entities of a turn; the turn is the next one, or one that was set before."""
        row = np.array([self.number(key) for key in keys], np.int64)
        if turn == len(self._rows):
            self._rows.append(row)
            self._changed.update(dict.fromkeys(row.tolist()))
            return
        self._changed.update(dict.fromkeys(np.setxor1d(self._rows[turn], row).tolist()))
        self._rows[turn] = row
        if turn < self._flat:
            self._flat = 0

    def touch(self, number: int) -> None:
        """Note that the entity is to be shown otherwise."""
        self._changed[number] = None

    def row(self, turn: int) -> list[int]:
        """Return the numbers of a turn's entities in order."""
        return self._rows[turn].tolist()

    def flat(self) -> tuple[Ints, Ints]:
        """Return entity and turn of every mention, int64 [M] each."""
        if self._flat < len(self._rows):
            rows = self._rows[self._flat :]
            turns = np.repeat(np.arange(self._flat, len(self._rows)), [len(row) for row in rows])
            before = (self._entity, self._turn) if self._flat else (self._entity[:0], self._turn[:0])
            self._entity = np.concatenate([before[0], *rows])
            self._turn = np.concatenate([before[1], turns])
            self._flat = len(self._rows)
        return self._entity, self._turn

    def turn_counts(self) -> Ints:
        """Return in how many turns each entity is mentioned, int64 [K]."""
        return np.bincount(self.flat()[0], minlength=len(self.keys))

    def take_changed(self) -> list[int]:
        """Return the numbers of the entities that changed since the last call."""
        changed, self._changed = list(self._changed), {}
        return changed
