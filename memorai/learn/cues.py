"""What can be seen of a turn and a question without any model: form, speaker, dates, place in the session."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from memorai.retrieval.neighbours import Sessions
from memorai.types import Query, Turn

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ENDS_ASKING = re.compile(r"[?？]\W*$")
_DATED = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|last|next|ago|since|weeks?|weekend|months?|years?|(mon|tues|wednes|thurs|fri|"
    rf"satur|sun)day|{'|'.join(MONTHS)}|\d{{4}})\b|昨天|今天|明天|前天|上周|下周|去年|今年|个月|年前",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|twice)\b|[两三四五六七八九十]", re.IGNORECASE)
_WHEN = re.compile(r"\b(when|what (date|day|month|year|time)|how long)\b|什么时候|何时|哪天|哪年", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow (many|much|often)\b|多少|几", re.IGNORECASE)
_WOULD = re.compile(r"\b(would|could|might|likely|probably)\b|会不会|可能", re.IGNORECASE)
#: "I" in a question is the user's word for the user, "you" for the assistant
_FIRST = re.compile(r"\b(i|me|my|mine)\b|我", re.IGNORECASE)
_SECOND = re.compile(r"\b(you|your) (\w+ )?(suggest|recommend|told|said|mention|provid|gave|give|list|explain)")

TURN_CUES = (
    "length",
    "asks",
    "asks_inside",
    "captioned",
    "first",
    "last",
    "early",
    "recent",
    "dated",
    "follows_asking",
)
PAIR_CUES = ("speaker_named", "other_named", "when_dated", "many_digits", "month")
QUERY_CUES = ("when", "how_many", "would", "query_length")


def turn_cues(turns: Sequence[Turn], sessions: Sessions) -> np.ndarray:
    """Return float32 [n, len(TURN_CUES)] in about [0, 1]."""
    texts = [turn.text for turn in turns]
    n = len(turns)
    asks = np.array([bool(_ENDS_ASKING.search(text)) for text in texts], dtype=np.float32)
    last = np.zeros(n, dtype=np.float32)
    last[[*(sessions.starts[1:] - 1), *([n - 1] if n else [])]] = 1
    columns = [
        np.log1p([len(text.split()) for text in texts]) / 4,
        asks,
        [("?" in text or "？" in text) for text in texts],
        [bool(turn.caption) for turn in turns],
        sessions.place == 0,
        last,
        np.exp(-sessions.place / 3),
        np.arange(n) / max(1, n),
        [bool(_DATED.search(text)) for text in texts],
        sessions.shifted(asks, -1),
    ]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


class PairCues:
    """Whom a question names, and forms of question and turn that call for each other.

    What depends on the turns alone is read once.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._dated = np.array([bool(_DATED.search(turn.text)) for turn in turns], dtype=bool)
        self._digits = np.array([bool(_DIGITS.search(turn.text)) for turn in turns], dtype=bool)
        self._month = np.array([turn.time.month if turn.time else 0 for turn in turns], dtype=np.int64)
        self._roles = {turn.speaker: turn.role for turn in turns}
        place = {speaker: i for i, speaker in enumerate(self._roles)}
        self._speaker = np.array([place[turn.speaker] for turn in turns], dtype=np.int64)

    def __call__(self, queries: Sequence[Query]) -> np.ndarray:
        """Return float32 [n, Q, len(PAIR_CUES)]."""
        out = np.zeros((len(self._speaker), len(queries), len(PAIR_CUES)), dtype=np.float32)
        for column, query in enumerate(queries):
            named = np.array([_names(query.text, *speaker) for speaker in self._roles.items()], dtype=bool)
            own = named[self._speaker]
            asked = asked_months(query.text)
            out[:, column, 0] = own
            out[:, column, 1] = ~own & named.any()
            out[:, column, 2] = self._dated & bool(_WHEN.search(query.text))
            out[:, column, 3] = self._digits & bool(_HOW_MANY.search(query.text))
            out[:, column, 4] = np.isin(self._month, asked) if asked else False
        return out


def query_cues(queries: Sequence[Query], lengths: Sequence[int]) -> np.ndarray:
    """Return float32 [Q, len(QUERY_CUES)]; ``lengths`` counts each question's index terms."""
    rows = [
        [bool(_WHEN.search(q.text)), bool(_HOW_MANY.search(q.text)), bool(_WOULD.search(q.text)), length / 8]
        for q, length in zip(queries, lengths, strict=True)
    ]
    return np.array(rows, dtype=np.float32).reshape(-1, len(QUERY_CUES))


def asked_months(text: str) -> list[int]:
    """Return the months, 1 to 12, that a question names; "may" only if it is written "May".

    Example:
        >>> asked_months("What may Ann have done in June or May?")
        [5, 6]
    """
    words = {word if word == "May" else word.lower() for word in re.findall(r"\w+", text)} - {"may"}
    return [i for i, name in enumerate(MONTHS, 1) if name in words or name.capitalize() in words]


def without_names(text: str, speakers: Sequence[str]) -> str:
    """Return the question without the speakers' names, which are in every second turn."""
    names = [re.escape(part) for speaker in speakers for part in speaker.split()[:1]]
    return re.sub(rf"\b({'|'.join(names)})\b('s)?", " ", text, flags=re.IGNORECASE) if names else text


def _names(text: str, speaker: str, role: str | None) -> bool:
    if role == "user":
        return bool(_FIRST.search(text))
    if role == "assistant":
        return bool(_SECOND.search(text.lower()))
    first = speaker.split()[0] if speaker.split() else ""
    return bool(first) and (re.search(rf"\b{re.escape(first)}\b", text, re.IGNORECASE) is not None or first in text)
