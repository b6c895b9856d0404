"""What a learned gate sees of a turn: its form, that of the two turns before it, and its place in the session."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memorai.types import Turn
from memorai.write.gate import asks, words

Floats = npt.NDArray[np.float32]

#: features of one turn by itself; the same again, with prefixes, of the two turns before
OWN = (
    *("log_words", "log_characters", "digit", "first_person_share", "log_first_person", "second_person_share"),
    *("second_person", "log_names", "ends_in_question", "question", "exclamations", "caption"),
    *("past_share", "log_past", "log_time_words", "opens_with_marker", "marker_share", "comma", "log_sentences"),
    "quote",
)
#: features of a turn's place
PLACE = (
    *("first", "second", "third", "saturating_position", "log_position", "speaker_changed", "is_user"),
    *("is_assistant", "cosine_previous", "cosine_before", "cosine_nearest_before"),
)
FEATURES = (*OWN, *PLACE, *(f"previous_{name}" for name in OWN), *(f"previous2_{name}" for name in OWN))

_FIRST = words(
    """
    i i'm i've i'd i'll my mine me we we're we've we'd we'll our us myself
    """
)
_SECOND = words(
    """
    you your you're you've you'd yours
    """
)
_MARKERS = words(
    """
    oh wow yeah yes no ok okay sure haha thanks thank hey hi hello bye great awesome cool nice glad congrats
    absolutely definitely totally sounds
    """
)
_PAST = words(
    """
    was were went had did got made took bought saw said found told came gave met won
    """
)
_TIME = words(
    """
    yesterday today tomorrow last next week weekend month year ago recently since first just morning night
    """
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][a-z]+")


def features(turns: Sequence[Turn], vectors: Floats) -> Floats:
    """Describe every turn without looking ahead, so that a turn's row never changes when the conversation goes on.

    Args:
        turns: of one conversation, in order; a change of session id cuts the context.
        vectors: [n, d] unit vectors of the turns.

    Returns:
        float32 [n, len(FEATURES)], columns as in `FEATURES`.
    """
    own = np.array([_own(turn) for turn in turns], np.float32).reshape(-1, len(OWN))
    rows = np.zeros((len(turns), len(FEATURES)), np.float32)
    start = 0
    for i, turn in enumerate(turns):
        if i and turns[i - 1].session_id != turn.session_id:
            start = i
        before = [own[i - k] if i - k >= start else np.zeros(len(OWN), np.float32) for k in (1, 2)]
        rows[i] = np.concatenate([own[i], _place(turns, vectors, start, i), *before])
    return rows


def inputs(turns: Sequence[Turn], vectors: Floats, previous_vectors: bool) -> Floats:
    """Return the model's input, float32 [n, d (+ d) + len(FEATURES)]: vectors, those of the turns before, features."""
    shifted = np.zeros_like(vectors)
    for i in range(1, len(turns)):
        if turns[i].session_id == turns[i - 1].session_id:
            shifted[i] = vectors[i - 1]
    return np.concatenate([vectors, *([shifted] if previous_vectors else []), features(turns, vectors)], axis=1)


def _own(turn: Turn) -> list[float]:
    text = turn.text
    said = [word.replace("’", "'").casefold() for word in _WORD.findall(text)]
    n = len(said) + 1
    first, second = sum(word in _FIRST for word in said), sum(word in _SECOND for word in said)
    past = sum(word in _PAST or (len(word) > 4 and word.endswith("ed")) for word in said)
    logs = [float(np.log1p(value)) for value in (first, len(_NAME.findall(text)), past)]
    return [
        float(np.log1p(n - 1)),
        float(np.log1p(len(text))),
        float(any(letter.isdigit() for letter in text)),
        first / n,
        logs[0],
        second / n,
        float(second > 0),
        logs[1],
        float(text.rstrip().endswith(("?", "？"))),
        float(asks(text)),
        float(min(text.count("!"), 5)),
        float(bool(turn.caption)),
        past / n,
        logs[2],
        float(np.log1p(sum(word in _TIME for word in said))),
        float(bool(said) and said[0] in _MARKERS),
        sum(word in _MARKERS for word in said) / n,
        float("," in text),
        float(np.log1p(text.count("."))),
        float('"' in text),
    ]


def _place(turns: Sequence[Turn], vectors: Floats, start: int, i: int) -> list[float]:
    turn, position = turns[i], i - start
    cosines = [0.0, 0.0, 0.0]
    if position:
        before = vectors[start:i]
        mean = before.mean(0)
        length = float(np.linalg.norm(mean)) or 1.0
        cosines = [
            float(vectors[i] @ before[-1]),
            float(vectors[i] @ mean) / length,
            float((before @ vectors[i]).max()),
        ]
    return [
        *(float(position == place) for place in range(3)),
        position / (position + 10.0),
        float(np.log1p(position)),
        float(position > 0 and turns[i - 1].speaker != turn.speaker),
        float(turn.role == "user"),
        float(turn.role == "assistant"),
        *cosines,
    ]
