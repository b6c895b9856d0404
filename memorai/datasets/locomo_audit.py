"""An audit's list of faulty LoCoMo questions: which to leave out, and the ceiling that keeping them implies."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from memorai.errors import InputError
from memorai.types import Dataset, Question

#: the evidence is wrong and the gold answer right: a scorer of answers is not misled
CITATION_ONLY = frozenset({"WRONG_CITATION"})


def faulty_questions(path: str | Path, dataset: Dataset, spared: Collection[str] = CITATION_ONLY) -> frozenset[str]:
    """Return ids of the questions whose gold answer the audit finds wrong.

    Args:
        path: a JSON list of records with ``question_id`` (``locomo_0_qa1``: conversation and question counted from 0),
            ``question`` and ``error_type``.
        dataset: LoCoMo with all conversations, in the file's order.
        spared: error types that leave the gold answer right.

    Raises:
        InputError: the file cannot be read, or a record names no question or another text than the data set.
    """
    try:
        records = json.loads(Path(path).read_text(encoding="utf-8"))
        faults = [(str(row["question_id"]), str(row["question"]), str(row["error_type"])) for row in records]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a readable list of audited questions: {error!r}") from error
    found = set()
    for name, text, kind in faults:
        question = _question(name, dataset)
        if question is None or question.text.strip() != text.strip():
            raise InputError(f"{path}: {name} is not a question of {dataset.name}, or has another text there")
        if kind not in spared:
            found.add(question.id)
    return frozenset(found)


def ceiling(faulty: Collection[str], asked: Collection[str]) -> float:
    """Return the mean score of a perfect reader that every faulty gold answer fails, over the questions asked.

    Raises:
        InputError: no question is asked.
    """
    if not asked:
        raise InputError("a ceiling needs at least one question")
    return 1 - len(set(faulty) & set(asked)) / len(set(asked))


def _question(name: str, dataset: Dataset) -> Question | None:
    head, _, place = name.partition("_qa")
    conversation = head.removeprefix("locomo_")
    if not (conversation.isdecimal() and place.isdecimal()) or int(conversation) >= len(dataset.conversations):
        return None
    held = dataset.conversations[int(conversation)]
    wanted = f"{held.id}:q{int(place)}"  # by id, for a loader may leave questions out
    return next((question for question in held.questions if question.id == wanted), None)
