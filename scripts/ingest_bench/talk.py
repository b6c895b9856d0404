"""The conversations that are ingested, and one long conversation made of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from memorai.datasets.demo import load_demo
from memorai.datasets.locomo import load_locomo
from memorai.types import Conversation, Session

#: sessions of one pair of speakers that are kept back, to be appended to conversations of any size
HELD_BACK = 5


def conversations() -> tuple[str, tuple[Conversation, ...]]:
    """LoCoMo under MEMORAI_DATA (default data/), else the bundled English demo: (name, conversations)."""
    path = Path(os.environ.get("MEMORAI_DATA", "data")) / "locomo" / "locomo10.json"
    if path.is_file():
        return "locomo", load_locomo(str(path)).conversations
    print(f"no LoCoMo at {path} (set MEMORAI_DATA): the bundled English demo instead, repeated for the larger sizes")
    return "demo", load_demo("en").conversations


def growing(found: Sequence[Conversation]) -> tuple[list[Session], list[Session]]:
    """All sessions as one conversation, and the last ones of its first part, held back, whose speakers it has met."""
    first, *others = reversed(found)
    sessions = [_renamed(session, first.id) for session in first.sessions if session.turns]
    kept = sessions[:-HELD_BACK]
    kept += [_renamed(s, other.id) for other in reversed(others) for s in other.sessions if s.turns]
    return kept, sessions[-HELD_BACK:]


def of_size(sessions: Sequence[Session], turns: int) -> Conversation:
    """The shortest run of sessions that has so many turns; they come again under new names if there are too few."""
    taken: list[Session] = []
    total = 0
    for number in count():
        session = sessions[number % len(sessions)]
        if total >= turns:
            break
        taken.append(_renamed(session, f"r{number // len(sessions)}") if number >= len(sessions) else session)
        total += len(session.turns)
    return Conversation("growing", tuple(taken), (), "en")


def _renamed(session: Session, prefix: str) -> Session:
    id_ = f"{prefix}/{session.id}"
    turns = tuple(replace(turn, id=f"{prefix}/{turn.id}", session_id=id_) for turn in session.turns)
    return Session(id_, turns, session.time)
