"""Typed access to the fields of a user's record; the error says which line to mend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memorai.errors import InputError


def text_field(record: Mapping[str, Any], key: str, where: str) -> str | None:
    """The text under `key`, or None if it is missing or null.

    Raises:
        InputError: another type, or text that no UTF-8 file can hold.
    """
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(f"{where}: {key!r} must be text, not a {type(value).__name__}")
    return encodable(value, key, where)


def encodable(value: str, key: str, where: str) -> str:
    r"""`value`, unless it holds half of a surrogate pair (``"\ud83d"``), on which every later write would fail."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{where}: {key!r} holds half of a surrogate pair; export the text again") from None
    return value


def optional_identifier(record: Mapping[str, Any], key: str, where: str) -> str | None:
    """An id as text (numbers are taken too), or None if it is missing or null."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    value = text_field(record, key, where)
    if value is not None and not value.strip():
        raise InputError(f"{where}: {key!r} is blank; give an id or leave the key out")
    return value


def identifier(record: Mapping[str, Any], key: str, where: str) -> str:
    """An id that must be there."""
    value = optional_identifier(record, key, where)
    if value is None:
        raise InputError(f"{where}: {key!r} is missing; give it")
    return value


def id_list(record: Mapping[str, Any], key: str, where: str) -> list[str]:
    """Ids under `key`: a list, a single id, or nothing."""
    value = record.get(key)
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [identifier({key: item}, key, where) for item in items]
