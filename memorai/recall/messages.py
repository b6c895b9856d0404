"""What an agent hands over: messages in the OpenAI form, or turns. Everything else is said to be wrong at once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memorai.datasets.times import parse_iso_time
from memorai.errors import InputError
from memorai.graph.store.users import LONGEST_NAME, check_name
from memorai.types import Turn

#: roles whose messages are instructions and machinery, nothing that was said
SKIPPED_ROLES = frozenset({"system", "developer", "tool", "function"})
_TEXT_PARTS = ("text", "input_text", "output_text")
SESSION = "default"
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A message that was not stored, and why: ``empty``, ``role``, ``duplicate`` or ``gate``."""

    id: str
    reason: str
    text: str = ""


def read_messages(messages: Any, session: str | None) -> tuple[list[Turn], list[Skipped]]:
    """Return the turns that a caller gave, and the messages that hold nothing to keep.

    A message is ``{"role": ..., "content": text or parts, "name", "id", "time", "session"}`` or a `Turn`. ``time`` is a
    datetime or ISO 8601 text. Without an id a message gets a random one. Unknown roles are kept as speakers. NUL and
    lone surrogates, which no database and no UTF-8 file takes, become U+FFFD.

    Args:
        messages: one, or a sequence of them.
        session: of those that name none.

    Raises:
        InputError: a message of another shape; then none of them is stored.
    """
    single = isinstance(messages, Mapping | Turn)
    if not single and (isinstance(messages, str | bytes) or not isinstance(messages, Sequence)):
        raise InputError(f"add: {type(messages).__name__} given; give a message or a list of messages")
    chosen = check_name(session, "add: session") if session is not None else None
    turns: list[Turn] = []
    skipped: list[Skipped] = []
    for index, message in enumerate([messages] if single else messages):
        where = f"add: messages[{index}]"
        if isinstance(message, Turn):
            turn = _checked(message, where)
        elif isinstance(message, Mapping):
            turn = _turn(message, where, chosen or SESSION)
        else:
            raise InputError(f"{where}: {type(message).__name__} given; give a dict with role and content, or a Turn")
        if turn.role in SKIPPED_ROLES:
            skipped.append(Skipped(turn.id, "role", turn.text))
        elif not turn.text.strip() and not (turn.caption or "").strip():
            skipped.append(Skipped(turn.id, "empty"))
        else:
            turns.append(turn)
    return turns, skipped


def _turn(message: Mapping[Any, Any], where: str, session: str) -> Turn:
    role = message.get("role")
    if role is not None and not isinstance(role, str):
        raise InputError(f"{where}: 'role' must be text, not a {type(role).__name__}")
    speaker = message.get("name") or message.get("speaker") or role
    if speaker is None:
        raise InputError(f"{where}: 'role' is missing; give user or assistant")
    text = message.get("content", message.get("text"))
    identifier = message.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    own = message.get("session")
    return Turn(
        id=uuid.uuid4().hex if identifier is None else check_name(identifier, f"{where}: 'id'"),
        session_id=session if own is None else check_name(str(own), f"{where}: 'session'"),
        speaker=_name(speaker, where),
        text=clean(_content(text, where)),
        time=_time(message.get("time"), where),
        caption=_caption(message.get("caption"), where),
        role=None if role is None else clean(role)[:LONGEST_NAME],
    )


def _checked(turn: Turn, where: str) -> Turn:
    """A turn of the caller's own making, held to the same rules."""
    return replace(
        turn,
        id=check_name(turn.id, f"{where}: 'id'"),
        session_id=check_name(turn.session_id, f"{where}: 'session_id'"),
        speaker=_name(turn.speaker, where),
        text=clean(_content(turn.text, where)),
        time=_time(turn.time, where),
        caption=_caption(turn.caption, where),
        role=None if turn.role is None else clean(str(turn.role))[:LONGEST_NAME],
    )


def _content(content: Any, where: str) -> str:
    """Text of a message: a string, or the text parts of a list, a line each; other parts hold no words."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        raise InputError(f"{where}: 'content' must be text or a list of parts, not a {type(content).__name__}")
    texts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
            raise InputError(f"{where}: a part of 'content' has no 'type'; give {{'type': 'text', 'text': ...}}")
        elif part["type"] in _TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts)


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: the speaker's name {value!r} is no text or blank")
    return clean(value.strip())[:LONGEST_NAME]


def _caption(value: Any, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where}: 'caption' must be text, not a {type(value).__name__}")
    return clean(value) if value else None


def _time(value: Any, where: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    return parse_iso_time(value, f"{where}: 'time'")


def clean(text: str) -> str:
    """Join surrogate pairs; lone surrogates and NUL become U+FFFD."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", _REPLACEMENT)
