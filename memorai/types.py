"""The plain, frozen values that travel through memorai. This module imports nothing of the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Args:
        id: unique within its conversation; LoCoMo's own ids look like ``D1:3``.
        session_id: the session that holds the turn.
        speaker: display name of who speaks.
        text: what was said, verbatim; may be empty only if there is a caption.
        time: when it was said, or None if the source gives no time. Never "now".
        caption: text that describes a shared picture, or None.
        role: ``user`` or ``assistant`` where the source has roles, else None.
    """

    id: str
    session_id: str
    speaker: str
    text: str
    time: datetime | None = None
    caption: str | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Turns of one sitting, in the order in which they were said."""

    id: str
    turns: tuple[Turn, ...]
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What a memory system is allowed to see of a question: no evidence, no answer, no category."""

    id: str
    text: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked of a conversation.

    Args:
        id: unique within the data set, ``{conversation}:q{0-based index}``; two questions may share their text.
        text: the question.
        evidence: ids of the turns that answer it, without repeats, each an existing turn; empty = cannot be scored.
        evidence_sessions: ids of the sessions that answer it.
        category: the data set's own name of the kind of question.
        answer: gold answer as text, or None where the source has none.
        time: when it is asked, or None.
        difficulty: ``easy``, ``medium`` or ``hard`` where the source says so.
        answerable: False for questions whose premise the conversation does not support.
    """

    id: str
    text: str
    evidence: tuple[str, ...] = ()
    evidence_sessions: tuple[str, ...] = ()
    category: str = "all"
    answer: str | None = None
    time: datetime | None = None
    difficulty: str | None = None
    answerable: bool = True

    @property
    def query(self) -> Query:
        """The question without its gold."""
        return Query(self.id, self.text, self.time)


@dataclass(frozen=True)
class Conversation:
    """Sessions in time order and the questions asked of them."""

    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...] = ()
    language: str = "en"

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in order; a turn's place here is its `position`."""
        return tuple(turn for session in self.sessions for turn in session.turns)

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """Distinct speakers in order of first appearance."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


@dataclass(frozen=True, slots=True)
class Note:
    """Something a loader found wrong with one record and survived: ``kind`` groups, ``record`` is the id."""

    kind: str
    record: str
    detail: str = ""


@dataclass(frozen=True)
class Dataset:
    """What a loader returns: conversations, where they came from, and what was wrong with them.

    Args:
        name: as it stands in result rows, for instance ``locomo_lmeb``.
        version: the release or commit of the data.
        sha256: of the file's bytes.
        conversations: all of them.
        categories: category names in the order of tables.
        category_ids: the source's own id of a category name, where it has one (LoCoMo: multi_hop is 1).
        counts: denominators worth printing, e.g. ``{"turns": 5882, "questions": 1986, "scored": 1982}``.
        notes: survived defects, one per record.
    """

    name: str
    version: str
    sha256: str
    conversations: tuple[Conversation, ...]
    categories: tuple[str, ...] = ()
    category_ids: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Turns for one question, best first; ties are broken by position, then id.

    Args:
        question_id: the question it answers.
        ids: turn ids, no repeats.
        scores: one finite float an id, never increasing.
        info: what explains the ranking (iterations, residual, seeds, ...), JSON-serialisable.
    """

    question_id: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    info: Mapping[str, Any] = field(default_factory=dict)
