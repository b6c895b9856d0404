"""What an extractor returns. The graph is built from these values and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from memorai.models.embedders import Embedder
from memorai.types import Conversation, Turn


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a turn.

    Args:
        key: identity of the entity inside its conversation (normalised name); equal keys are one node.
        name: surface form to show.
        turn_id: where it was said.
        weight: static strength of the mention, > 0 (1.0, or an inverse document frequency).
    """

    key: str
    name: str
    turn_id: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationMention:
    """A directed relation stated in turns: ``source`` -text-> ``target``, both entity keys that are mentioned."""

    source: str
    text: str
    target: str
    turn_ids: tuple[str, ...]
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything one extractor found in one conversation, in order of appearance.

    Args:
        mentions: entities in turns.
        relations: between mentioned entities.
        descriptions: by entity key, where the extractor writes its own; others are described from their turns.
    """

    mentions: tuple[Mention, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of consecutive turns, at best on one topic; becomes a snippet node. ``summary`` may be empty."""

    id: str
    turns: tuple[Turn, ...]
    summary: str = ""


class Segmenter(Protocol):
    """Cuts a conversation into segments that cover all turns, in order of their first turn.

    Segments are disjoint unless a segmenter says that its windows overlap; an extractor counts each turn once.
    """

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the segments in order."""
        ...


class Extractor(Protocol):
    """Finds entities and relations in the segments of one conversation."""

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions and relations; every relation endpoint has a mention."""
        ...


class Resolver(Protocol):
    """Decides which of an extractor's entities are one."""

    def __call__(self, extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
        """Return the extraction with equal entities under one key; ``turns`` are those that it was made from."""
        ...


@runtime_checkable
class UsesEmbedder(Protocol):
    """A part of the write path that wants the run's embedder: a system hands it over when it is built."""

    def prepare(self, embedder: Embedder, text_format: Callable[[Turn], str]) -> None:
        """Take the embedder, and what it sees of a turn, where the part's own configuration names none."""
        ...
