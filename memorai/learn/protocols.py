"""Who is trained on what: folds in which no label of a test question can reach training, selection or normalisation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from memorai.errors import InputError
from memorai.learn.examples import Group, question_key

#: leave one conversation out; folds of questions; other data sets only
PROTOCOLS = ("loco", "within", "zero_shot")


@dataclass(frozen=True)
class Fold:
    """Training and test groups without a conversation or an answer session in common."""

    name: str
    train: tuple[Group, ...]
    test: tuple[Group, ...]


def make_folds(
    protocol: str, groups: Sequence[Group], others: Sequence[Group], folds: int = 10, seed: int = 0
) -> list[Fold]:
    """Return the folds of a protocol; each test group is in exactly one.

    Args:
        protocol: see `PROTOCOLS`.
        groups: of the data set that is tested.
        others: of other data sets, trained on under ``zero_shot``, which knows nothing of ``groups``.
        folds: of ``within``.
        seed: of the draw of ``within``.

    Raises:
        InputError: an unknown protocol, or too little data for it.
    """
    if protocol == "loco":
        if len(groups) < 2:
            raise InputError("protocol=loco leaves one conversation out and needs at least two")
        return [Fold(group.conversation, (*groups[:i], *groups[i + 1 :]), (group,)) for i, group in enumerate(groups)]
    if protocol == "within":
        parts = grouped_folds(groups, folds, seed)
        return [
            Fold(f"fold{i}", tuple(g for j, part in enumerate(parts) if j != i for g in part), tuple(test))
            for i, test in enumerate(parts)
        ]
    if protocol == "zero_shot":
        known = {group.digest for group in groups} | {question_key(q) for group in groups for q in group.questions}
        clean = tuple(g for g in others if known.isdisjoint((g.digest, *map(question_key, g.questions))))
        if not clean:
            raise InputError("protocol=zero_shot trains on other data than it tests; give some in learning.training")
        return [Fold("all", clean, tuple(groups))]
    raise InputError(f"learning.protocol={protocol}: use one of {', '.join(PROTOCOLS)}")


def grouped_folds(groups: Sequence[Group], folds: int, seed: int) -> list[list[Group]]:
    """Deal conversations into folds of about equal size; those that share an answer session stay together.

    Raises:
        InputError: fewer clusters than two folds.
    """
    clusters = clusters_of(groups)
    if min(folds, len(clusters)) < 2:
        raise InputError(f"protocol=within needs two clusters of questions at least; there are {len(clusters)}")
    order = list(range(len(clusters)))
    random.Random(seed).shuffle(order)
    order.sort(key=lambda i: -len(clusters[i]))
    dealt: list[list[Group]] = [[] for _ in range(min(folds, len(clusters)))]
    for i in order:
        min(dealt, key=len).extend(clusters[i])
    return dealt


def clusters_of(groups: Sequence[Group]) -> list[list[Group]]:
    """Return the connected components of groups by common answer sessions (ids), in order of their first group."""
    leader = list(range(len(groups)))

    def root(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    first: dict[str, int] = {}
    for i, group in enumerate(groups):
        for session in (s for question in group.questions for s in question.evidence_sessions):
            a, b = sorted((root(first.setdefault(_scoped(group, session), i)), root(i)))
            leader[b] = a
    parts: dict[int, list[Group]] = {}
    for i, group in enumerate(groups):
        parts.setdefault(root(i), []).append(group)
    return list(parts.values())


def _scoped(group: Group, session: str) -> str:
    # session ids are global where each question has a haystack of its own, else they belong to a conversation
    return session if len(group.questions) == 1 else f"{group.conversation}\0{session}"
