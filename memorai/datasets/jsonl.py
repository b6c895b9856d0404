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
from memorai.datasets.common import decode_utf8, existing_file, parse_json, read_file
from memorai.datasets.fields import identifier
from memorai.datasets.keys import UnknownKeys
from memorai.datasets.messages import add_messages
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Note


def load_jsonl(path: str | Path, name: str = "jsonl") -> Dataset:
    """Read a ``.jsonl`` file, or a ``.json`` file that holds the same records in a list, or one of them.

    Args:
        path: the file; UTF-8, with or without a byte order mark.
        name: the data set's name in results.

    Raises:
        InputError: in the form ``file:line: what is wrong; remedy``.
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"name={name!r}: give the data set a name, as text")
    file = existing_file(path, "check the path, as in dataset.path=chats.jsonl")
    data = read_file(file)
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
    unknown = UnknownKeys()
    for where, record in _records(decode_utf8(data, label), label):
        if not isinstance(record, dict):
            raise InputError(f"{where}: a JSON object is expected, not a {type(record).__name__}")
        kind = _kind(record, where)
        if kind == "messages":
            add_messages(record, where, builders, notes, unknown)
            continue
        unknown.look(record, f"{kind} line", where)
        builder = ConversationBuilder.of(builders, identifier(record, "conversation", where))
        if kind == "turn":
            builder.add_turn(record, where, notes)
        elif kind == "question":
            builder.add_question(record, where, notes)
        else:
            builder.set_language(record, where)
    notes.extend(unknown.notes())
    if not builders:
        raise InputError(f"{label}: no conversations in it; docs/data-format.md shows the format")
    conversations = tuple(builder.build(label, notes) for builder in builders.values())
    check_ids(conversations, label)
    return conversations, tuple(notes)


def _records(text: str, label: str) -> Iterator[tuple[str, Any]]:
    """(place in the file, record). A ``.json`` file holds one messages list, or one record, or a list of them."""
    if not label.lower().endswith(".json"):
        # not str.splitlines, which also splits at characters that JSON allows inside a string
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield f"{label}:{number}", parse_json(line, f"{label}:{number}")
        return
    value = parse_json(text, label)
    items: Sequence[Any] = value if isinstance(value, list) else [value]
    if items and all(_is_message(item) for item in items):
        yield f"{label}:1", {"id": Path(label).stem, "messages": items}
        return
    for index, item in enumerate(items):
        yield f"{label}: [{index}]", item


def _is_message(item: Any) -> bool:
    """Whether it is a message of a chat; a turn may have a role, too, but no content."""
    return isinstance(item, dict) and "role" in item and ("content" in item or not {"text", "caption"} & item.keys())


def _kind(record: Mapping[str, Any], where: str) -> str:
    if "messages" in record:
        return "messages"
    if "question" in record:
        return "question"
    if "text" in record or "caption" in record:
        return "turn"
    if "language" in record:
        return "language"
    raise InputError(f"{where}: none of 'text', 'question', 'language', 'messages' in it; see docs/data-format.md")
