"""What a date looks like in English and Chinese text. Data only; `memorai.write.when` gives matches their meaning."""

from __future__ import annotations

import re

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: meteorological seasons of the northern hemisphere: first month
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
COUNTS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
DIGITS = "零一二三四五六七八九"
ZH_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
ZH_WEEKDAYS = "一二三四五六日"
#: a word of its own -> (unit, steps from the anchor)
ZH_STEPS = {
    "大前天": ("day", -3), "前天": ("day", -2), "昨天": ("day", -1), "昨晚": ("day", -1), "昨日": ("day", -1),
    "今天": ("day", 0), "今晚": ("day", 0), "今早": ("day", 0), "今日": ("day", 0), "明天": ("day", 1),
    "明晚": ("day", 1), "后天": ("day", 2), "大后天": ("day", 3), "前年": ("year", -2), "去年": ("year", -1),
    "今年": ("year", 0), "明年": ("year", 1), "后年": ("year", 2),
}  # fmt: skip
ZH_RELATIVE = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}

_MONTH = "|".join((*MONTHS, *(rf"{name[:3]}\b\.?" for name in MONTHS if name != "may"), r"sept\b\.?"))
_WEEKDAY = "|".join(WEEKDAYS)
_SEASON = "spring|summer|autumn|fall|winter"
_COUNT = rf"\d{{1,3}}|(?:a\s+)?couple\s+of|{'|'.join(COUNTS[1:])}|an?"
_UNIT = "day|week|weekend|month|year"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"

ENGLISH = re.compile(
    rf"""\b(?:
    (?P<iso>{_YEAR}-\d{{1,2}}-\d{{1,2}})
    |(?P<slashed>\d{{1,2}}/\d{{1,2}}/{_YEAR})
    |(?P<dated>(?:the\s+)?{_DAY}\s+(?:of\s+)?(?:{_MONTH}),?\s+{_YEAR}|(?:{_MONTH})\s+{_DAY},?\s+{_YEAR})
    |(?P<month_year>(?:{_MONTH}),?\s+(?:of\s+)?{_YEAR})
    |(?P<season_year>(?:{_SEASON})\s+(?:of\s+|in\s+)?{_YEAR})
    |(?P<dayless>(?:the\s+)?{_DAY}\s+(?:of\s+)?(?:{_MONTH})|(?:{_MONTH})\s+{_DAY})
    |(?P<simple>the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|yesterday|today|tomorrow)
    |(?P<night>last\s+night|tonight|this\s+(?:morning|afternoon|evening))
    |(?P<ago>(?:{_COUNT})\s+(?:{_UNIT})s?\s+ago)
    |(?P<ahead>in\s+(?:{_COUNT})\s+(?:{_UNIT})s?(?:\s+time)?|(?:{_COUNT})\s+(?:{_UNIT})s?\s+from\s+now)
    |(?P<which>last|this|next)\s+(?P<what>{_UNIT}|{_WEEKDAY}|{_MONTH}|{_SEASON})
    |(?:in|since|during|of|by|before|until|till|early|mid|late)\s+(?P<year>{_YEAR})
    |(?:in|since|during|by|before|until|till|(?:in\s+)?(?:early|mid|late))\s+(?P<month>{_MONTH})(?!,?\s+(?:of\s+)?{_YEAR}|\s+{_DAY}\b)
    |(?P<weekday>{_WEEKDAY})
    )(?!\w|-\d|/\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_N = rf"\d{{1,3}}|[{DIGITS[1:]}两十]{{1,3}}"
_ZH_UNIT = "|".join(("天", "周", "个?星期", "个?礼拜", "个月", "年"))
CHINESE = re.compile(
    rf"""
    (?P<full>\d{{4}}年\d{{1,2}}月\d{{1,2}}[日号])
    |(?P<year_month>\d{{4}}年\d{{1,2}}月)
    |(?P<year>\d{{4}}年)
    |(?P<count>{_N})(?P<unit>{_ZH_UNIT})(?P<side>以前|之前|前|以后|之后|后)
    |(?P<yearly>前年|去年|今年|明年|后年)(?:(?P<month_of>{_N})月(?:份|(?P<day_of>{_N})[日号])?|(?P<season>[春夏秋冬])天?)
    |(?P<step>{"|".join(sorted(ZH_STEPS, key=lambda word: -len(word)))})
    |(?P<which>上上|下下|上|这|本|下)个?(?:(?:周|星期|礼拜)(?P<day>[{ZH_WEEKDAYS}天末])?|(?P<monthly>月))
    |(?P<month>{_N})月(?:份|(?P<month_day>{_N})[日号])?
    |(?:周|星期|礼拜)(?P<weekday>[{ZH_WEEKDAYS}天])
    """,
    re.VERBOSE,
)
#: said of what is to come
FUTURE = re.compile(
    r"\b(?:will|going\s+to|gonna|plan(?:s|ning)?\s+(?:to|on)|about\s+to|look(?:ing)?\s+forward|can't\s+wait|"
    r"hop(?:e|ing)\s+to|want\s+to|shall)\b|['’]ll\b|将|打算|计划|准备|即将|[要会]",
    re.IGNORECASE,
)
#: it happens again and again, or no day is meant: "every Tuesday", "每周二"
RECURRING = re.compile(r"(?:\b(?:every|each|most|any|some|on\s+a)\s+(?:other\s+)?|每个?)$", re.IGNORECASE)
#: the expression bounds from above
UNTIL = re.compile(r"(?:\b(?:until|till|by|before|'til)\s+(?:the\s+)?)$|^(?:until|till|by|before)\b", re.IGNORECASE)
