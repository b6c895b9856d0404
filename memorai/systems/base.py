"""What every memory system looks like from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from memorai.types import Conversation, Query, Question, Ranking


class SearchIndex(Protocol):
    """One conversation, ready to be searched."""

    def search(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """Return one ranking a query, in the queries' order."""
        ...

    def statistics(self) -> Mapping[str, int]:
        """Return counts worth logging (nodes and edges by type), empty if there are none."""
        ...

    def seconds(self) -> Mapping[str, float]:
        """Return wall seconds by stage since the last call."""
        ...


class System(Protocol):
    """Turns conversations into search indexes. It never sees a question's gold."""

    def index(self, conversation: Conversation) -> SearchIndex:
        """Index the conversation's turns; its questions are not looked at."""
        ...

    def labels(self) -> Mapping[str, str]:
        """Return what a table must name of this system: ``embedder``, ``extractor``, ``gate``."""
        ...


class NeedsGold(Protocol):
    """A system that is an upper bound and is handed the gold on purpose; nothing else implements this."""

    def reveal(self, questions: Sequence[Question]) -> None:
        """Take the questions with their evidence."""
        ...
