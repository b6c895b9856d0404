"""Dates in text: "next Tuesday" or 三天前 becomes an interval, counted from the time at which it was said.

What is written in full and what is counted ("7 May 2023", "two years ago") goes through dateparser; weekdays,
weekends, seasons, Chinese offsets and the widths of the intervals are rules of this module. What cannot be resolved
is left out, and the present time plays no part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from memorai.errors import InputError
from memorai.write import when_patterns as patterns

_EPOCH = datetime(2000, 1, 1)  # for dates written in full, which need no anchor
_PERIODS = ("day", "week", "month", "year")
Interval = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A date said in a text.

    Args:
        text: the words.
        place: where they start, in characters.
        start: first moment of the interval, at midnight, with the anchor's time zone.
        end: first moment after it.
        until: the words before it say "until", "by" or "before".
    """

    text: str
    place: int
    start: datetime
    end: datetime
    until: bool = False


def find_times(text: str, anchor: datetime | None) -> list[TimeExpression]:
    """Return the dates that ``text`` states, in order, as closed-open intervals of whole days.

    Weeks begin on Monday. "last Tuesday" is the latest before the anchor's day, "next Tuesday" that of the next
    calendar week: said on a Sunday, two days on. A bare weekday or month lies ahead if the text speaks of the
    future ("will", "going to", 打算), else behind. Seasons are those of the northern hemisphere. Left out are vague
    words ("a few days ago"), recurring days ("every Tuesday"), and day/month in figures that could be either.

    Args:
        text: a sentence; its words decide between past and future.
        anchor: when it was said; None = only dates with a year are resolved.

    Raises:
        InputError: dateparser is not installed.
    """
    future = bool(patterns.FUTURE.search(text))
    found = []
    for pattern, meaning in ((patterns.ENGLISH, _english), (patterns.CHINESE, _chinese)):
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if patterns.RECURRING.search(before):
                continue
            interval = _resolve(meaning, match, anchor, future)
            if interval:
                until = bool(patterns.UNTIL.search(before) or patterns.UNTIL.search(match.group()))
                found.append(TimeExpression(match.group(), match.start(), *interval, until))
    return sorted(found, key=lambda expression: expression.place)


def stated_start(text: str, anchor: datetime | None) -> datetime | None:
    """When what a sentence states begins: the start of its only date, None without one or with several."""
    said = find_times(unicodedata.normalize("NFKC", text), anchor)  # fullwidth figures
    starts = {expression.start for expression in said if not expression.until}
    return starts.pop() if len(starts) == 1 else None


def _resolve(
    meaning: Callable[[re.Match[str], datetime | None, bool], Interval | None],
    match: re.Match[str],
    anchor: datetime | None,
    future: bool,
) -> Interval | None:
    day = anchor.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if anchor else None
    try:
        interval = meaning(match, day, future)
    except (ValueError, OverflowError):  # 30 February, the year 0
        return None
    if interval is None or anchor is None:
        return interval
    return interval[0].replace(tzinfo=anchor.tzinfo), interval[1].replace(tzinfo=anchor.tzinfo)


def _english(match: re.Match[str], day: datetime | None, future: bool) -> Interval | None:
    kind, said = match.lastgroup, re.sub(r"\s+", " ", match.group().lower())
    if kind == "slashed":
        first, second, _ = map(int, said.split("/"))
        ambiguous = first <= 12 and second <= 12 and first != second
        return None if ambiguous else _library(said, _EPOCH, future)
    if kind in ("iso", "dated", "month_year"):
        return _library(said, _EPOCH, future)
    if kind == "year":
        return _span("year", datetime(int(match["year"]), 1, 1))
    if kind == "season_year":
        season, year = said.split()[0], said.split()[-1]
        return _season(int(year), patterns.SEASONS[season])
    if day is None:
        return None
    if kind in ("dayless", "simple"):
        return _library(said, day, future)
    if kind == "night":
        return _span("day", day - timedelta(days="last" in said))
    if kind in ("ago", "ahead"):
        return _counted(said, day, future)
    if kind == "what":
        return _which(match["which"].lower(), match["what"].lower(), day)
    if kind == "month":
        return _month("next" if future else "past", _month_number(match["month"]), day)
    return _span("day", _weekday(day, patterns.WEEKDAYS.index(said), future))


def _counted(said: str, day: datetime, future: bool) -> Interval | None:
    for number, word in enumerate(patterns.COUNTS):
        said = re.sub(rf"\b{word}\b", str(number), said)
    said = re.sub(r"\b(?:a )?couple of\b", "2", said)
    said = re.sub(r"\ban?\b", "1", said).replace(" time", "")
    if "weekend" not in said:
        return _library(said, day, future)
    weeks = int(re.findall(r"\d+", said)[0])
    return _weekend(day, -weeks if said.endswith("ago") else weeks)


def _which(which: str, what: str, day: datetime) -> Interval | None:
    step = ("last", "this", "next").index(which) - 1
    if what == "weekend":
        return _weekend(day, step)
    if what == "day":
        return None
    if what in _PERIODS:
        return _span(what, _shift(day, what, step))
    if what in patterns.WEEKDAYS:
        number = patterns.WEEKDAYS.index(what)
        return _span("day", _weekday(day, number, False) if step < 0 else _of_week(day, step, number))
    if what not in patterns.SEASONS:
        return _month(which, _month_number(what), day)
    if step == 0:
        return _season(day.year, patterns.SEASONS[what])
    spans = (_season(day.year + years, patterns.SEASONS[what]) for years in (1, 0, -1, -2)[::-step])
    return next(span for span in spans if (span[0] > day if step > 0 else span[1] <= day))


