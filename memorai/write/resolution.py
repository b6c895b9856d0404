"""What an entity resolver decided, as records that can be read, replayed and taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from memorai.write.extraction import Extraction, Mention, RelationMention

Reason = Literal["split", "form", "plural", "role", "alias", "similar", "embedding"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Mentions of ``source`` become mentions of ``target``: a merge, or with ``turn_ids`` one part of a split.

    Args:
        reason: the rule that decided.
        source: entity key before.
        target: entity key after.
        name: display name of the target.
        turn_ids: only in these turns; empty = everywhere.
        score: similarity in [0, 1] where a measure decided, else None.
    """

    reason: Reason
    source: str
    target: str
    name: str
    turn_ids: tuple[str, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """An extraction as it came, and the decisions on it in the order in which they apply."""

    original: Extraction
    decisions: tuple[Decision, ...] = ()

    @property
    def extraction(self) -> Extraction:
        """The extraction with every decision applied."""
        return apply(self.original, self.decisions)

    def undo(self, *decisions: Decision) -> Resolution:
        """Take these decisions back, all of them if none is given; the others still hold."""
        kept = [d for d in self.decisions if d not in decisions] if decisions else []
        return Resolution(self.original, tuple(kept))


def apply(extraction: Extraction, decisions: Iterable[Decision]) -> Extraction:
    """Rename keys by ``decisions``: splits first, then merges from key to key.

    Equal mentions of a turn become one with the larger weight. A relation whose turns fall to different entities
    becomes one for each pair; a relation between what is now one entity is dropped.
    """
    parts: dict[tuple[str, str], Decision] = {}
    merges: dict[str, Decision] = {}
    for decision in decisions:
        if decision.turn_ids:
            parts |= {(decision.source, turn_id): decision for turn_id in decision.turn_ids}
        else:
            merges.setdefault(decision.source, decision)

    def resolved(key: str, turn_id: str) -> tuple[str, str | None]:
        """Key, and its display name where a decision set one."""
        name: str | None = None
        if (key, turn_id) in parts:
            part = parts[key, turn_id]
            key, name = part.target, part.name
        seen = {key}
        while key in merges and merges[key].target not in seen:
            key, name = merges[key].target, merges[key].name
            seen.add(key)
        return key, name

    # what an extractor wrote of an entity that is split speaks of several: its parts are described from their turns
    split = {source for source, _ in parts}
    touched = split | merges.keys()
    descriptions: dict[str, str] = {}
    mentions: dict[tuple[str, str], Mention] = {}
    for mention in extraction.mentions:
        key, name = resolved(mention.key, mention.turn_id) if mention.key in touched else (mention.key, None)
        if mention.key in extraction.descriptions and mention.key not in split:
            descriptions.setdefault(key, extraction.descriptions[mention.key])
        before = mentions.get((key, mention.turn_id))
        if before is None and key == mention.key and name is None:
            mentions[key, mention.turn_id] = mention
            continue
        weight = max(mention.weight, before.weight) if before else mention.weight
        mentions[key, mention.turn_id] = replace(before or mention, key=key, name=name or mention.name, weight=weight)
    relations: list[RelationMention] = []
    for relation in extraction.relations:
        if relation.source not in touched and relation.target not in touched:
            relations.append(relation)
            continue
        turns: dict[tuple[str, str], list[str]] = {}
        for turn_id in relation.turn_ids:
            ends = resolved(relation.source, turn_id)[0], resolved(relation.target, turn_id)[0]
            turns.setdefault(ends, []).append(turn_id)
        for (source, target), ids in turns.items():
            if source != target or relation.source == relation.target:
                relations.append(replace(relation, source=source, target=target, turn_ids=tuple(ids)))
    return Extraction(tuple(mentions.values()), tuple(relations), descriptions)
