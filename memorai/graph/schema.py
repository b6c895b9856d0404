"""Node and edge types, and the provenance-carrying graph of one conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np

from memorai.types import Turn

ENTITY, TURN, SNIPPET = "entity", "turn", "snippet"
#: order of the node types in every stacked [N, ...] array
NODE_TYPES = (ENTITY, TURN, SNIPPET)

EdgeType = tuple[str, str, str]
RELATION: EdgeType = (ENTITY, "relation", ENTITY)
MENTIONED_IN: EdgeType = (ENTITY, "mentioned_in", TURN)
PART_OF: EdgeType = (TURN, "part_of", SNIPPET)
#: beyond the paper, off in `memorai`: neighbours inside a session
NEXT: EdgeType = (TURN, "next", TURN)
EDGE_TYPES = (RELATION, MENTIONED_IN, PART_OF, NEXT)


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, thing or notion. ``turn_ids`` is its provenance, never empty; ``description`` may be."""

    key: str
    name: str
    description: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed statement between two entities (keys), with the turns that make it, never empty."""

    source: str
    text: str
    target: str
    turn_ids: tuple[str, ...]
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Snippet:
    """A segment: its summary (empty if none was made), and the turns it covers, never empty."""

    id: str
    summary: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True)
class Edges:
    """Edges of one type: ``index`` int64 [2, E] into the nodes of the two types, ``weight`` float32 [E] >= 0."""

    index: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class MemoryGraph:
    """The heterogeneous graph of one conversation.

    Nodes are numbered by their place in ``entities``, ``turns`` and ``snippets``. ``edges`` holds forward
    directions only; reverse edges are the retrieval's choice. The e-th RELATION edge is ``relations[e]``.
    """

    conversation_id: str
    entities: tuple[Entity, ...]
    turns: tuple[Turn, ...]
    snippets: tuple[Snippet, ...]
    relations: tuple[Relation, ...]
    edges: Mapping[EdgeType, Edges] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of nodes by type, in NODE_TYPES order."""
        return {ENTITY: len(self.entities), TURN: len(self.turns), SNIPPET: len(self.snippets)}

    @cached_property
    def offsets(self) -> dict[str, int]:
        """First index of each node type in a stacked [N, ...] array."""
        starts, total = {}, 0
        for name in NODE_TYPES:
            starts[name] = total
            total += self.sizes[name]
        return starts

    @property
    def num_nodes(self) -> int:
        """N: entities, turns and snippets together."""
        return sum(self.sizes.values())

    def rows(self, node_type: str) -> slice:
        """The rows of ``node_type`` in a stacked [N, ...] array."""
        start = self.offsets[node_type]
        return slice(start, start + self.sizes[node_type])

    def statistics(self) -> dict[str, int]:
        """Node and edge counts by type, logged with each run so that two graphs can be compared."""
        counts = {f"nodes_{name}": size for name, size in self.sizes.items()}
        counts |= {f"edges_{kind[1]}": edges.index.shape[1] for kind, edges in self.edges.items()}
        return counts
