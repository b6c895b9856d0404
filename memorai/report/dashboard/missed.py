"""Questions that no system of a run answered whole, from the run's predictions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorai.errors import InputError
from memorai.report.tables import CEILINGS

FILE_NAME = "predictions.jsonl"
#: of the recall that predictions.jsonl holds
K = 10


@dataclass(frozen=True, slots=True)
class Missed:
    """A question of which every system missed some evidence.

    Args:
        question: its id.
        category: of the data set.
        evidence: number of gold turns.
        recall: the best that a system found of them in its first `K` turns.
        system: the first that found so many; empty if none found any.
    """

    question: str
    category: str
    evidence: int
    recall: float
    system: str


def read_missed(path: Path) -> list[Missed]:
    """Return the questions of a ``predictions.jsonl`` whose evidence no system found whole, in the file's order.

    Systems that are told the answer do not count, nor do questions with more evidence than `K` turns can hold.

    Raises:
        InputError: a line is not of that file's form.
    """
    best: dict[str, Missed] = {}
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                try:
                    found = _read(json.loads(text))
                except (ValueError, KeyError, TypeError, RecursionError):
                    raise InputError(f"{path}:{number}: not a line of predictions; run it again") from None
                if found is not None and (found.question not in best or best[found.question].recall < found.recall):
                    best[found.question] = found
    except (OSError, UnicodeError) as error:
        raise InputError(f"{path}: cannot be read ({' '.join(str(error).split())})") from None
    return [found for found in best.values() if found.recall < 1]


def _read(line: Any) -> Missed | None:
    recall, gold = line["recall@10"], len(line["gold"])
    if recall is None or line["system"] in CEILINGS or gold > K:
        return None
    system, question, category = (str(line[key]) for key in ("system", "question", "category"))
    return Missed(question, category, gold, float(recall), system if recall > 0 else "")
