"""What an extractor returns. The graph is built from these values and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

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
    """A run of consecutive turns on one topic; becomes a snippet node. ``summary`` may be empty."""

    id: str
    turns: tuple[Turn, ...]
    summary: str = ""


class Segmenter(Protocol):
    """Cuts a conversation into chronological, non-overlapping segments that cover all turns."""

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the segments in order."""
        ...


class Extractor(Protocol):
    """Finds entities and relations in the segments of one conversation."""

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions and relations; every relation endpoint has a mention."""
        ...
