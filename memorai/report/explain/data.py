"""What an explanation consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from memorai.errors import InputError
from memorai.graph.schema import TURN
from memorai.report.explain.walk import Path, Solved, Walk
from memorai.types import Turn

#: nodes that a page draws unless told otherwise, and ranked memories that it lists
NODES, RANKED = 500, 10
#: longest label of a turn or snippet, in characters
_LABEL = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """The question: id, text, and where the data set tells, its category and gold answer."""

    id: str
    text: str
    category: str = ""
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the query's subgraph.

    Args:
        kind: entity, turn, snippet or word.
        id: a turn's id, an entity's key, a snippet's id.
        label: short name.
        text: what was said, a description, a summary.
        turn_ids: its provenance.
        session, time, speaker: of a turn; time in ISO 8601.
        cosine: of its vector and the query's, None where nothing embeds.
        bm25: of a turn, None where nothing computes it.
    """

    kind: str
    id: str
    label: str
    text: str
    turn_ids: tuple[str, ...]
    session: str = ""
    time: str = ""
    speaker: str = ""
    cosine: float | None = None
    bm25: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory that the system returned: its rank from 1, the system's own score, its node, and whether it is gold."""

    rank: int
    id: str
    score: float
    node: int
    gold: bool


@dataclass(frozen=True, slots=True)
class Gold:
    """A turn that answers: its rank (None = not retrieved), its node (None = not in the subgraph), and why not."""

    id: str
    rank: int | None
    node: int | None
    missing: str = ""


@dataclass(frozen=True)
class Explanation:
    """One question under one system.

    Args:
        asked: the question.
        system: its name.
        nodes: of the query's subgraph; without a walk the ranked and the gold turns.
        ranked: the first memories of the system's ranking.
        gold: the turns that answer, with their ranks in the whole ranking.
        walk: None where the system does not walk.
        solved: its scores under its own values.
        paths: node of each ranked and gold turn -> its strongest path.
        shown: nodes to draw.
        left_out: kind -> how many nodes of the subgraph are not drawn.
        left_mass: their share of the PageRank mass.
        notes: what a reader has to know, a sentence each.
    """

    asked: Asked
    system: str
    nodes: tuple[Node, ...]
    ranked: tuple[Ranked, ...]
    gold: tuple[Gold, ...] = ()
    walk: Walk | None = None
    solved: Solved | None = None
    paths: Mapping[int, Path] = field(default_factory=dict)
    shown: tuple[int, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    left_mass: float = 0.0
    notes: tuple[str, ...] = ()

    def rerank(self, damping: float | None = None, scheme: str | None = None) -> list[tuple[str, float]]:
        """Return all turns of the walk and their scores under other values, best first; ties go to the earlier turn.

        Raises:
            InputError: there is no walk.
            ValueError: see `Walk.solve`.
        """
        if self.walk is None:
            raise InputError(f"explain: {self.system} does not walk, so there is nothing to solve again")
        scores = self.walk.solve(damping, scheme).scores * self.walk.factor
        turns = [i for i, node in enumerate(self.nodes) if node.kind == TURN]
        return [(self.nodes[i].id, float(scores[i])) for i in sorted(turns, key=lambda i: (-scores[i], i))]


def explained(
    asked: Asked,
    system: str,
    nodes: Sequence[Node],
    ranked: Sequence[Ranked],
    gold: Sequence[Gold] = (),
    walk: Walk | None = None,
    notes: Sequence[str] = (),
    budget: int = NODES,
) -> Explanation:
    """Solve the walk, find the strongest paths, and choose what is drawn.

    First come the ranked and gold turns, then what lies on their paths, then the nodes with the highest score.
    """
    wanted = list(dict.fromkeys([r.node for r in ranked] + [g.node for g in gold if g.node is not None]))
    solved = None if walk is None else walk.solve()
    paths = {} if solved is None else solved.paths(tuple(wanted))
    order = [*wanted, *(node for path in paths.values() for node in path.nodes)]
    if solved is None:
        order += range(len(nodes))
    else:
        order += sorted(range(len(nodes)), key=lambda i: (-solved.scores[i], i))
    order = list(dict.fromkeys(order))
    shown, rest = order[:budget], order[budget:]
    left_out: dict[str, int] = {}
    for i in rest:
        left_out[nodes[i].kind] = left_out.get(nodes[i].kind, 0) + 1
    left_mass = 0.0 if solved is None else float(solved.scores[rest].sum())
    return Explanation(
        *(asked, system, tuple(nodes), tuple(ranked), tuple(gold), walk, solved, paths),
        *(tuple(sorted(shown)), left_out, left_mass, tuple(notes)),
    )


def check_sizes(k: int, budget: int) -> None:
    """Raise InputError unless both are whole numbers of at least 1."""
    for name, value in (("k", k), ("nodes", budget)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"explain: {name}={value!r} is not a whole number of at least 1")


def turn_node(turn: Turn, cosine: float | None = None, bm25: float | None = None) -> Node:
    """Return a turn as a node; a number that is not finite is left out."""
    text = f"{turn.text} [{turn.caption}]" if turn.caption else turn.text
    time = turn.time.isoformat(sep=" ", timespec="minutes") if turn.time else ""
    numbers = [None if value is None or not isfinite(value) else value for value in (cosine, bm25)]
    return Node(
        TURN,
        turn.id,
        shorten(f"{turn.speaker}: {text}"),
        text,
        (turn.id,),
        turn.session_id,
        time,
        turn.speaker,
        *numbers,
    )


def shorten(text: str) -> str:
    """Return a text as a label, on one line."""
    folded = " ".join(text.split())
    return folded if len(folded) <= _LABEL else folded[: _LABEL - 1] + "…"
