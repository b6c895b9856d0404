"""Dates as answers: what a turn says of time, resolved against when it was said, written out.

What is exact becomes a date ("yesterday" -> 7 May 2023, "last month" -> April 2023). What is not stays as vague as it
was said and is anchored instead ("a few days ago" -> a few days before 8 May 2023).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memorai.index.text import english_date
from memorai.write.when import TimeExpression, find_times

_VAGUE = re.compile(
    r"\b(?P<amount>(?:a )?few|several|some|a couple of) (?P<unit>days|weeks|weekends|months|years) (?:ago|back)\b"
    r"|\b(?P<other>the other (?:day|week)|recently)\b",
    re.IGNORECASE,
)
_RELATIVE_WEEK = re.compile(r"\b(?P<which>last|next|this|past)\s+(?P<what>week(?:end)?)\b", re.IGNORECASE)
_SIDE = {"last": "before", "past": "before", "next": "after", "this": "of"}


@dataclass(frozen=True, slots=True)
class Dated:
    """A time as an answer.

    Args:
        text: written out.
        place: where the expression begins in the sentence; -1 if it is only the time of the turn.
        said: the words that state it.
    """

    text: str
    place: int = -1
    said: str = ""


def dated(sentence: str, time: datetime | None, language: str = "en") -> list[Dated]:
    """Return the times that a sentence states, in order, as they would be given in an answer.

    Args:
        sentence: as written.
        time: when it was said; without it only full dates are resolved.
        language: of the answer, ``en`` or ``zh``.

    Example:
        >>> [item.text for item in dated("I ran a race yesterday", datetime(2023, 5, 8))]
        ['7 May 2023']
    """
    found = [Dated(_written(item, time, language), item.place, item.text) for item in find_times(sentence, time)]
    if time is not None and language == "en":
        taken = [(item.place, item.place + len(item.said)) for item in found]
        for match in _VAGUE.finditer(sentence):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                found.append(Dated(_anchored(match, time), match.start(), match.group()))
    return sorted(found, key=lambda item: item.place)


def day(time: datetime, language: str = "en") -> str:
    """Return a day written out, without a leading zero: 7 May 2023, 2023年5月7日."""
    if language == "zh":
        return f"{time.year}年{time.month}月{time.day}日"
    return english_date(time, f"{time.day} %B %Y")


def _written(item: TimeExpression, time: datetime | None, language: str) -> str:
    length = item.end - item.start
    if length <= timedelta(days=1):
        return day(item.start, language)
    if length >= timedelta(days=360):
        return f"{item.start.year}年" if language == "zh" else f"{item.start.year}"
    if timedelta(days=28) <= length <= timedelta(days=31):
        return f"{item.start.year}年{item.start.month}月" if language == "zh" else english_date(item.start, "%B %Y")
    relative = _RELATIVE_WEEK.search(item.text)
    if language == "en" and relative and time is not None:
        return f"the {relative['what'].lower()} {_SIDE[relative['which'].lower()]} {day(time)}"
    if language == "zh":
        return f"{day(item.start, language)}至{day(item.end - timedelta(days=1), language)}"
    if length <= timedelta(days=2):
        return f"the weekend of {day(item.start)}"
    if length <= timedelta(days=7):
        return f"the week of {day(item.start)}"
    return f"{item.text} ({english_date(item.start, '%B %Y')})"


def _anchored(match: re.Match[str], time: datetime) -> str:
    if match["other"]:
        return f"shortly before {day(time)}"
    return f"{match['amount'].lower()} {match['unit'].lower()} before {day(time)}"
