"""What a question asks for: a date, a person, a number, and whose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memorai.index.tokenize import Tokenizer
from memorai.write.names import name_key

Kind = Literal["when", "duration", "count", "who", "where", "why", "how", "yes_no", "choice", "what"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_MEASURES = "many|much|old|often|far|tall|big|large|high"
_PLACES = "country|countries|city|cities|town|place|places|state|area|venue"
_PERIOD = "days?|weeks?|weekends?|months?|years?|hours?|minutes?|seconds?"
#: the one that stands first in the question decides ("what broke when she fell"), of those at one place the first here
_ENGLISH: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("duration", re.compile(rf"\bhow long\b|\bhow many (?:\w+ )?(?:{_PERIOD})\b")),
    ("count", re.compile(rf"\bhow (?:{_MEASURES})\b|\bwhat time\b|\bwhat (?:number|percent)")),
    ("when", re.compile(r"\bwhen\b|\b(?:what|which) (?:exact )?(?:day|date|month|year|season|week|weekend)\b")),
    ("why", re.compile(r"\bwhy\b|\bwhat (?:is|was|were|are) (?:the|\w+'s) reasons?\b|\bfor what reason\b")),
    ("who", re.compile(r"\b(?:who|whom|whose)\b")),
    ("where", re.compile(rf"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:{_PLACES})\b")),
    ("what", re.compile(r"\b(?:what|which)\b")),
    ("how", re.compile(r"\bhow\b")),
)  # fmt: skip
_TOLD_BY_ASSISTANT = re.compile(r"\byou (?:\w+ )?(?:recommend|suggest|mention|provid|told|said|g[ai]ve)")
_REMIND = re.compile(r"\b(?:remind|tell|recall|confirm|clarify)\b")
#: what a choice without a comma has before its first option
_BEFORE_OPTIONS = ("is it ", "was it ", "prefer ", "first ")
_LONGEST_CHOICE = 1000  # characters
_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|shall|might|may|am)(?:n't)?\b"
)
_CHINESE: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("duration", re.compile(r"多久|多长时间|几天|几周|几个(?:月|星期|小时)|几年|多少(?:天|年|个月)")),
    ("when", re.compile(r"什么时候|何时|哪(?:一)?[天年月日]|几月|几号|几点|哪个月|什么日子")),
    ("count", re.compile(r"多少|几[个只次岁斤本张条块元等]|多大|多重|多高")),
    ("why", re.compile(r"为什么|为何|什么原因")),
    ("who", re.compile(r"谁")),
    ("where", re.compile(r"哪里|哪儿|什么地方|哪个(?:城市|地方|国家)|在哪")),
    ("yes_no", re.compile(r"吗|是不是|有没有|会不会|能不能")),
    ("how", re.compile(r"怎么|怎样|如何")),
)
_SEVERAL = re.compile(r"\b(?:what|which)\b(?:\s+\w+){0,3}?\s+(?:\w+[^s\W]s|people|children)\b|\bwho all\b|哪些|哪几")
_NOT_PLURAL = re.compile(r"\b(?:what|which)\s+(?:is|was|does|has|'s)\b")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a reader without a language model takes it.

    Args:
        kind: what the answer has to be.
        terms: index terms of the question, irregular verbs in their base form.
        language: ``en`` or ``zh``.
        several: it asks for more than one thing.
        subjects: keys of the speakers whom it is about; ``user`` where the asker speaks of themselves.
        options: of a choice, the words of each.
        order: ``first`` or ``last`` where a choice asks what came so in time, else empty.
    """

    kind: Kind
    terms: frozenset[str]
    language: str
    several: bool
    subjects: frozenset[str]
    options: tuple[str, ...] = ()
    order: str = ""


def understand(text: str, speakers: Sequence[str]) -> Asked:
    """Read a question by the words of its language, without a model.

    Args:
        text: the question.
        speakers: display names of those who speak in the context.

    Example:
        >>> asked = understand("When did Ann go to Oslo?", ["Ann", "Bo"])
        >>> asked.kind, sorted(asked.subjects), sorted(asked.terms)
        ('when', ['ann'], ['ann', 'go', 'oslo'])
    """
    language = "zh" if _HAN.search(text) else "en"
    lower = text.lower().strip()
    kind: Kind = _kind(lower, language)
    options: tuple[str, ...] = ()
    if language == "en" and kind in ("what", "yes_no", "who"):
        options = _options(text)
        kind = "choice" if options else kind
    several = bool(_SEVERAL.search(lower)) and not _NOT_PLURAL.search(lower)
    return Asked(kind, terms_of(text, language), language, several, _subjects(text, speakers), options, _order(lower))


