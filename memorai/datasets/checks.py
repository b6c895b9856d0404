"""What must hold of every conversation, and the denominators worth printing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from memorai.errors import InputError
from memorai.types import Conversation

#: Names of the means over categories in every table (`memorai.metrics.statistics`): no category may have them.
RESERVED_CATEGORIES = ("macro", "weighted")


def check_category(category: str, where: str) -> None:
    """Refuse a category that is blank or has the name of a mean.

    Raises:
        InputError: opening with `where`.
    """
    if not category.strip():
        raise InputError(f"{where}: the category is blank; name it")
    if category in RESERVED_CATEGORIES:
        raise InputError(f"{where}: category {category!r} is the name of a mean in every table; call it otherwise")


def scalar_text(value: object, where: str) -> str | None:
    """A gold answer as text: LoCoMo and LongMemEval hold integers among them. None stays None.

    Raises:
        InputError: a list, an object, or a number that is not finite.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where}: an answer must be text or a finite number, not {value}; write it as text")
    if isinstance(value, bool | int | float):
        return str(value)
    raise InputError(f"{where}: an answer must be text or a number, not a {type(value).__name__}; write it as text")


def check_conversation(conversation: Conversation, where: str) -> None:
    """Check the invariants that the rest of the package relies on.

    Turn and session ids are unique, a turn is in its session and says something, a question has a text and a category
    that is no mean's name, its evidence exists and does not repeat, and times either all carry an offset from UTC or
    none does (they could not be compared).

    Raises:
        InputError: naming `where`, the conversation and the record at fault.
    """
    here = f"{where}: conversation {conversation.id!r}"
    if not conversation.turns:
        raise InputError(f"{here} has no turns; remove it or add some")
    _check_unique((session.id for session in conversation.sessions), f"{here}: session id")
    _check_unique((turn.id for turn in conversation.turns), f"{here}: turn id")
    for session in conversation.sessions:
        if not session.turns:
            raise InputError(f"{here}: session {session.id!r} has no turns; remove it")
        for turn in session.turns:
            if turn.session_id != session.id:
                raise InputError(f"{here}: turn {turn.id!r} says session {turn.session_id!r} but is in {session.id!r}")
            if not turn.text.strip() and not (turn.caption or "").strip():
                raise InputError(f"{here}: turn {turn.id!r} has neither text nor caption; remove it")
    known_turns = {turn.id for turn in conversation.turns}
    known_sessions = {session.id for session in conversation.sessions}
    for question in conversation.questions:
        asked = f"{here}: question {question.id!r}"
        if not question.text.strip():
            raise InputError(f"{asked} is blank; write it or remove it")
        check_category(question.category, asked)
        _check_unique(question.evidence, f"{asked}: evidence")
        for kind, ids, known in (
            ("turn", question.evidence, known_turns),
            ("session", question.evidence_sessions, known_sessions),
        ):
            missing = [item for item in ids if item not in known]
            if missing:
                raise InputError(f"{asked}: evidence {kind} {missing[0]!r} does not exist; correct the id")
    _check_clocks(conversation, here)


def check_ids(conversations: Sequence[Conversation], where: str) -> None:
    """Conversation and question ids are unique within a data set: results are joined by them.

    Raises:
        InputError: naming the first id that repeats.
    """
    _check_unique((conversation.id for conversation in conversations), f"{where}: conversation id")
    questions = (question for conversation in conversations for question in conversation.questions)
    _check_unique((question.id for question in questions), f"{where}: question id")


def count(conversations: Sequence[Conversation], categories: Sequence[str]) -> dict[str, int]:
    """Denominators: conversations, sessions, turns, captions, questions and scored (those with evidence).

    The last two also for each of `categories`, as ``questions/NAME`` and ``scored/NAME``.
    """
    questions = [question for conversation in conversations for question in conversation.questions]
    counts = {
        "conversations": len(conversations),
        "sessions": sum(len(conversation.sessions) for conversation in conversations),
        "turns": sum(len(conversation.turns) for conversation in conversations),
        "captions": sum(turn.caption is not None for conversation in conversations for turn in conversation.turns),
        "questions": len(questions),
        "scored": sum(bool(question.evidence) for question in questions),
    }
    for name in categories:
        own = [question for question in questions if question.category == name]
        counts[f"questions/{name}"] = len(own)
        counts[f"scored/{name}"] = sum(bool(question.evidence) for question in own)
    return counts


def category_order(conversations: Iterable[Conversation], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Those of `known` that occur, then the others in order of first appearance."""
    seen = dict.fromkeys(question.category for conversation in conversations for question in conversation.questions)
    return (*(name for name in known if name in seen), *(name for name in seen if name not in known))


def _check_unique(ids: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for item in ids:
        if item in seen:
            raise InputError(f"{what} {item!r} occurs twice; make it unique")
        seen.add(item)


def _check_clocks(conversation: Conversation, here: str) -> None:
    stamped = [(f"turn {turn.id!r}", turn.time) for turn in conversation.turns]
    stamped += [(f"question {question.id!r}", question.time) for question in conversation.questions]
    aware = [name for name, time in stamped if time is not None and time.tzinfo is not None]
    naive = [name for name, time in stamped if time is not None and time.tzinfo is None]
    if aware and naive:
        raise InputError(
            f"{here}: {aware[0]} has an offset from UTC, {naive[0]} has none; give all times one or none of them"
        )
