"""LoCoMo-10 (Maharana et al., ACL 2024; snap-research/LoCoMo): long chats of two friends, with pictures.

The published file has defects. Each is survived, repaired where it is plain what was meant, and noted:

=========================  ===========================================================================
note kind                  what was wrong
=========================  ===========================================================================
malformed_evidence         one string holds several ids, or none (``D8:6; D9:17``, ``D:11:26``, ``D``)
leading_zero_evidence      ``D30:05`` for ``D30:5``
dangling_evidence          the turn does not exist; dropped from the gold
duplicate_evidence         an id stands twice
empty_evidence             nothing is left that could be scored
integer_answer             kept as text
no_answer                  adversarial questions carry no ``answer``
no_questions               ``qa`` is missing
unknown_key                a key of ``conversation`` that is no session, date or speaker: what it holds is not read
duplicate_question         the text occurs before; ids go by index, so both count
date_without_session       a date of a session that is not in the file
session_without_date       its turns have no time
malformed_turn             no id, no speaker, or neither text nor caption; dropped
duplicate_turn             a second turn of the same id; dropped
malformed_question         no text; dropped, the other questions keep their index
=========================  ===========================================================================
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memorai.datasets.checks import check_conversation, check_ids, count, scalar_text
from memorai.datasets.common import check_choice, decode_utf8, find_data, parse_json, read_file
from memorai.datasets.fields import encodable
from memorai.datasets.times import parse_locomo_time
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Note, Question, Session, Turn

#: The file's category numbers. The paper's order of tables differs from it, whence many a swapped table.
CATEGORIES: Mapping[int, str] = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
TABLE_ORDER = ("single_hop", "multi_hop", "temporal", "open_domain", "adversarial")

_CATEGORY_OF = {str(number): name for number, name in CATEGORIES.items()}

OFFICIAL_SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
OFFICIAL_VERSION = "snap-research/LoCoMo@3eb6f2c"
_FILE_COUNTS = {"conversations": 10, "sessions": 272, "turns": 5882, "captions": 1226}
#: What must come out of the official file, by protocol.
OFFICIAL_COUNTS: Mapping[str, Mapping[str, int]] = {
    "full": {
        **_FILE_COUNTS,
        "questions": 1986,
        "scored": 1982,
        "questions/multi_hop": 282,
        "questions/temporal": 321,
        "questions/open_domain": 96,
        "questions/single_hop": 841,
        "questions/adversarial": 446,
    },
    "lmeb": {
        **_FILE_COUNTS,
        "questions": 1976,
        "scored": 1976,
        "questions/multi_hop": 280,
        "questions/temporal": 321,
        "questions/open_domain": 89,
        "questions/single_hop": 840,
        "questions/adversarial": 446,
    },
}

_SESSION_KEY = re.compile(r"session_(\d{1,18})(_date_time)?", re.ASCII)
_SPEAKER_KEYS = ("speaker_a", "speaker_b")
_TURN_ID = re.compile(r"D(\d+):(\d+)", re.ASCII)
_TURN_ID_INSIDE = re.compile(r"D:?(\d+):(\d+)", re.ASCII)


def load_locomo(path: str | Path | None = None, protocol: str = "full") -> Dataset:
    """Read ``locomo10.json`` or a file of its format.

    Turn ids are the file's (``D1:3``), session ids its keys (``session_1``), question ids ``conv-26:q37`` with the
    0-based place in the file's own list, the same in both protocols. A turn's time is its session's.

    Args:
        path: the file; None = ``$MEMORAI_DATA/locomo/locomo10.json``.
        protocol: ``full`` for every question (data set ``locomo``); ``lmeb`` for the protocol of the Long-horizon
            Memory Embedding Benchmark (arXiv 2603.12572; data set ``locomo_lmeb``), which leaves out questions
            without evidence and those with a malformed evidence string.

    Raises:
        InputError: no such file, not JSON, not of the format, an unknown category, a date that cannot be parsed or
            text that no UTF-8 file can hold.
    """
    check_choice("protocol", protocol, OFFICIAL_COUNTS)
    file = find_data(path, "locomo", ["locomo10.json"], download="locomo")
    data = read_file(file)
    sha256 = hashlib.sha256(data).hexdigest()
    records = parse_json(decode_utf8(data, str(file)), str(file))
    if not isinstance(records, list) or not records:
        raise InputError(f"{file}: a list of conversations is expected; give locomo10.json as it was published")

    notes: list[Note] = []
    conversations = tuple(_conversation(record, f"{file}: [{i}]", protocol, notes) for i, record in enumerate(records))
    for conversation in conversations:
        check_conversation(conversation, str(file))
    check_ids(conversations, str(file))

    counts = count(conversations, TABLE_ORDER)
    official = sha256 == OFFICIAL_SHA256
    if official:
        wrong = {key: counts[key] for key, value in OFFICIAL_COUNTS[protocol].items() if counts[key] != value}
        if wrong:  # not the user's fault, so no InputError
            raise RuntimeError(f"the LoCoMo loader is broken: {wrong} from the official file")
    return Dataset(
        name="locomo" if protocol == "full" else "locomo_lmeb",
        version=OFFICIAL_VERSION if official else "unknown",
        sha256=sha256,
        conversations=conversations,
        categories=TABLE_ORDER,
        category_ids={name: str(number) for number, name in CATEGORIES.items()},
        counts=counts,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an ``evidence`` list means: turn ids, and what was wrong with it as (note kind, detail)."""

    ids: tuple[str, ...]
    faults: tuple[tuple[str, str], ...] = ()


