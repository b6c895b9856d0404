"""From when until when a sentence holds: "from 2022 to 2024", "since May", 2022年到2024年."""

from __future__ import annotations

import re
from datetime import datetime

from memorai.errors import InputError
from memorai.write.when import find_times
from memorai.write.when_patterns import MONTHS

_NAMES = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
_MONTH = "|".join((*MONTHS, *(name[:3] for name in MONTHS)))
_DATE = rf"(?:(?:(?P<{{0}}month>{_MONTH})\.?,?\s+)?(?P<{{0}}year>(?:19|20)\d\d))"
_ENGLISH = re.compile(
    rf"\b{_DATE.format('a')}\s*(?:to|until|till|through|and|-|–|—)\s*(?:{_DATE.format('b')}|(?P<open>now|today|present))\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<ayear>(?:19|20)\d\d)年?(?:(?P<amonth>\d{1,2})月)?\s*(?:份)?(?:到|至|-|–|—|~)\s*"
    r"(?:(?P<byear>(?:19|20)\d\d)年?(?:(?P<bmonth>\d{1,2})月)?|(?P<open>今|现在|如今))"
)
_SINCE = re.compile(r"\bsince\b|\bfrom\b.*\bon(?:wards)?\b|起|以来|开始", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:in|since|during)\s+((?:19|20)\d\d)\b|((?:19|20)\d\d)年", re.IGNORECASE)
Interval = tuple[datetime | None, datetime | None]


def validity(sentence: str, anchor: datetime | None, past: bool = False) -> Interval:
    """Return the first moment at which a sentence holds and the first at which it no longer does, None for unknown.

    A span ("2022 to 2024") holds to the end of what it names last. A single date begins what is true now, and spans
    what is over: "in 2019 I worked at Ford" held in 2019. "until 2020" ends.

    Args:
        sentence: what was said.
        anchor: when; None resolves only dates with a year.
        past: what it states is over.
    """
    found = _ENGLISH.search(sentence) or _CHINESE.search(sentence)
    if found:
        return _range(found, anchor)
    try:
        times = find_times(sentence, anchor)
    except InputError:  # without dateparser: years alone
        return _years(sentence, anchor, past)
    starts = [expression for expression in times if not expression.until]
    ends = [expression for expression in times if expression.until]
    begin = starts[0].start if len(starts) == 1 else None
    end = ends[0].end if len(ends) == 1 else None
    if begin is not None and end is None and past and not _SINCE.search(sentence):
        end = starts[0].end
    return _ordered(begin, end)


def _range(found: re.Match[str], anchor: datetime | None) -> Interval:
    zone = anchor.tzinfo if anchor else None
    begin = datetime(int(found["ayear"]), _month(found["amonth"]) or 1, 1, tzinfo=zone)
    if found["open"]:
        return begin, None
    year, month = int(found["byear"]), _month(found["bmonth"])
    last = datetime(year + 1, 1, 1) if month in (None, 12) else datetime(year, (month or 0) + 1, 1)
    return _ordered(begin, last.replace(tzinfo=zone))


def _month(text: str | None) -> int | None:
    if not text:
        return None
    number = int(text) if text.isdecimal() else _NAMES[text[:3].lower()]
    return number if 1 <= number <= 12 else None


def _years(sentence: str, anchor: datetime | None, past: bool) -> Interval:
    years = {int(match[1] or match[2]) for match in _YEAR.finditer(sentence)}
    if len(years) != 1:
        return None, None
    year = years.pop()
    zone = anchor.tzinfo if anchor else None
    end = datetime(year + 1, 1, 1, tzinfo=zone) if past and not _SINCE.search(sentence) else None
    return datetime(year, 1, 1, tzinfo=zone), end


def _ordered(begin: datetime | None, end: datetime | None) -> Interval:
    """Drop an end before its beginning: "until 2020 ... since 2022" speak of two things."""
    return (begin, None) if begin is not None and end is not None and end <= begin else (begin, end)
