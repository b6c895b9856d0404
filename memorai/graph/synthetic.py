"""Random graphs shaped like a conversation's memory, of any size: for benchmarks and tests.

Entities appear in the order of time. Every turn mentions a fixed number of them: new ones, ones of the last few turns,
and old acquaintances drawn by a Zipf law over all seen so far, so that degrees have a heavy tail (the speakers are
everywhere, most things are named once). Relations join entities of one turn, or any two where they are long-range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memorai.graph.schema import ENTITY, MENTIONED_IN, PART_OF, RELATION, SNIPPET, TURN, Edges, EdgeType

MENTIONS = 5
SNIPPET_TURNS = 10
_TURN_SHARE, _RELATION_SHARE = 0.24, 0.20
_RECENT = 40.0  # mean distance, in entities, of a mention that follows up on what was just said


@dataclass(frozen=True)
class MemoryShape:
    """Structure without texts: sizes by node type, and forward edges by type, as in `MemoryGraph`."""

    sizes: dict[str, int]
    edges: dict[EdgeType, Edges]

    @property
    def num_nodes(self) -> int:
        """N: entities, turns and snippets together."""
        return sum(self.sizes.values())

    @property
    def num_directed(self) -> int:
        """Directed edges when each edge is walked both ways."""
        return 2 * sum(edges.index.shape[1] for edges in self.edges.values())


def memory_shape(num_nodes: int, seed: int = 0, long_range: float = 0.1) -> MemoryShape:
    """Return a graph of about ``num_nodes`` nodes and 3.2 directed edges a node.

    Args:
        num_nodes: entities (some 74 %), turns (24 %) and snippets (2 %) together; at least 20.
        seed: the same seed gives the same graph.
        long_range: share of the relations that join two entities drawn uniformly. At 1 the graph is an expander, the
            worst case of a local method; a conversation's relations join what is said together.

    Raises:
        ValueError: num_nodes below 20, or long_range outside [0, 1].
    """
    if num_nodes < 20 or not 0 <= long_range <= 1:
        raise ValueError(f"num_nodes={num_nodes}, long_range={long_range}: need num_nodes >= 20, long_range in [0, 1]")
    rng = np.random.default_rng(seed)
    turns = max(2, round(_TURN_SHARE * num_nodes))
    snippets = -(-turns // SNIPPET_TURNS)
    entities = num_nodes - turns - snippets
    source, target = _mentions(rng, entities, turns)
    turn = np.arange(turns, dtype=np.int64)
    pairs = {
        RELATION: _relations(rng, source, target, entities, round(_RELATION_SHARE * num_nodes), long_range),
        MENTIONED_IN: (source, target),
        PART_OF: (turn, turn // SNIPPET_TURNS),
    }
    edges = {kind: Edges(np.stack(ends), np.ones(ends[0].size, dtype=np.float32)) for kind, ends in pairs.items()}
    return MemoryShape({ENTITY: entities, TURN: turns, SNIPPET: snippets}, edges)


def memory_vectors(
    rows: int, dim: int, seed: int = 0, topic_rows: int = 100, out: np.ndarray | None = None
) -> np.ndarray:
    """Return unit vectors [rows, dim] whose cosines look like a sentence encoder's.

    Neighbouring rows share a topic (cosine about 0.45), others have cosines of about 0.1 with a spread of 0.08.

    Args:
        rows, dim: shape.
        seed: the same seed gives the same vectors.
        topic_rows: neighbours that share a topic.
        out: written to and returned, e.g. a memory-mapped float16 array; None for a new float32 one.
    """
    rng = np.random.default_rng(seed)
    common = _unit(rng.standard_normal((1, dim), dtype=np.float32))
    basis = _unit(rng.standard_normal((min(32, dim), dim), dtype=np.float32))
    topics = _unit(rng.standard_normal((rows // topic_rows + 1, basis.shape[0]), dtype=np.float32) @ basis)
    # the noise of a row is a row of a pool at a random rotation: drawing billions of normals would take minutes
    pool = _unit(rng.standard_normal((8192, dim), dtype=np.float32))
    out = np.empty((rows, dim), dtype=np.float32) if out is None else out
    for start in range(0, rows, 65536):
        row = np.arange(start, min(start + 65536, rows))
        noise = pool[rng.integers(len(pool), size=row.size)] + pool[rng.integers(len(pool), size=row.size)]
        out[row] = _unit(0.32 * common + 0.6 * topics[row // topic_rows] + 0.73 * np.sqrt(0.5) * noise)
    return out


def _mentions(rng: np.random.Generator, entities: int, turns: int) -> tuple[np.ndarray, np.ndarray]:
    slots = MENTIONS * turns
    turn = np.arange(slots) // MENTIONS
    seen = np.arange(1, slots + 1) * entities // slots  # entities that have appeared up to this mention
    new = np.diff(seen, prepend=0) > 0
    known = np.maximum(seen, 1)
    hub = (known ** rng.random(slots)).astype(np.int64) - 1  # Zipf: P(rank) ~ 1 / rank
    recent = known - 1 - rng.exponential(_RECENT, slots).astype(np.int64)
    old = np.where(rng.random(slots) < 0.5, hub, np.maximum(recent, 0))
    entity = np.where(new, known - 1, old)
    key = np.unique(turn * entities + entity)  # an entity twice in a turn is one mention
    return key % entities, key // entities


def _relations(
    rng: np.random.Generator, entity: np.ndarray, turn: np.ndarray, entities: int, count: int, long_range: float
) -> tuple[np.ndarray, np.ndarray]:
    first = rng.integers(entity.size, size=count)
    per_turn = np.bincount(turn)  # mentions are sorted by turn
    start = (np.cumsum(per_turn) - per_turn)[turn[first]]
    size = per_turn[turn[first]]
    second = start + (first - start + rng.integers(1, MENTIONS, size=count)) % size
    far = rng.random(count) < long_range
    source = entity[first]
    target = np.where(far, rng.integers(entities, size=count), entity[second])
    keep = source != target
    return source[keep], target[keep]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