def parse_evidence(raw: object, known: Mapping[str, Any]) -> Evidence:
    """Repair a question's evidence.

    Args:
        raw: the file's value, normally a list of strings.
        known: the conversation's turns by id; other ids are dropped.
    """
    ids: list[str] = []
    faults: list[tuple[str, str]] = []
    for entry in raw if isinstance(raw, list) else [] if raw is None else [raw]:
        exact = _TURN_ID.fullmatch(entry) if isinstance(entry, str) else None
        found = [exact.groups()] if exact else _TURN_ID_INSIDE.findall(str(entry))
        repaired = [f"D{session.lstrip('0') or '0'}:{turn.lstrip('0') or '0'}" for session, turn in found]
        if exact is None:
            faults.append(("malformed_evidence", f"{entry!r} read as {', '.join(repaired) or 'nothing'}"))
        elif repaired != [entry]:
            faults.append(("leading_zero_evidence", f"{entry!r} read as {repaired[0]}"))
        for turn_id in repaired:
            if turn_id not in known:
                faults.append(("dangling_evidence", f"{turn_id} does not exist"))
            elif turn_id in ids:
                faults.append(("duplicate_evidence", turn_id))
            else:
                ids.append(turn_id)
    if not ids:
        faults.append(("empty_evidence", "cannot be scored"))
    return Evidence(tuple(ids), tuple(faults))


def _conversation(record: Any, where: str, protocol: str, notes: list[Note]) -> Conversation:
    if not isinstance(record, dict) or not isinstance(record.get("conversation"), dict):
        raise InputError(f"{where}: no 'conversation' object; give locomo10.json as it was published")
    name = record.get("sample_id")
    if not isinstance(name, str) or not name:
        raise InputError(f"{where}: no 'sample_id'; give each conversation one")
    encodable(name, "sample_id", where)
    sessions = _sessions(record["conversation"], name, f"{where} {name}", notes)
    turns = {turn.id: turn for session in sessions for turn in session.turns}

    questions: list[Question] = []
    seen: dict[str, str] = {}
    if "qa" not in record:
        notes.append(Note("no_questions", name, "'qa' is missing"))
    rows = record.get("qa", [])
    if not isinstance(rows, list):
        raise InputError(f"{where} {name}: 'qa' must be a list; give an empty one if there are no questions")
    for index, row in enumerate(rows):
        question_id = f"{name}:q{index}"
        text = row.get("question") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            notes.append(Note("malformed_question", question_id, "no text; dropped"))
            continue
        encodable(text, "question", f"{where} {question_id}")
        if text in seen:
            notes.append(Note("duplicate_question", question_id, f"same text as {seen[text]}"))
        seen.setdefault(text, question_id)
        evidence = parse_evidence(row.get("evidence"), turns)
        notes.extend(Note(kind, question_id, detail) for kind, detail in evidence.faults)
        question = _question(row, question_id, evidence, turns, where, notes)
        malformed = any(kind == "malformed_evidence" for kind, _ in evidence.faults)
        if protocol == "full" or (evidence.ids and not malformed):
            questions.append(question)
    return Conversation(name, sessions, tuple(questions))


