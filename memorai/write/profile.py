"""Statements that subject-verb-object patterns miss: names, ages, moves, headquarters, 在…工作 after a date."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: what is longer is no sentence, and the patterns' time grows faster than their text
_LONGEST = 1_000
_ZH_WORD = r"[\u4e00-\u9fffA-Za-z]{2,12}?"
_NAME = r"\b[^\W\d_][\w’'-]{0,60}(?:\s+[A-Z][\w’'-]{0,60}){0,2}"
#: (pattern, predicate); the pattern's ``object``, and ``subject`` unless it is the speaker
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"\b[Mm]y name(?:\s+is|['’]s)\s+(?P<object>{_NAME})"), "name is"),
    (re.compile(r"\b(?:I\s+am|I['’]m)\s+(?P<object>\d{1,3}\s+years?\s+old)\b"), "aged"),
    (re.compile(r"\bI\s+(?:just\s+)?turned\s+(?P<object>\d{1,3})\b"), "aged"),
    (
        re.compile(
            rf"\bI(?:['’]ve|\s+have)?\s+(?:\w+\s+)?moved\s+(?:back\s+)?from\s+[^.,;]+?\s+to\s+(?P<object>{_NAME})"
        ),
        "moved to",
    ),
    (
        re.compile(rf"(?P<subject>{_NAME})['’]s\s+headquarters\s+(?:is|are)\s+in\s+(?P<object>{_NAME})"),
        "headquartered in",
    ),
    (
        re.compile(rf"[Hh]eadquarters\s+of\s+(?P<subject>{_NAME})\s+(?:is|are)\s+in\s+(?P<object>{_NAME})"),
        "headquartered in",
    ),
    (
        re.compile(rf"(?P<subject>{_NAME})\s+has\s+its\s+headquarters\s+in\s+(?P<object>{_NAME})"),
        "headquartered in",
    ),
    (re.compile(r"我今年(?P<object>[\d零一二三四五六七八九十百]{1,4}岁)"), "aged"),
    (re.compile(r"我从[^，。！？]{2,12}?搬(?:到|去)了?(?P<object>[\u4e00-\u9fff]{2,6})"), "搬到"),
    (re.compile(r"我[^，。！？]{0,16}从[^，。！？]{2,12}?搬(?:到|去)了?(?P<object>[\u4e00-\u9fff]{2,6})"), "搬到"),
    (re.compile(rf"我[^，。！？在]{{0,24}}在(?P<object>{_ZH_WORD})(?:工作|上班|任职)"), "在工作"),
    (re.compile(r"我[^，。！？]{0,16}(?:跳槽到|入职)了?(?P<object>[\u4e00-\u9fffA-Za-z]{2,8})"), "跳槽到"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """``subject`` (None: who speaks) -predicate-> ``object``, as written."""

    subject: str | None
    predicate: str
    object: str


def profile_statements(sentence: str) -> list[Found]:
    """Return what the patterns find in a sentence that does not ask, in the patterns' order; nothing in long ones."""
    if len(sentence) > _LONGEST:
        return []
    found: dict[tuple[str, str], Found] = {}
    for pattern, predicate in _PATTERNS:
        for match in pattern.finditer(sentence):
            groups = match.groupdict()
            said = Found(groups.get("subject"), predicate, groups["object"].strip(" .'’"))
            found.setdefault((predicate, said.object), said)
    return list(found.values())
