"""The paper's extraction: a language model lists entities with descriptions, and the relations that are stated."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memorai.models.llm import LLM, Reply, Schema
from memorai.models.parse import read_indices
from memorai.types import Turn
from memorai.write.extraction import Extraction, Extractor, Mention, RelationMention, Segment
from memorai.write.llm_names import EntityNames
from memorai.write.llm_step import Step, Unusable, check_window, shown, windows

_NUMBERS: Schema = {"type": "array", "items": {"type": "integer"}}


def _record(*texts: str) -> Schema:
    properties = {**{name: {"type": "string"} for name in texts}, "messages": _NUMBERS}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "entities": {"type": "array", "items": _record("name", "description")},
        "relations": {"type": "array", "items": _record("source", "relation", "target")},
    },
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
#: what models call our keys when nothing constrains them
_ALIASES = {
    "name": ("name", "entity", "title"),
    "description": ("description", "desc", "summary"),
    "source": ("source", "subject", "head", "from", "entity1"),
    "relation": ("relation", "predicate", "relationship", "type", "label"),
    "target": ("target", "object", "tail", "to", "entity2"),
    "messages": ("messages", "message", "message_indices", "indices", "turns", "source_turns"),
}
_MAX_RELATION = 80  # characters; longer ones are sentences that were not taken apart


@dataclass
class _Found:
    """What all segments together gave, by turn and in order."""

    mentions: dict[str, dict[str, None]] = field(default_factory=dict)  # turn id -> keys
    relations: dict[tuple[str, str, str], dict[str, None]] = field(default_factory=dict)  # -> turn ids
    descriptions: dict[str, list[str]] = field(default_factory=dict)
    rejected: int = 0


class LLMExtractor:
    """Triplets (entity, relation, entity, messages) and entity descriptions out of each segment.

    What cannot be traced is not kept: an entity or relation that cites no message of its segment is looked for in the
    messages by name, and dropped if it is not there. First persons are the speakers of the cited messages. An entity
    described in several segments is described by the first and the latest. Where ``max_tokens`` cut the answer off, the
    fallback reads the turns that it had not come to.

    Args:
        llm: the model.
        fallback: extracts from the segments where the model gives nothing usable; None leaves them without entities.
        max_turns: longer segments are shown in windows of nearly equal length.
        prompt: a bundled prompt's name or the path of an ``.md`` file.
    """

    def __init__(
        self,
        llm: LLM | None,
        fallback: Extractor | None = None,
        max_turns: int = 30,
        prompt: str = "extract",
    ) -> None:
        self.fallback = fallback
        self.max_turns = check_window("LLMExtractor", max_turns)
        instead = "nothing is extracted there" if fallback is None else f"{type(fallback).__name__} takes their place"
        self.step = Step(llm, "extract", prompt, SCHEMA, instead)

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, relations by first statement, descriptions by entity."""
        turns = list({turn.id: turn for segment in segments for turn in segment.turns}.values())
        names = EntityNames(turns, language)
        pieces = [window for segment in segments for window in windows(segment.turns, self.max_turns)]
        answers = self.step.ask([shown(piece) for piece in pieces], _lists)
        found = _Found()
        failed: dict[str, Turn] = {}
        for piece, answer in zip(pieces, answers, strict=True):
            if answer is None:
                failed.update((turn.id, turn) for turn in piece)
            else:
                entities, relations, truncated = answer
                _take(found, names, piece, entities, relations)
                if truncated:
                    failed.update((turn.id, turn) for turn in piece if turn.id not in found.mentions)
        if failed and self.fallback is not None:
            lexical = self.fallback.extract([Segment("", tuple(failed.values()))], language)
            _take_over(found, names, lexical)
        if pieces and not found.mentions:
            warnings.warn(
                f"extract: no entity in {len(pieces)} calls over {len(turns)} turns ({len(failed)} turns without an "
                f"answer, {found.rejected} records rejected); the first reply was: {self.step.first_reply!r:.300}",
                stacklevel=2,
            )
        return _extraction(found, names, turns)


