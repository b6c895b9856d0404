"""The statements of a conversation that grows, each once, with the turns that make it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import numpy as np

from memorai.types import Turn
from memorai.write.extraction import RelationMention
from memorai.write.growing import Bools, Ints
from memorai.write.relations import Statement


class Stated:
    """Statements in the order in which they are first made.

    Args:
        number: gives an entity's number.
    """

    def __init__(self, number: Callable[[str], int]) -> None:
        self._number = number
        self._turns: list[tuple[Sequence[Statement], Mapping[Statement, datetime]]] = []
        self._forget()

    def put(self, turn: int, made: Sequence[Statement], starts: Mapping[Statement, datetime]) -> None:
        """Set what a turn states, and from when each statement holds; the turn is the next one, or an earlier one."""
        if turn == len(self._turns):
            self._turns.append((made, starts))
            self._add(turn)
        elif self._turns[turn] != (made, starts):
            self._turns[turn] = (made, starts)
            self._stale = True  # which turn was the first to say it is a matter of all of them

    def relations(self, turns: Sequence[Turn], allowed: Bools) -> tuple[tuple[RelationMention, ...], Ints]:
        """Return the relations between allowed entities, and the numbers of their ends, int64 [2, R]."""
        if self._stale:
            self._forget()
            for turn in range(len(self._turns)):
                self._add(turn)
        ends = np.array(self._ends, np.int64).reshape(-1, 2).T
        kept = allowed[ends[0]] & allowed[ends[1]]
        made = (statement for statement, keep in zip(self._places, kept.tolist(), strict=True) if keep)
        return tuple(self._relation(statement, turns) for statement in made), ends[:, kept]

    def _relation(self, statement: Statement, turns: Sequence[Turn]) -> RelationMention:
        found = self._relations.get(statement)
        if found is None:
            ids = tuple(turns[place].id for place in self._places[statement])
            source, text, target = statement.source, statement.text, statement.target
            found = RelationMention(source, text, target, ids, self._starts.get(statement))
            self._relations[statement] = found
        return found

    def _forget(self) -> None:
        self._stale = False
        self._places: dict[Statement, dict[int, None]] = {}
        self._starts: dict[Statement, datetime] = {}
        self._ends = array("q")  # pairs, flat
        self._relations: dict[Statement, RelationMention] = {}

    def _add(self, turn: int) -> None:
        made, starts = self._turns[turn]
        for statement, start in starts.items():
            self._starts.setdefault(statement, start)
        for statement in made:
            if statement not in self._places:
                self._places[statement] = {}
                self._ends.extend((self._number(statement.source), self._number(statement.target)))
            self._places[statement][turn] = None
            self._relations.pop(statement, None)