def _question(
    row: Mapping[str, Any],
    question_id: str,
    evidence: Evidence,
    turns: Mapping[str, Turn],
    where: str,
    notes: list[Note],
) -> Question:
    number = row.get("category")
    category = _CATEGORY_OF.get(str(number))  # as text, since True == 1 and a list is no key
    if category is None:
        raise InputError(f"{where} {question_id}: category {number!r} is unknown; LoCoMo has 1 to 5")
    answer = scalar_text(row.get("answer"), f"{where} {question_id}")
    if answer is None:
        notes.append(Note("no_answer", question_id, category))
    elif not isinstance(row["answer"], str):
        notes.append(Note("integer_answer", question_id, answer))
    else:
        encodable(answer, "answer", f"{where} {question_id}")
    return Question(
        id=question_id,
        text=row["question"],
        evidence=evidence.ids,
        evidence_sessions=tuple(dict.fromkeys(turns[turn_id].session_id for turn_id in evidence.ids)),
        category=category,
        answer=answer,
        answerable=category != "adversarial",
    )


def _sessions(raw: Mapping[str, Any], name: str, where: str, notes: list[Note]) -> tuple[Session, ...]:
    sessions: list[Session] = []
    seen: set[str] = set()
    for session_id in _session_keys(raw, name, notes):
        rows = raw[session_id]
        if rows is None or rows == []:
            continue
        if not isinstance(rows, list):
            raise InputError(f"{where} {session_id}: a list of turns is expected")
        time: datetime | None = None
        if f"{session_id}_date_time" in raw:
            time = parse_locomo_time(raw[f"{session_id}_date_time"], f"{where} {session_id}")
        else:
            notes.append(Note("session_without_date", f"{name}:{session_id}", "its turns have no time"))
        turns: list[Turn] = []
        for place, row in enumerate(rows):
            turn = _turn(row, session_id, time, f"{where} {session_id}[{place}]")
            if turn is None:
                notes.append(Note("malformed_turn", f"{name}:{session_id}[{place}]", "dropped"))
            elif turn.id in seen:
                notes.append(Note("duplicate_turn", f"{name}:{turn.id}", f"dropped from {session_id}"))
            else:
                seen.add(turn.id)
                turns.append(turn)
        if turns:
            sessions.append(Session(session_id, tuple(turns), time))
    return tuple(sessions)


def _session_keys(raw: Mapping[str, Any], name: str, notes: list[Note]) -> list[str]:
    """Keys of sessions by number; every other key is a date, a speaker or noted."""
    numbers: dict[str, int] = {}
    dated: dict[str, int] = {}
    for key in raw:
        match = _SESSION_KEY.fullmatch(key)
        if match:
            (dated if match[2] else numbers)[key.removesuffix("_date_time")] = int(match[1])
        elif key not in _SPEAKER_KEYS:
            notes.append(Note("unknown_key", name, f"{key!r} is not read; a session is called session_1"))
    # by number: as strings session_10 would come before session_2; session_01 is a key of its own
    for session_id in sorted(dated, key=lambda key: (dated[key], key)):
        if not raw.get(session_id):
            notes.append(Note("date_without_session", f"{name}:{session_id}", "ignored"))
    return sorted(numbers, key=lambda key: (numbers[key], key))


def _turn(row: Any, session_id: str, time: datetime | None, where: str) -> Turn | None:
    if not isinstance(row, dict):
        return None
    turn_id, speaker, text = row.get("dia_id"), row.get("speaker"), row.get("text") or ""
    # other tools write blip_captions; whoever reads one spelling only loses the pictures without a word
    caption = row.get("blip_caption") or row.get("blip_captions") or None
    if isinstance(caption, list):
        caption = "; ".join(str(part) for part in caption)
    if not all(isinstance(value, str) for value in (turn_id, speaker, text)) or not isinstance(caption, str | None):
        return None
    if not turn_id or not speaker or not (text.strip() or (caption or "").strip()):
        return None
    for key, value in (("dia_id", turn_id), ("speaker", speaker), ("text", text), ("blip_caption", caption or "")):
        encodable(value, key, where)
    return Turn(turn_id, session_id, speaker, text, time=time, caption=caption)
