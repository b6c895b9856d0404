"""Chats in the OpenAI messages form: ``{"messages": [{"role": "user", "content": ...}, ...]}``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from memorai.datasets.builder import SKIPPED_ROLES, ConversationBuilder
from memorai.datasets.fields import encodable, optional_identifier
from memorai.datasets.keys import UnknownKeys
from memorai.errors import InputError
from memorai.types import Note

_TEXT_PARTS = ("text", "input_text", "output_text")


def add_messages(
    record: Mapping[str, Any],
    where: str,
    builders: dict[str, ConversationBuilder],
    notes: list[Note],
    unknown: UnknownKeys,
) -> None:
    """Add one chat to `builders`.

    Without ``conversation`` the chat is a conversation of its own, named by ``id`` or ``c{n}``. With it, the chat is a
    session of that conversation, named by ``session``, ``id`` or ``s{n}``: one user's chats then share a memory.
    Messages of the system and of tools are skipped, and so are those without text; each is noted. A message without a
    time has the chat's. Keys of messages and questions that are not read go to `unknown`; other keys of the chat itself
    (``model`` and the like) are ignored.

    Raises:
        InputError: opening with `where`.
    """
    own_id = optional_identifier(record, "id", where)
    shared = optional_identifier(record, "conversation", where)
    if shared is None and own_id in builders and builders[own_id].chats:
        raise InputError(f"{where}: chat id {own_id!r} occurs twice; change it, or join chats by 'conversation'")
    free = (name for n in count(len(builders) + 1) if (name := f"c{n}") not in builders)
    builder = ConversationBuilder.of(builders, shared or own_id or next(free))
    builder.chats += 1
    session = optional_identifier(record, "session", where) or (own_id if shared else None) or f"s{builder.chats}"

    messages = record["messages"]
    if not isinstance(messages, list):
        raise InputError(f"{where}: 'messages' must be a list")
    for index, message in enumerate(messages):
        here = f"{where}: messages[{index}]"
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise InputError(f"{here}: an object with a 'role' is expected")
        if message["role"] in SKIPPED_ROLES:
            notes.append(Note("skipped_role", here, message["role"]))
            continue
        unknown.look(message, "message", here)
        text = _text(message.get("content"), here, notes)
        if not text.strip():
            notes.append(Note("empty_turn", here, "no text"))
            continue
        turn = {
            "id": message.get("id"),
            "session": session,
            "speaker": message.get("name"),
            "role": message["role"],
            "text": text,
            "time": record.get("time") if message.get("time") is None else message["time"],
        }
        builder.add_turn(turn, here, notes)

    questions = [] if record.get("questions") is None else record["questions"]
    if not isinstance(questions, list):
        raise InputError(f"{where}: 'questions' must be a list; leave it out if there are none")
    for index, question in enumerate(questions):
        here = f"{where}: questions[{index}]"
        if not isinstance(question, dict):
            raise InputError(f"{here}: an object with a 'question' is expected")
        unknown.look(question, "chat's question", here)
        builder.add_question(question, here, notes)


def _text(content: Any, where: str, notes: list[Note]) -> str:
    """The text of a message's content: a string, or the text parts of a list, a line each."""
    if content is None or isinstance(content, str):
        return encodable(content or "", "content", where)
    if not isinstance(content, list):
        raise InputError(f"{where}: 'content' must be text or a list of parts")
    texts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict) and isinstance(part.get("type"), str):
            notes.append(Note("skipped_part", where, f"{part['type']!r} has no caption here; give it as a turn line"))
        else:
            raise InputError(f"{where}: a part of 'content' has no 'type'")
    return encodable("\n".join(texts), "content", where)
