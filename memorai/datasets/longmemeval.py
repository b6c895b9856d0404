"""LongMemEval (Wu et al., ICLR 2025; xiaowu0162/LongMemEval): one question and its own haystack of assistant chats.

What the official files need, and what is done about it here:

- Session ids that start with ``answer_`` give the gold away; they are masked (`mask_session_id`).
- A haystack may hold the same session twice, under two dates. Copies get the suffixes ``.2``, ``.3`` in time order,
  and gold is every copy that is labelled: they say the same, so to call one of them wrong would punish a right find.
- Haystacks are not sorted by date; sessions here are.
- ``_abs`` questions have no answer in their haystack. Turns that are labelled for them all the same are near misses,
  and the official retrieval scores leave these questions out; so they have no evidence unless `abstention_gold`.
- Some turns are empty: no candidates, but they count in the numbering of turns.

Note kinds: ``duplicate_session``, ``empty_turn``, ``empty_session``, ``malformed_turn``, ``integer_answer``,
``no_answer``, ``empty_evidence``, ``dangling_session``, ``evidence_after_question``.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from memorai.datasets.checks import category_order, check_conversation, check_ids, count, scalar_text
from memorai.datasets.common import check_choice, find_data, sha256_file
from memorai.datasets.fields import encodable
from memorai.datasets.stream import iter_json_array
from memorai.datasets.times import parse_longmemeval_time
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Note, Question, Session, Turn

CATEGORIES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
UNITS = ("all_turns", "user_turns")
FILES: Mapping[str, tuple[str, ...]] = {
    "oracle": ("longmemeval_oracle.json", "longmemeval_oracle_dev.json"),
    "s": ("longmemeval_s_cleaned.json", "longmemeval_s.json", "longmemeval_s_dev.json"),
    "m": ("longmemeval_m_cleaned.json", "longmemeval_m.json", "longmemeval_m_dev.json"),
}
#: SHA-256 of the released files (xiaowu0162/longmemeval-cleaned, September 2025), by variant.
OFFICIAL_SHA256: Mapping[str, str] = {
    "oracle": "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    "s": "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
}
_RELEASE = "longmemeval-cleaned@98d7416"
_HALF = "longmemeval-cleaned 2025-09, every second question"
_VERSION_OF: Mapping[str, str] = {
    **dict.fromkeys(OFFICIAL_SHA256.values(), _RELEASE),
    "72087100f674d92a0dde540a44d6ed0c3fd58550abaa7fe04e2bce5ac82c23e0": _HALF,
    "f24abe4c118f5c0507164139692b0629915701709a2f15c0741e2dc974fe87fc": _HALF,
}
OFFICIAL_COUNTS: Mapping[str, int] = {"questions": 500, "abstention": 30}


def mask_session_id(session_id: str) -> str:
    """``s`` and ten hex digits that say nothing of the original id; the same with and without ``answer_``."""
    return "s" + hashlib.sha256(session_id.removeprefix("answer_").encode("utf-8", "surrogatepass")).hexdigest()[:10]


def load_longmemeval(
    path: str | Path | None = None,
    variant: str = "oracle",
    unit: str = "all_turns",
    limit: int | None = None,
    abstention_gold: bool = False,
) -> Dataset:
    """Read a LongMemEval file in the official format; it is streamed, one question at a time.

    Each question is a `Conversation` of its own, its id the ``question_id``, with the one question ``{id}:q0``. Turn
    ids are ``{masked session}_{i}`` with i counted from 1 over all turns of the session, as in the official code.

    Args:
        path: the file; None = look for the variant's file names under ``$MEMORAI_DATA/longmemeval``.
        variant: ``oracle``, ``s`` or ``m``.
        unit: ``all_turns``; or ``user_turns`` for the official retrieval corpus, in which only the user's turns are
            candidates (they keep their numbers) and an evidence session without a labelled user turn is not gold.
            Its data set name ends in ``_user``.
        limit: read the first so many questions only.
        abstention_gold: let the labelled turns of ``_abs`` questions be their evidence.

    Returns:
        Dataset whose counts also hold ``abstention``, ``answerable`` and ``scored_sessions``. On the full set the
        official denominators are 500 questions, 470 answerable and, with ``user_turns``, 419 scored.

    Raises:
        InputError: no such file, not JSON, not of the format, a date that cannot be parsed, a label that is neither
            true nor false, or text that no UTF-8 file can hold.
    """
    check_choice("variant", variant, FILES)
    check_choice("unit", unit, UNITS)
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise InputError(f"limit={limit!r}: give a whole number of questions above 0, or null for all")
    if not isinstance(abstention_gold, bool):  # the text 'false' would count as true
        raise InputError(f"abstention_gold={abstention_gold!r}: give true or false")
    file = find_data(path, "longmemeval", FILES[variant], download=f"longmemeval_{variant}")
    sha256 = sha256_file(file)

    notes: list[Note] = []
    conversations: list[Conversation] = []
    for index, record in enumerate(islice(iter_json_array(file), limit)):
        conversation = _conversation(record, f"{file}: [{index}]", unit, abstention_gold, notes)
        check_conversation(conversation, str(file))
        conversations.append(conversation)
    if not conversations:
        raise InputError(f"{file}: no questions in it; fetch the file again")
    check_ids(conversations, str(file))

    categories = category_order(conversations, CATEGORIES)
    counts = count(conversations, categories)
    questions = [conversation.questions[0] for conversation in conversations]
    counts["abstention"] = sum(not question.answerable for question in questions)
    counts["answerable"] = len(questions) - counts["abstention"]
    counts["scored_sessions"] = sum(bool(question.evidence_sessions) for question in questions)
    official = OFFICIAL_SHA256.get(variant) == sha256
    if official and limit is None and any(counts[key] != value for key, value in OFFICIAL_COUNTS.items()):
        raise RuntimeError(f"the LongMemEval loader is broken: {counts} from the official file")
    return Dataset(
        name=f"longmemeval_{variant}" + ("_user" if unit == "user_turns" else ""),
        version=_VERSION_OF.get(sha256, "unknown"),
        sha256=sha256,
        conversations=tuple(conversations),
        categories=categories,
        counts=counts,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Haystack:
    """Sessions of one record, and what is gold in them."""

    sessions: tuple[Session, ...]
    evidence: tuple[str, ...]
    evidence_sessions: tuple[str, ...]


def _conversation(record: Any, where: str, unit: str, abstention_gold: bool, notes: list[Note]) -> Conversation:
    name = record.get("question_id") if isinstance(record, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError(f"{where}: no 'question_id'; give the file in the official format")
    encodable(name, "question_id", where)
    where = f"{where} {name}"
    text, category = record.get("question"), record.get("question_type")
    if not isinstance(text, str) or not isinstance(category, str):
        raise InputError(f"{where}: 'question' and 'question_type' must be text; give the file in the official format")
    encodable(text, "question", where)
    encodable(category, "question_type", where)
    asked = record.get("question_date")
    time = None if asked is None else parse_longmemeval_time(asked, where)
    haystack = _haystack(record, name, where, unit, time, notes)

    answer = scalar_text(record.get("answer"), where)
    if answer is None:
        notes.append(Note("no_answer", name))
    elif not isinstance(record["answer"], str):
        notes.append(Note("integer_answer", name, answer))
    else:
        encodable(answer, "answer", where)
    answerable = "_abs" not in name
    gold = answerable or abstention_gold
    evidence = haystack.evidence if gold else ()
    if not evidence:
        notes.append(Note("empty_evidence", name, "cannot be scored" if answerable else "abstention"))
    question = Question(
        id=f"{name}:q0",
        text=text,
        evidence=evidence,
        evidence_sessions=haystack.evidence_sessions if gold else (),
        category=category,
        answer=answer,
        time=time,
        answerable=answerable,
    )
    return Conversation(name, haystack.sessions, (question,))


def _haystack(
    record: Mapping[str, Any], name: str, where: str, unit: str, asked: datetime | None, notes: list[Note]
) -> _Haystack:
    ids, dates, rows, answers = (
        _list(record, key, where)
        for key in ("haystack_session_ids", "haystack_dates", "haystack_sessions", "answer_session_ids")
    )
    if not len(ids) == len(dates) == len(rows):
        lengths = f"{len(ids)} haystack_session_ids, {len(dates)} dates, {len(rows)} sessions"
        raise InputError(f"{where}: {lengths}; give as many of each")
    if not all(isinstance(item, str) for item in (*ids, *answers)) or not all(isinstance(row, list) for row in rows):
        raise InputError(f"{where}: session ids must be text, and sessions lists of turns; correct those that are not")
    times = [parse_longmemeval_time(date, f"{where} haystack_dates[{i}]") for i, date in enumerate(dates)]

    sessions: list[Session] = []
    evidence: list[str] = []
    evidence_sessions: list[str] = []
    late: list[str] = []
    copies: Counter[str] = Counter()
    for place in sorted(range(len(ids)), key=times.__getitem__):
        masked = mask_session_id(ids[place])
        copies[masked] += 1
        session_id = masked if copies[masked] == 1 else f"{masked}.{copies[masked]}"
        if session_id != masked:
            notes.append(Note("duplicate_session", f"{name}:{session_id}", f"a copy of {masked}"))
        here = f"{where} haystack_sessions[{place}]"
        turns, gold = _turns(rows[place], session_id, times[place], name, here, unit, notes)
        if not turns:
            notes.append(Note("empty_session", f"{name}:{session_id}", f"no candidates among its {unit}; left out"))
            continue
        sessions.append(Session(session_id, turns, times[place]))
        evidence.extend(gold)
        if ids[place] in answers and (unit == "all_turns" or gold):
            evidence_sessions.append(session_id)
            if asked is not None and times[place] > asked:
                late.append(session_id)
    if late:
        notes.append(Note("evidence_after_question", name, ", ".join(late)))
    notes.extend(
        Note("dangling_session", name, f"{mask_session_id(item)} is not in the haystack")
        for item in answers
        if item not in ids
    )
    return _Haystack(tuple(sessions), tuple(evidence), tuple(evidence_sessions))


def _list(record: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = record.get(key)
    if not isinstance(value, list):
        raise InputError(f"{where}: {key!r} must be a list; give the file in the official format")
    return value


def _turns(
    rows: list[Any], session_id: str, time: datetime, name: str, where: str, unit: str, notes: list[Note]
) -> tuple[tuple[Turn, ...], list[str]]:
    """Candidate turns of a session, and the ids of those labelled ``has_answer``."""
    turns: list[Turn] = []
    gold: list[str] = []
    for number, row in enumerate(rows, start=1):
        turn_id = f"{session_id}_{number}"
        role = row.get("role") if isinstance(row, dict) else None
        text = row.get("content") if isinstance(row, dict) else None
        if role not in ("user", "assistant") or not isinstance(text, str):
            notes.append(Note("malformed_turn", f"{name}:{turn_id}", "left out"))
            continue
        here = f"{where}[{number - 1}]"
        labelled = _label(row, here)
        encodable(text, "content", here)
        if unit == "user_turns" and role != "user":
            continue
        if not text.strip():
            notes.append(Note("empty_turn", f"{name}:{turn_id}", "left out" + (" though gold" if labelled else "")))
            continue
        turns.append(Turn(turn_id, session_id, role, text, time=time, role=role))
        if labelled:
            gold.append(turn_id)
    return tuple(turns), gold


def _label(row: Mapping[str, Any], where: str) -> bool:
    """Whether the turn is gold. Missing or null means no; the text "false" must not count as yes."""
    label = row.get("has_answer")
    if label is not None and not isinstance(label, bool):
        raise InputError(f"{where}: 'has_answer' is {label!r}; it must be true or false")
    return bool(label)
