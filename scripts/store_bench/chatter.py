"""Synthetic talk of any length: topics with heavy-tailed names, sessions of neighbouring turns, facts that change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

SESSION_TURNS = 20
_NAMES = 40_000
_TOPICS = 400
_WORDS_OF_TOPIC = 120
_SYLLABLES = (
    *("ba", "be", "bi", "bo", "da", "de", "di", "do", "fa", "fe", "ga", "go", "ka", "ke", "ki", "ko", "la", "le"),
    *("li", "lo", "ma", "me", "mi", "mo", "na", "ne", "ni", "no", "pa", "pe", "ra", "re", "ri", "ro", "sa", "se"),
    *("ta", "te", "ti", "to", "va", "ve", "vi", "vo", "za", "zo"),
)
_FRAMES = (
    "I went to {place} with {name} to see the {a} and the {b}. We found a {c} beside the {d}.",
    "{name} told me that the {a} near {place} needs a new {b}, and maybe a {c} for the {d}.",
    "We bought a {a} for {name} because the old {b} was broken. The {c} came with a {d}.",
    "My friend {name} works on the {a} and loves every {b} in {place}. She keeps a {c} in her {d}.",
    "Yesterday the {a} was full of {b}, so {name} and I left {place} early with the {c} and a {d}.",
    "Do you remember the {a} that {name} brought from {place}? It had a {c} and a {d}.",
)
_FACTS = ("I live in {place} now.", "I moved to {place}.", "I work at {name} now.", "{name} lives in {place}.")


def word(number: int, capital: bool = False) -> str:
    """A pronounceable word that no other number has."""
    parts = []
    number += len(_SYLLABLES)
    while number:
        number, rest = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[rest])
    made = "".join(parts)
    return made.capitalize() if capital else made


def messages(count: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield messages, the same for the same seed; every 40th states a fact that may replace an older one."""
    rng = np.random.default_rng(seed)
    start = datetime(2020, 1, 1, 8, tzinfo=UTC)
    topic = 0
    for i in range(count):
        if i % SESSION_TURNS == 0:
            topic = int(rng.integers(_TOPICS))
        names = int(_NAMES ** rng.random()), int((_NAMES // 8) ** rng.random())
        values = {
            "name": word(1_000_000 + names[0] * 7 % _NAMES, True),
            "place": word(3_000_000 + names[1], True),
            "a": word(topic * _WORDS_OF_TOPIC + int(rng.integers(_WORDS_OF_TOPIC))),
            "b": word(200_000 + int(5000 ** rng.random())),
            # most of what is talked about is named once
            "c": word(10_000_000 + i),
            "d": word(20_000_000 + i),
        }
        frames = _FACTS if i % 40 == 39 else _FRAMES
        yield {
            "role": "user" if i % 2 == 0 else "assistant",
            "content": frames[int(rng.integers(len(frames)))].format(**values),
            "id": f"m{i}",
            "session": f"s{i // SESSION_TURNS}",
            "time": start + timedelta(minutes=7 * i),
        }


def queries(count: int, total: int, seed: int = 1) -> list[str]:
    """Questions about messages drawn evenly from the first ``total``."""
    wanted = set(np.random.default_rng(seed).integers(total, size=count).tolist())
    said = [message["content"] for i, message in enumerate(messages(total)) if i in wanted]
    return [f"What do you know about {' '.join(text.rstrip('.?').split()[-7:])}?" for text in said]
