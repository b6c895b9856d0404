"""From when until when relations hold: a later statement of the same kind ends the earlier one, and both are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memorai.types import Turn
from memorai.write.extraction import Extraction, RelationMention, Resolver
from memorai.write.predicates import read_predicate
from memorai.write.sentences import turn_sentences


class ValidTime:
    """Dates relations by the turn that first states them, and ends those that a later one excludes.

    Two relations exclude one another if they have the same subject and the same kind of predicate, of which only one
    can hold (memorai.write.predicates: where somebody lives, works, ...), and different objects. Nothing is deleted:
    the earlier one gets the later one's beginning as its end. Without times it is the order of turns that counts, and
    the end is the time of the turn that said so, where there is one, else the earliest moment that a date can name.

    Args:
        resolver: decides first which entities are one; None = those with equal keys.
    """

    def __init__(self, resolver: Resolver | None = None) -> None:
        self.resolver = resolver

    def __call__(self, extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
        """Return the extraction with dated relations, in the same order."""
        if self.resolver is not None:
            extraction = self.resolver(extraction, turns)
        place = {turn.id: i for i, turn in enumerate(turns)}
        dated: list[RelationMention] = []
        holding: dict[tuple[str, str], int] = {}
        for relation in sorted(extraction.relations, key=lambda relation: place[relation.turn_ids[0]]):
            turn = turns[place[relation.turn_ids[0]]]
            said = read_predicate(relation.text, _sentence(turn, relation))
            dated.append(replace(relation, valid_from=relation.valid_from or turn.time))
            if not said.kind or said.past or said.denied:
                continue
            key = (relation.source, said.kind)
            earlier = holding.get(key)
            if earlier is not None and dated[earlier].target != relation.target:
                end = dated[-1].valid_from or datetime.min
                dated[earlier] = replace(dated[earlier], valid_to=end)
            holding[key] = len(dated) - 1
        order = {(r.source, r.text, r.target): i for i, r in enumerate(extraction.relations)}
        return replace(extraction, relations=tuple(sorted(dated, key=lambda r: order[r.source, r.text, r.target])))


def _sentence(turn: Turn, relation: RelationMention) -> str:
    """The turn's sentence that holds the relation's words, else the whole turn."""
    words = relation.text.split()
    found = (s.text for s in turn_sentences(turn) if all(word in s.text.lower() for word in words))
    return next(found, turn.text)
