"""The whole memory of a user as a file: turns that can be read back in, or everything that is known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from memorai.errors import InputError
from memorai.graph.store import schema as t
from memorai.graph.store.reads import every_decision, every_fact, every_turn
from memorai.graph.store.records import StoredTurn


def export_user(connection: sa.Connection, user: int | None, name: str, target: Path) -> int:
    """Write a user's memory; return the number of turns.

    ``.jsonl``: one turn a line, in the form of docs/data-format.md, which `memorai add` and the data set `jsonl` read.
    ``.json``: one object with turns, entities, segments, facts and decisions. An existing file is replaced at the end.

    Raises:
        InputError: another ending, or the file cannot be written.
    """
    if target.suffix not in (".jsonl", ".json"):
        raise InputError(f"{target}: export to a file that ends in .jsonl (turns) or .json (everything)")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    turns = [] if user is None else list(every_turn(connection, user))
    try:
        with draft.open("w", encoding="utf-8") as file:
            if target.suffix == ".jsonl":
                file.writelines(f"{json.dumps(_line(turn, name), ensure_ascii=False)}\n" for turn in turns)
            else:
                whole = {} if user is None else _everything(connection, user)
                about = {"user": name, "turns": [_line(turn, name) for turn in turns], **whole}
                json.dump(about, file, ensure_ascii=False, indent=1, default=_plain)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{target}: cannot be written ({error.strerror}); check the folder and its rights") from None
    except ValueError as error:  # a path with NUL
        raise InputError(f"{str(target)!r}: cannot be written ({error}); give another path") from None
    return len(turns)


def _line(turn: StoredTurn, conversation: str) -> dict[str, Any]:
    line = {
        "conversation": conversation,
        "session": turn.session,
        "id": turn.id,
        "speaker": turn.speaker,
        "text": turn.text,
        "time": turn.time_text,
        "caption": turn.caption,
        "role": turn.role,
    }
    return {key: value for key, value in line.items() if value is not None}


def _everything(connection: sa.Connection, user: int) -> dict[str, Any]:
    return {
        "entities": list(_entities(connection, user)),
        "segments": list(_segments(connection, user)),
        "facts": [asdict(fact) for fact in every_fact(connection, user)],
        "decisions": [asdict(decision) for decision in every_decision(connection, user)],
    }


def _entities(connection: sa.Connection, user: int) -> Iterator[dict[str, Any]]:
    numbered = sa.select(t.turns.c.n, t.turns.c.id).where(t.turns.c.user == user)
    ids = {row.n: row.id for row in connection.execute(numbered)}
    mentions: dict[int, list[str]] = {}
    query = sa.select(t.mentions.c.entity, t.mentions.c.turn).where(t.mentions.c.user == user)
    for entity, turn in connection.execute(query.order_by(t.mentions.c.turn)):
        mentions.setdefault(entity, []).append(ids[turn])
    named = sa.select(t.entities.c.n, t.entities.c.key, t.entities.c.name).where(t.entities.c.user == user)
    for row in connection.execute(named.order_by(t.entities.c.n)):
        yield {"key": row.key, "name": row.name, "turn_ids": mentions.get(row.n, [])}


def _segments(connection: sa.Connection, user: int) -> Iterator[dict[str, Any]]:
    members: dict[int, list[str]] = {}
    query = sa.select(t.turns.c.segment, t.turns.c.id).where(t.turns.c.user == user).order_by(t.turns.c.n)
    for segment, id_ in connection.execute(query):
        members.setdefault(segment, []).append(id_)
    query = sa.select(t.segments.c.n, t.segments.c.summary).where(t.segments.c.user == user)
    for n, summary in connection.execute(query.order_by(t.segments.c.n)):
        yield {"id": str(n), "summary": summary, "turn_ids": members.get(n, [])}


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be exported")
