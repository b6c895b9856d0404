"""Predicates that exclude one another in time: who lives in one town no longer lives in the one before.

English and Chinese by pattern. What is not certain is left out: a relation without a kind coexists with all others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_AUX = r"(?:(?:am|is|are|was|were|'m|'s|'re|have|has|had|been|got|used to)\s+)*"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "lives_in",
            rf"{_AUX}(?:(?:live|lives|lived|living|reside|resides|resided|residing|based|settled)\s+in"
            r"|(?:moved|relocated)\s+(?:back\s+)?to)"
            r"|(?:已经|现在|还|一直)*(?:定居|居住|住|搬|搬家|移居)(?:在|到|去|到了|去了)了?",
        ),
        (
            "works_at",
            rf"{_AUX}(?:(?:started\s+)?(?:work|works|worked|working)\s+(?:at|for)|(?:employed|hired)\s+by)"
            r"|在(?:工作|上班|任职)|就职于|任职于|入职了?|跳槽到了?",
        ),
        ("named", rf"{_AUX}(?:called|named)|name\s+is|叫|叫做|名叫|名字是|名字叫"),
        ("married_to", rf"{_AUX}married\s+to"),
        ("aged", r"aged"),
        ("headquartered_in", rf"{_AUX}headquartered\s+in|总部(?:在|位于|设在)"),
    )
)
#: kinds in a fixed order, for tables that hold them as numbers
KINDS = tuple(kind for kind, _ in _KINDS)
_ASKED = {
    "lives_in": r"\b(?:liv(?:e|es|ed|ing)|reside|home ?town|home|address|mov(?:e|ed))\b|住|居|家在|搬",
    "works_at": r"\b(?:work(?:s|ed|ing)?|employ\w+|company|firm|job)\b|工作|公司|上班|单位|雇主|任职|就职",
    "named": r"\b(?:name|called)\b|名字|叫什么",
    "married_to": r"\b(?:married|husband|wife|spouse)\b|结婚|丈夫|妻子|老公|老婆",
    "aged": r"\b(?:how old|age)\b|多大|几岁|年龄",
    "headquartered_in": r"\bheadquarter",
}
_ASKED_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _ASKED.items()}
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b|我|咱")
_PAST = re.compile(r"\b(?:used to|was|were|had|lived|worked|resided)\b")
_PAST_WORDS = re.compile(
    r"\b(?:formerly|previously|in the past|back then)\b|以前|曾经|曾|之前|过去|原来|从前", re.IGNORECASE
)
_NOW = re.compile(r"\b(?:now|currently|these days)\b|现在|目前|如今", re.IGNORECASE)
_ENDED = re.compile(
    r"\b(?:no longer|never)\b|(?:\bnot|n['’]t)\b.{0,30}\bany\s?more\b|不再|已经不|没有再", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a predicate means in time: its kind (empty for none), whether it is over, whether it is denied."""

    kind: str = ""
    past: bool = False
    denied: bool = False


def read_predicate(predicate: str, sentence: str) -> Reading:
    """Return the meaning of a relation's words inside the sentence that holds them.

    Example:
        >>> read_predicate("moved to", "I moved to Rome.").kind
        'lives_in'
    """
    if _ENDED.search(sentence):
        return Reading(denied=True)
    text = " ".join(predicate.lower().split())
    kind = next((name for name, pattern in _KINDS if pattern.fullmatch(text)), "")
    moved = "moved" in text or "relocated" in text or "搬" in text
    said_past = bool(_PAST.search(text)) and not re.search(r"\b(?:has|have)\b", text)
    past = kind != "" and not moved and (said_past or bool(_PAST_WORDS.search(sentence))) and not _NOW.search(sentence)
    return Reading(kind, past)


def asked_kinds(question: str) -> tuple[str, ...]:
    """Return the kinds that a question's words speak of, in the order of `KINDS`.

    Example:
        >>> asked_kinds("Where do I live?")
        ('lives_in',)
    """
    return tuple(kind for kind in KINDS if _ASKED_PATTERNS[kind].search(question))


def first_person(question: str) -> bool:
    """Whether a question is about who asks."""
    return bool(_FIRST_PERSON.search(question))
