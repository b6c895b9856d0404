"""Explain what a stored memory found."""

from __future__ import annotations

import numpy as np

from memorai.recall.prepare import as_turn
from memorai.recall.settings import Settings
from memorai.recall.traced import Traced
from memorai.report.explain.data import NODES, Asked, Explanation, Node, Ranked, explained, turn_node
from memorai.report.explain.walk import Walk


def explain_search(query: str, user: str, found: Traced | None, settings: Settings, nodes: int = NODES) -> Explanation:
    """Return the walk of a search, as `Memory.search` does it.

    Its scheme is ``static``: what two turns share weighs by its rarity; ``uniform`` leaves the rarity out. Nothing is
    conditioned on the query but the seeds: of words only hashes are stored, so that they have no vectors.
    """
    asked = Asked(user, query)
    if found is None:
        return explained(asked, "memory", [], [], notes=["Nothing is stored that could be searched."])
    made = []
    for i, turn in enumerate(found.turns):
        cosine = None if found.cosine is None else float(found.cosine[i])
        made.append(turn_node(as_turn(turn), cosine, float(found.bm25[i])))
    kinds = ["word"] * len(found.words) + ["entity"] * len(found.entities)
    for kind, name, holders in zip(kinds, (*found.words, *found.entities), found.holders, strict=True):
        made.append(Node(kind, name, name, "", tuple(found.turns[i].id for i in holders)))
    place = {turn.id: i for i, turn in enumerate(found.turns)}
    ranked = [Ranked(rank, r.id, r.score, place[r.id], False) for rank, r in enumerate(found.results, 1)]
    by_kind = np.array([settings.next_weight, settings.shared_weight, settings.shared_weight, settings.relation_weight])
    uniform = by_kind[found.kind]
    walk = Walk(
        source=np.concatenate([found.source, found.target]),
        target=np.concatenate([found.target, found.source]),
        kind=np.tile(found.kind, 2),
        kinds=found.kinds,
        weights={"static": np.tile(found.weight, 2), "uniform": np.tile(uniform, 2)},
        restart=found.restart,
        damping=found.damping,
        scheme="static",
        factor=np.concatenate([found.factor, np.ones(len(made) - len(found.factor))]),
    )
    notes = []
    if (found.factor < 1).any():
        notes.append("Scores of turns are lowered where their facts do not hold at the time asked for.")
    return explained(asked, "memory", made, ranked, (), walk, notes, nodes)