def _kind(lower: str, language: str) -> Kind:
    if language == "zh":
        return next((kind for kind, pattern in _CHINESE if pattern.search(lower)), "what")
    places = [(match.start(), order) for order, (_, pattern) in enumerate(_ENGLISH) if (match := pattern.search(lower))]
    if _POLAR.match(lower) and not (places and _REMIND.search(lower)):
        return "what" if _REMIND.search(lower) else "yes_no"
    return _ENGLISH[min(places)[1]][0] if places else "what"


def terms_of(text: str, language: str) -> frozenset[str]:
    """Return index terms with irregular verb forms led back to their base: "went" and "go" are one."""
    return frozenset(BASE_FORMS.get(term, term) for term in _TOKENIZER(text, language))


def _options(text: str) -> tuple[str, ...]:
    """The alternatives of "..., the bike or the car?": of a choice, what stands on both sides of its last "or"."""
    asked = text.strip()
    before, found, last = asked.removesuffix("?").rpartition(" or ")
    if not (found and asked.endswith("?")) or len(asked) > _LONGEST_CHOICE:
        return ()
    head = before.rstrip()
    if head.endswith(","):  # "..., a train, a bus, or a tram?"
        options = [*head.rstrip(",").split(",")[1:], last]
    else:
        place = max(head.rfind(","), head.rfind(":"))
        if place < 0:
            ends = [head.lower().rfind(words) + len(words) for words in _BEFORE_OPTIONS if words in head.lower()]
            if not ends:
                return ()
            place = max(ends) - 1
        options = [head[place + 1 :], last]
    cleaned = tuple(option.strip() for option in options)
    return cleaned if len(cleaned) > 1 and all(cleaned) else ()


def _order(lower: str) -> str:
    if re.search(r"\b(?:first|earlier|earliest|before)\b", lower):
        return "first"
    return "last" if re.search(r"\b(?:last|later|latest|most recent|most recently)\b", lower) else ""


def _subjects(text: str, speakers: Sequence[str]) -> frozenset[str]:
    folded = text.casefold()
    found = {name_key(name) for name in speakers if name and _named(name, folded)}
    if re.search(r"\b(?:I|my|me|mine|our|we)\b|我", text):
        found.add("user")
    if "user" in found and _TOLD_BY_ASSISTANT.search(text):
        return frozenset(("assistant",))
    return frozenset(found)


def _named(name: str, folded: str) -> bool:
    first = name.casefold().split()[0]
    if _HAN.search(first):
        return first in folded
    return bool(re.search(rf"\b{re.escape(first)}\b", folded))


_TOKENIZER = Tokenizer()
#: stems of irregular pasts and participles -> stem of the base form
BASE_FORMS = {
    form: base
    for base, forms in {
        "go": "went gone", "buy": "bought", "get": "got gotten", "see": "saw seen", "take": "took taken",
        "make": "made", "give": "gave given", "eat": "ate eaten", "write": "wrote written", "read": "read",
        "run": "ran", "win": "won", "lose": "lost", "find": "found", "meet": "met", "feel": "felt",
        "think": "thought", "teach": "taught", "catch": "caught", "bring": "brought", "begin": "began begun",
        "break": "broke broken", "choos": "chose chosen", "come": "came", "draw": "drew drawn", "drive": "drove driven",
        "fall": "fell fallen", "fli": "flew flown", "forget": "forgot forgotten", "grow": "grew grown", "hear": "heard",
        "hold": "held", "keep": "kept", "know": "knew known", "leav": "left", "lead": "led", "sell": "sold",
        "send": "sent", "sing": "sang sung", "sit": "sat", "sleep": "slept", "speak": "spoke spoken", "spend": "spent",
        "stand": "stood", "swim": "swam swum", "tell": "told", "throw": "threw thrown", "wear": "wore worn",
        "build": "built", "hurt": "hurt", "pay": "paid", "say": "said", "ride": "rode ridden", "rise": "rose risen",
        "fight": "fought", "becom": "became", "wake": "woke woken", "steal": "stole stolen", "drink": "drank drunk",
    }.items()
    for form in forms.split()
}  # fmt: skip
