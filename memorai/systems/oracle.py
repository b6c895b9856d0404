"""The ceiling: a system that is told the gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memorai.types import Conversation, Query, Question, Ranking


class OracleSystem:
    """Ranks each question's evidence first, then the other turns in order: what no retriever can exceed.

    It shows the ceiling of a metric, below 1 for recall@k where a question has more than k evidence turns.

    Args:
        only: rank the evidence and nothing else, as the context that a reader could not wish better.
        shared: the embedder and other parts that every system is offered; ignored.
    """

    def __init__(self, only: bool = False, **shared: object) -> None:
        self.only = only
        self._gold: dict[str, tuple[str, ...]] = {}

    def reveal(self, questions: Sequence[Question]) -> None:
        """Take the questions' evidence."""
        self._gold |= {question.id: question.evidence for question in questions}

    def index(self, conversation: Conversation) -> OracleIndex:
        """Keep the turns' order."""
        return OracleIndex(self._gold, tuple(turn.id for turn in conversation.turns), self.only)

    def labels(self) -> dict[str, str]:
        """Return that nothing was used."""
        return {"embedder": "none", "extractor": "none", "gate": "none"}


@dataclass(frozen=True)
class OracleIndex:
    """One conversation's turn ids, and all gold."""

    gold: Mapping[str, tuple[str, ...]]
    turn_ids: tuple[str, ...]
    only: bool = False

    def search(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """Return evidence first; a question without evidence gets the turns in order, or nothing."""
        rankings = []
        for query in queries:
            gold = dict.fromkeys(self.gold.get(query.id, ()), 1.0)
            order = sorted(self.turn_ids, key=lambda turn: -gold.get(turn, 0.0))
            order = [turn for turn in order if turn in gold or not self.only][:k]
            rankings.append(Ranking(query.id, tuple(order), tuple(gold.get(turn, 0.0) for turn in order)))
        return rankings

    def statistics(self) -> Mapping[str, int]:
        """Return nothing: there is no graph."""
        return {}

    def seconds(self) -> Mapping[str, float]:
        """Return nothing: there is no work."""
        return {}
