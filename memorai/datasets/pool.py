"""Haystacks of single questions merged into longer conversations with many questions each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memorai.datasets.checks import check_conversation, check_ids, count
from memorai.datasets.longmemeval import load_longmemeval
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Session


def load_pooled_longmemeval(
    path: str | Path | None = None, variant: str = "oracle", unit: str = "all_turns", questions: int = 25
) -> Dataset:
    """LongMemEval with the haystacks of about ``questions`` answerable questions in one conversation.

    The evidence sessions of one question alone hold little that is not evidence; those of 25 together are as long as a
    LoCoMo conversation and lack nobody's question, at a thirtieth of the text of the S haystacks.

    Args:
        path: as of `memorai.datasets.longmemeval.load_longmemeval`.
        variant: likewise.
        unit: likewise.
        questions: of a conversation, about.

    Raises:
        InputError: the file cannot be read, or ``questions`` is no whole number of at least 1.
    """
    return pooled(load_longmemeval(path, variant, unit), questions)


def pooled(dataset: Dataset, questions: int) -> Dataset:
    """Deal the conversations that have evidence into pools in turn, and merge each pool's sessions by time.

    Sessions of the same id in one pool must be the same talk, and stand there once, at their earliest time.

    Args:
        dataset: of one question a conversation, or few.
        questions: of a pool, about; conversations without evidence are left out.

    Returns:
        Data set ``{name}_pooled`` with conversations ``pool0``, ``pool1`` and so on.

    Raises:
        InputError: ``questions`` is no whole number of at least 1, nothing has evidence, or a session id is used twice.
    """
    if type(questions) is not int or questions < 1:
        raise InputError(f"questions={questions!r}: give a whole number of at least 1")
    useful = [c for c in dataset.conversations if any(question.evidence for question in c.questions)]
    if not useful:
        raise InputError(f"{dataset.name}: no question has evidence, so there is nothing to pool; give other data")
    pools = -(-sum(len(conversation.questions) for conversation in useful) // questions)
    merged = [_merged(f"pool{i}", useful[i::pools]) for i in range(min(pools, len(useful)))]
    for conversation in merged:
        check_conversation(conversation, dataset.name)
    check_ids(merged, dataset.name)
    counts = count(merged, dataset.categories)
    return replace(dataset, name=f"{dataset.name}_pooled", conversations=tuple(merged), counts=counts)


def _merged(name: str, parts: Sequence[Conversation]) -> Conversation:
    sessions: dict[str, Session] = {}
    for session in (session for part in parts for session in part.sessions):
        known = sessions.get(session.id)
        if known is None:
            sessions[session.id] = session
            continue
        if [(t.id, t.speaker, t.text) for t in known.turns] != [(t.id, t.speaker, t.text) for t in session.turns]:
            raise InputError(f"{name}: session {session.id} says different things in two conversations; rename one")
        sessions[session.id] = min(known, session, key=_time)
    ordered = sorted(sessions.values(), key=_time)
    return Conversation(name, tuple(ordered), tuple(q for part in parts for q in part.questions), parts[0].language)


def _time(session: Session) -> datetime:
    return session.time or datetime.min