def _lists(_: int, reply: Reply) -> tuple[list[Any], list[Any], bool]:
    entities, relations = (reply.parsed.get(name) or [] for name in ("entities", "relations"))
    records = [*entities, *relations]
    if records and not any(isinstance(record, Mapping | list | str) and record for record in records):
        raise Unusable("no record among the entries")
    return entities, relations, reply.truncated


def _take(
    found: _Found, names: EntityNames, turns: Sequence[Turn], entities: Iterable[Any], relations: Iterable[Any]
) -> None:
    for record in entities:
        fields = _fields(record, ("name", "description", "messages"))
        cited = _cited(fields, turns, [fields.get("name")])
        key = names.resolve(fields.get("name"), cited) if cited else None
        if key is None:
            found.rejected += 1
            continue
        _mention(found, key, cited)
        description = fields.get("description")
        if isinstance(description, str) and description.strip():
            found.descriptions.setdefault(key, []).append(" ".join(description.split()))
    for record in relations:
        fields = _fields(record, ("source", "relation", "target", "messages"))
        text = " ".join(str(fields.get("relation") or "").replace("_", " ").split())
        cited = _cited(fields, turns, [fields.get("source"), fields.get("target")])
        source, target = (names.resolve(fields.get(end), cited) if cited else None for end in ("source", "target"))
        if source is None or target is None or source == target or not 0 < len(text) <= _MAX_RELATION:
            found.rejected += 1
            continue
        _mention(found, source, cited)
        _mention(found, target, cited)
        found.relations.setdefault((source, text, target), {}).update(dict.fromkeys(turn.id for turn in cited))


def _fields(record: Any, names: Sequence[str]) -> dict[str, Any]:
    """Our keys from a record, a list of values in their order, or a text with bars, as in "Ann | likes | tea | 3"."""
    if isinstance(record, Mapping):
        lower = {str(key).strip().casefold().replace(" ", "_"): value for key, value in record.items()}
        return {name: next((lower[a] for a in _ALIASES[name] if a in lower), None) for name in names}
    if isinstance(record, str):
        record = [value.strip() for value in record.strip("() ").split("|")]
    return dict(zip(names, record, strict=False)) if isinstance(record, list) else {}


def _cited(fields: Mapping[str, Any], turns: Sequence[Turn], ends: Sequence[Any]) -> list[Turn]:
    """The turns that a record cites; those that spell out one of its names if it cites none that exists."""
    cited = fields.get("messages")
    places, _ = read_indices(cited, len(turns)) if cited is not None else ([], 0)
    if places:
        return [turns[place] for place in places]
    wanted = [str(end).casefold() for end in ends if isinstance(end, str) and len(end.strip()) > 1]
    texts = [f"{turn.text} {turn.caption or ''}".casefold() for turn in turns]
    every = [turn for turn, text in zip(turns, texts, strict=True) if wanted and all(end in text for end in wanted)]
    some = [turn for turn, text in zip(turns, texts, strict=True) if any(end in text for end in wanted)]
    return every or some[:1]


def _mention(found: _Found, key: str, turns: Iterable[Turn]) -> None:
    for turn in turns:
        found.mentions.setdefault(turn.id, {})[key] = None


def _take_over(found: _Found, names: EntityNames, other: Extraction) -> None:
    """Bring a fallback's entities under our keys."""
    keys: dict[str, str] = {}
    for mention in other.mentions:
        key = keys.setdefault(mention.key, names.add(mention.name, mention.key))
        found.mentions.setdefault(mention.turn_id, {})[key] = None
    for r in other.relations:
        source, target = keys[r.source], keys[r.target]
        if source != target:
            found.relations.setdefault((source, r.text, target), {}).update(dict.fromkeys(r.turn_ids))


def _extraction(found: _Found, names: EntityNames, turns: Sequence[Turn]) -> Extraction:
    order = {turn.id: place for place, turn in enumerate(turns)}
    mentions = [Mention(key, names.display(key), turn.id) for turn in turns for key in found.mentions.get(turn.id, {})]
    relations = [
        RelationMention(source, text, target, tuple(sorted(ids, key=order.__getitem__)))
        for (source, text, target), ids in found.relations.items()
    ]
    described = {key: " ".join(dict.fromkeys((texts[0], texts[-1]))) for key, texts in found.descriptions.items()}
    return Extraction(tuple(mentions), tuple(relations), described)
