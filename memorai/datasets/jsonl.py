"""Bring your own conversations: JSON Lines of turns and questions, or chats in the OpenAI messages form.

docs/data-format.md describes the format with examples. One file becomes one `Dataset`; an error names the line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memorai.datasets.builder import ConversationBuilder
from memorai.datasets.checks import category_order, check_ids, count
from memorai.datasets.common import decode_utf8, existing_file, parse_json
from memorai.datasets.fields import identifier
from memorai.datasets.messages import add_messages
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Note

_KEYS: Mapping[str, frozenset[str]] = {
    "turn": frozenset({"conversation", "session", "id", "speaker", "text", "time", "caption", "role"}),
    "question": frozenset(
        {"conversation", "question", "evidence", "evidence_sessions", "answer", "category", "difficulty"}
        | {"time", "answerable", "id"}
    ),
    "info": frozenset({"conversation", "language"}),
}


def load_jsonl(path: str | Path, name: str = "jsonl") -> Dataset:
    """Read a ``.jsonl`` file, or a ``.json`` file that holds chats in the OpenAI messages form.

    Args:
        path: the file; UTF-8, with or without a byte order mark.
        name: the data set's name in results.

    Raises:
        InputError: in the form ``file:line: what is wrong; remedy``.
    """
    file = existing_file(path, "check the path")
    data = file.read_bytes()
    conversations, notes = parse_jsonl(data, str(file))
    categories = category_order(conversations)
    sha256 = hashlib.sha256(data).hexdigest()
    return Dataset(
        name=name,
        version=f"sha256:{sha256[:12]}",  # a file of one's own has no release: its content is the version
        sha256=sha256,
        conversations=conversations,
        categories=categories,
        counts=count(conversations, categories),
        notes=notes,
    )


def parse_jsonl(data: bytes, label: str) -> tuple[tuple[Conversation, ...], tuple[Note, ...]]:
    """Conversations, in order of first mention, and notes of a file's bytes.

    Args:
        data: the file's content.
        label: its name in messages; ``.json`` at its end means one JSON value instead of one a line.
    """
    builders: dict[str, ConversationBuilder] = {}
    notes: list[Note] = []
    unknown: dict[tuple[str, str], list[str]] = {}
    for where, record in _records(decode_utf8(data, label), label):
        if not isinstance(record, dict):
            raise InputError(f"{where}: a JSON object is expected, not a {type(record).__name__}")
        kind = _kind(record, where)
        if kind == "messages":
            add_messages(record, where, builders, notes)
            continue
        for key in record:
            if key not in _KEYS[kind]:
                unknown.setdefault((kind, key), []).append(where)
        builder = ConversationBuilder.of(builders, identifier(record, "conversation", where))
        if kind == "turn":
            builder.add_turn(record, where, notes)
        elif kind == "question":
            builder.add_question(record, where, notes)
        else:
            builder.set_language(record, where)
    # a misspelt key must not lose its values without a word
    for (kind, key), places in unknown.items():
        notes.append(Note("unknown_key", places[0], f"{key!r} is no key of a {kind} line; ignored {len(places)} times"))
    if not builders:
        raise InputError(f"{label}: no conversations in it; docs/data-format.md shows the format")
    conversations = tuple(builder.build(label, notes) for builder in builders.values())
    check_ids(conversations, label)
    return conversations, tuple(notes)


def _records(text: str, label: str) -> Iterator[tuple[str, Any]]:
    """(place in the file, record). A ``.json`` file holds one messages list, one chat, or a list of chats."""
    if not label.endswith(".json"):
        # not str.splitlines, which also splits at characters that JSON allows inside a string
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield f"{label}:{number}", parse_json(line, f"{label}:{number}")
        return
    value = parse_json(text, label)
    items: Sequence[Any] = value if isinstance(value, list) else [value]
    if items and all(isinstance(item, dict) and "role" in item for item in items):
        yield f"{label}:1", {"id": Path(label).stem, "messages": items}
        return
    for index, item in enumerate(items):
        yield f"{label}: [{index}]", item


def _kind(record: Mapping[str, Any], where: str) -> str:
    if "messages" in record:
        return "messages"
    if "question" in record:
        return "question"
    if "text" in record or "caption" in record:
        return "turn"
    if "language" in record:
        return "info"
    raise InputError(f"{where}: none of 'text', 'question', 'language', 'messages' in it; see docs/data-format.md")
