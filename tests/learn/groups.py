"""Groups whose evidence says, through one feature, which turn is gold; the others are noise."""

from __future__ import annotations

import numpy as np

from memorai.graph.schema import MENTIONED_IN, NEXT
from memorai.learn.examples import Group
from memorai.learn.features import CANDIDATES, Features
from memorai.types import Question

NAMES = (CANDIDATES, "match/signal", "match/noise")


def group(name: str, questions: int = 12, turns: int = 10, seed: int = 0, sessions: tuple[str, ...] = ()) -> Group:
    draw = np.random.default_rng([seed, *name.encode()])
    values = draw.normal(size=(questions, turns, len(NAMES))).astype(np.float32)
    gold = np.zeros((questions, turns), dtype=bool)
    place = draw.integers(turns, size=questions)
    gold[np.arange(questions), place] = True
    values[gold, 1] += 3
    ids = tuple(f"{name}:{i}" for i in range(turns))
    asked = tuple(
        Question(f"{name}:q{i}", "?", (ids[p],), sessions or (f"s{i}",), category="ab"[i % 2])
        for i, p in enumerate(place)
    )
    chain = np.stack([np.arange(turns - 1), np.arange(1, turns)])
    mentions = np.array([[0, 0, 1], [0, 2, 3]])
    return Group(
        "toy", name, f"digest-{name}", asked, ids, Features(NAMES, values), gold, {NEXT: chain, MENTIONED_IN: mentions}
    )
