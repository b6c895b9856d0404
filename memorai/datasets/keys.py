"""The keys of a user's records; a misspelt one must not lose its values without a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memorai.types import Note

_QUESTION = frozenset({"question", "evidence", "evidence_sessions", "answer", "category", "difficulty"})
_QUESTION |= {"time", "answerable", "id"}
#: Fields of the OpenAI messages form that hold nothing that was said.
_MACHINE = frozenset({"tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"})

#: What is read of a record, by the name of its kind in notes.
KEYS: Mapping[str, frozenset[str]] = {
    "turn line": frozenset({"conversation", "session", "id", "speaker", "text", "time", "caption", "role"}),
    "question line": _QUESTION | {"conversation"},
    "language line": frozenset({"conversation", "language"}),
    "message": frozenset({"role", "name", "content", "id", "time"}) | _MACHINE,
    "chat's question": _QUESTION,
}


@dataclass
class UnknownKeys:
    """Keys that are not read, with the places where they stand."""

    _places: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def look(self, record: Mapping[str, Any], kind: str, where: str) -> None:
        """Remember the keys of `record` that a record of its `kind` does not have."""
        for key in record:
            if key not in KEYS[kind]:
                self._places.setdefault((kind, key), []).append(where)

    def notes(self) -> list[Note]:
        """One note a kind and key, at its first place."""
        return [
            Note("unknown_key", places[0], f"{key!r} is no key of a {kind}; ignored {len(places)} times")
            for (kind, key), places in self._places.items()
        ]
