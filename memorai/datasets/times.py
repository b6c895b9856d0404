"""Dates of the sources, parsed without locale or clock: what cannot be parsed is an error, never "now"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from memorai.errors import InputError

_MONTHS: Mapping[str, int] = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
}
# strptime's %B and %p follow the process's locale, hence the expressions
_LOCOMO = re.compile(r"(\d{1,2}):(\d{2}) ?(am|pm) on (\d{1,2}) ([a-z]+),? (\d{4})", re.ASCII)
_LONGMEMEVAL = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: \(\w+\))?(?: (\d{1,2}):(\d{2}))?", re.ASCII)


def parse_locomo_time(text: object, where: str) -> datetime:
    """``1:56 pm on 8 May, 2023`` -> ``datetime(2023, 5, 8, 13, 56)``.

    Raises:
        InputError: `text` is no such date; the message opens with `where`.
    """
    match = _LOCOMO.fullmatch(" ".join(text.lower().split())) if isinstance(text, str) else None
    if match is not None:
        hour, minute, half, day, month, year = match.groups()
        if month in _MONTHS and 1 <= int(hour) <= 12:
            try:
                return datetime(int(year), _MONTHS[month], int(day), int(hour) % 12 + 12 * (half == "pm"), int(minute))
            except ValueError:
                pass
    raise InputError(f"{where}: {text!r} is no date; write it as '1:56 pm on 8 May, 2023'")


def parse_longmemeval_time(text: object, where: str) -> datetime:
    """``2023/05/30 (Tue) 23:40`` -> ``datetime(2023, 5, 30, 23, 40)``; the weekday is not checked.

    Raises:
        InputError: `text` is no such date; the message opens with `where`.
    """
    match = _LONGMEMEVAL.fullmatch(" ".join(text.split())) if isinstance(text, str) else None
    if match is not None:
        try:
            year, month, day, hour, minute = (int(part or 0) for part in match.groups())
            return datetime(year, month, day, hour, minute)
        except ValueError:
            pass
    raise InputError(f"{where}: {text!r} is no date; write it as '2023/05/30 (Tue) 23:40'")


def parse_iso_time(text: object, where: str) -> datetime:
    """ISO 8601, as ``2024-05-01``, ``2024-05-01T10:00`` or ``2024-05-01T10:00+02:00``.

    Raises:
        InputError: `text` is no such date; the message opens with `where`.
    """
    if isinstance(text, str):
        try:
            return datetime.fromisoformat(text.strip())
        except ValueError:
            pass
    raise InputError(f"{where}: {text!r} is no ISO 8601 time; write it as '2024-05-01T10:00'")
