"""Collects the records of one conversation, in any order, and builds the `Conversation`."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memorai.datasets.checks import check_category, check_conversation, scalar_text
from memorai.datasets.fields import encodable, id_list, identifier, optional_identifier, text_field
from memorai.datasets.times import parse_iso_time
from memorai.errors import InputError
from memorai.types import Conversation, Note, Question, Session, Turn

DEFAULT_SESSION = "default"
DIFFICULTIES = ("easy", "medium", "hard")
#: Roles whose messages are instructions or machine output, not something that was said.
SKIPPED_ROLES = ("system", "developer", "tool", "function")


@dataclass
class ConversationBuilder:
    """Turns and questions of the conversation `id`, each with the place in the file that it came from.

    Args:
        id: the conversation's id.
        chats: how many message lists were added, which names sessions that have no id.
    """

    id: str
    chats: int = 0
    _turns: dict[str, tuple[Turn, str]] = field(default_factory=dict)
    _questions: list[tuple[Question, str]] = field(default_factory=list)
    _language: str | None = None
    _clock: tuple[bool, str] | None = None
    _number: int = 0

    @classmethod
    def of(cls, builders: dict[str, ConversationBuilder], conversation_id: str) -> ConversationBuilder:
        """The builder of that conversation in `builders`, made at first use."""
        return builders.setdefault(conversation_id, cls(conversation_id))

    def add_turn(self, record: Mapping[str, Any], where: str, notes: list[Note]) -> None:
        """Add a turn record; one whose role is not part of the talk is skipped and noted."""
        role = text_field(record, "role", where)
        if role in SKIPPED_ROLES:
            notes.append(Note("skipped_role", where, str(role)))
            return
        if role not in (None, "user", "assistant"):
            raise InputError(f"{where}: role {role!r} is unknown; use user or assistant")
        speaker = text_field(record, "speaker", where) or role
        if speaker is None or not speaker.strip():
            raise InputError(f"{where}: 'speaker' is missing; say who speaks")
        text = text_field(record, "text", where) or ""
        caption = text_field(record, "caption", where)
        if not text.strip() and not (caption or "").strip():
            raise InputError(f"{where}: neither 'text' nor 'caption' says anything; remove the line")
        turn_id = optional_identifier(record, "id", where) or self._free_id()
        if turn_id in self._turns:
            first = self._turns[turn_id][1]
            raise InputError(f"{where}: turn id {turn_id!r} is taken in conversation {self.id!r} ({first}); change it")
        session = optional_identifier(record, "session", where) or DEFAULT_SESSION
        time = self._time(record, where)
        self._turns[turn_id] = (Turn(turn_id, session, speaker, text, time, caption, role), where)

    def add_question(self, record: Mapping[str, Any], where: str, notes: list[Note]) -> None:
        """Add a question record. That its evidence exists is checked at the end: turns may come later."""
        text = text_field(record, "question", where)
        if text is None or not text.strip():
            raise InputError(f"{where}: the question is blank; write it or remove the line")
        evidence = id_list(record, "evidence", where)
        if len(set(evidence)) < len(evidence):
            notes.append(Note("duplicate_evidence", where, "repeats are ignored"))
        difficulty = text_field(record, "difficulty", where)
        if difficulty not in (None, *DIFFICULTIES):
            raise InputError(f"{where}: difficulty {difficulty!r} is unknown; use {', '.join(DIFFICULTIES)}")
        answerable = record.get("answerable", True)
        if not isinstance(answerable, bool):
            raise InputError(f"{where}: 'answerable' must be true or false")
        category = text_field(record, "category", where)
        category = "all" if category is None else category
        check_category(category, where)
        answer = scalar_text(record.get("answer"), where)
        question = Question(
            id=optional_identifier(record, "id", where) or f"{self.id}:q{len(self._questions)}",
            text=text,
            evidence=tuple(dict.fromkeys(evidence)),
            evidence_sessions=tuple(dict.fromkeys(id_list(record, "evidence_sessions", where))),
            category=category,
            answer=None if answer is None else encodable(answer, "answer", where),
            time=self._time(record, where),
            difficulty=difficulty,
            answerable=answerable,
        )
        self._questions.append((question, where))

    def set_language(self, record: Mapping[str, Any], where: str) -> None:
        """Set the language, once."""
        language = identifier(record, "language", where)
        if self._language not in (None, language):
            raise InputError(f"{where}: conversation {self.id!r} has language {self._language!r} already; keep one")
        self._language = language

    def build(self, label: str, notes: list[Note]) -> Conversation:
        """The conversation; evidence that names nothing in it is dropped and noted.

        Sessions stand in time order if all have a time, else in order of first mention.
        """
        if not self._turns:
            raise InputError(f"{label}: conversation {self.id!r} has no turns; add some or correct the id")
        grouped: dict[str, list[Turn]] = {}
        for turn, _ in self._turns.values():
            grouped.setdefault(turn.session_id, []).append(turn)
        sessions = [Session(name, tuple(turns), turns[0].time) for name, turns in grouped.items()]
        times = [session.time for session in sessions if session.time is not None]
        if len(times) == len(sessions):
            sessions = [sessions[i] for i in sorted(range(len(sessions)), key=times.__getitem__)]
        questions = tuple(self._resolve(question, where, notes) for question, where in self._questions)
        conversation = Conversation(self.id, tuple(sessions), questions, self._language or "en")
        check_conversation(conversation, label)
        return conversation

    def _resolve(self, question: Question, where: str, notes: list[Note]) -> Question:
        """Drop evidence that does not exist, with a note, and fill in sessions that the record does not name."""
        sessions = dict.fromkeys(turn.session_id for turn, _ in self._turns.values())

        def existing(ids: tuple[str, ...], known: Container[str], kind: str) -> tuple[str, ...]:
            missing = [item for item in ids if item not in known]
            kind = f"dangling_{kind}"
            notes.extend(Note(kind, question.id, f"{where}: {item!r} does not exist") for item in missing)
            return tuple(item for item in ids if item in known)

        evidence = existing(question.evidence, self._turns, "evidence")
        named = existing(question.evidence_sessions, sessions, "session")
        if not evidence:
            notes.append(Note("empty_evidence", question.id, f"{where}: cannot be scored"))
        if not question.evidence_sessions:
            named = tuple(dict.fromkeys(self._turns[turn_id][0].session_id for turn_id in evidence))
        return replace(question, evidence=evidence, evidence_sessions=named)

    def _free_id(self) -> str:
        """``t{n}``, n the turn's number, or the next that no turn has: an earlier one may be called so in the file."""
        self._number = max(self._number, len(self._turns) + 1)
        while f"t{self._number}" in self._turns:
            self._number += 1
        return f"t{self._number}"

    def _time(self, record: Mapping[str, Any], where: str) -> datetime | None:
        if record.get("time") is None:
            return None
        time = parse_iso_time(record["time"], where)
        aware = time.tzinfo is not None
        if self._clock is None:
            self._clock = (aware, where)
        elif self._clock[0] != aware:
            has = "an offset from UTC" if aware else "no offset from UTC"
            raise InputError(
                f"{where}: the time has {has}, unlike {self._clock[1]}; give all of a conversation one or none"
            )
        return time