def _chinese(match: re.Match[str], day: datetime | None, future: bool) -> Interval | None:
    said = match.groupdict()
    if said["full"] or said["year_month"]:
        return _library(match.group().replace("号", "日"), _EPOCH, future, "zh")
    if said["year"]:
        return _span("year", datetime(int(said["year"][:4]), 1, 1))
    if day is None:
        return None
    if said["count"]:
        unit = patterns.ZH_UNITS[said["unit"].removeprefix("个")]
        return _span(unit, _shift(day, unit, _number(said["count"]) * (-1 if "前" in said["side"] else 1)))
    if said["yearly"]:
        year = day.year + patterns.ZH_STEPS[said["yearly"]][1]
        if said["season"]:
            return _season(year, patterns.SEASONS[said["season"]])
        return _date(year, _number(said["month_of"]), said["day_of"])
    if said["step"]:
        unit, step = patterns.ZH_STEPS[said["step"]]
        return _span(unit, _shift(day, unit, step))
    if said["which"]:
        return _chinese_which(patterns.ZH_RELATIVE[said["which"]], said, day)
    if said["month"]:
        month = _number(said["month"])
        start, end = _month("next" if future else "past", month, day)
        return _date(start.year, month, said["month_day"]) if said["month_day"] else (start, end)
    return _span("day", _weekday(day, _chinese_weekday(said["weekday"]), future))


def _chinese_which(step: int, said: dict[str, Any], day: datetime) -> Interval:
    if said["monthly"]:
        return _span("month", _shift(day, "month", step))
    if said["day"] == "末":
        return _weekend(day, step)
    if said["day"]:
        return _span("day", _of_week(day, step, _chinese_weekday(said["day"])))
    return _span("week", _shift(day, "week", step))


def _date(year: int, month: int, day: str | None) -> Interval:
    return _span("day" if day else "month", datetime(year, month, _number(day) if day else 1))


def _span(period: str, moment: datetime) -> Interval:
    """The day, week (from Monday), month or year that holds ``moment``."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "week":
        start -= timedelta(days=start.weekday())
    elif period != "day":
        start = start.replace(day=1, month=1 if period == "year" else start.month)
    return start, _shift(start, period, 1)


def _shift(day: datetime, period: str, steps: int) -> datetime:
    """Move by whole periods; months and years land on the first, for only their span counts."""
    if period in ("day", "week"):
        return day + timedelta(days=steps * (7 if period == "week" else 1))
    months = day.year * 12 + day.month - 1 + steps * (12 if period == "year" else 1)
    return datetime(months // 12, months % 12 + 1, 1)


def _of_week(day: datetime, weeks: int, weekday: int) -> datetime:
    return day + timedelta(days=7 * weeks + weekday - day.weekday())


def _weekday(day: datetime, weekday: int, future: bool) -> datetime:
    """The nearest such weekday strictly after or before ``day``."""
    ahead = (weekday - day.weekday() - 1) % 7 + 1
    return day + timedelta(days=ahead if future else -((day.weekday() - weekday - 1) % 7 + 1))


def _weekend(day: datetime, weeks: int) -> Interval:
    saturday = _of_week(day, weeks, 5)
    return saturday, saturday + timedelta(days=2)


def _season(year: int, month: int) -> Interval:
    start = datetime(year, month, 1)
    return start, _shift(start, "month", 3)


def _month(which: str, month: int, day: datetime) -> Interval:
    """That month: ``last`` ended before ``day``, ``past`` has begun, ``this`` is in its year, ``next`` begins later."""
    spans = {years: _span("month", datetime(day.year + years, month, 1)) for years in (-1, 0, 1)}
    if which == "this":
        return spans[0]
    if which == "next":
        return next(spans[years] for years in (0, 1) if spans[years][0] > day)
    return next(spans[years] for years in (0, -1) if spans[years][1 if which == "last" else 0] <= day)


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(patterns.MONTHS, 1) if month[:3] == name[:3].lower())


def _chinese_weekday(character: str) -> int:
    return patterns.ZH_WEEKDAYS.index("日" if character == "天" else character)


def _number(text: str) -> int:
    """Digits, or Chinese numerals below 100."""
    if text.isdigit() and text.isascii():
        return int(text)
    text = text.replace("两", "二")
    if "十" not in text:
        return int("".join(str(patterns.DIGITS.index(char)) for char in text))
    tens, ones = text.split("十", 1)
    return 10 * (patterns.DIGITS.index(tens) if tens else 1) + (patterns.DIGITS.index(ones) if ones else 0)


@lru_cache(maxsize=4096)
def _library(said: str, day: datetime, future: bool, language: str = "en") -> Interval | None:
    parsed = _parser(language, future, day).get_date_data(said)
    if parsed.date_obj is None:
        return None
    period = parsed.period if parsed.period in _PERIODS else "day"
    return _span(period, parsed.date_obj.replace(tzinfo=None))


def _parser(language: str, future: bool, day: datetime) -> Any:
    try:
        from dateparser.date import DateDataParser
    except ImportError as error:
        raise InputError("dates in text need dateparser; install it: pip install 'memorai[dates]'") from error
    settings = {
        "RELATIVE_BASE": day,
        "PREFER_DATES_FROM": "future" if future else "past",
        "PREFER_DAY_OF_MONTH": "first",
        "PREFER_MONTH_OF_YEAR": "first",
        "DATE_ORDER": "MDY",
    }
    return DateDataParser(languages=[language], settings=settings)
