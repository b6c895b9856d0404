"""Per-question output: TREC run and qrels files for other evaluators, and predictions.jsonl for reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np

from memorai.metrics.retrieval import ndcg, recall
from memorai.report.jsonable import dumps
from memorai.types import Question, Ranking


def write_trec_run(path: Path | str, rankings: Iterable[Ranking], tag: str, depth: int = 1000) -> None:
    """Write ``query Q0 document rank score tag`` lines.

    Query ids are question ids (``conv-26:q37``), document ids the turns' own (``D1:3``); a document belongs to its
    query's conversation. Blanks (and %) in ids are percent-encoded. trec_eval ignores the rank column, reads scores in
    single precision and breaks ties by document id, so each score is lowered to the next single-precision number where
    it would not be below the one before: any evaluator then sees exactly our order.

    Args:
        path: file to write.
        rankings: one a question.
        tag: name of the system.
        depth: most documents a question.
    """
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for ranking in rankings:
            query, above = _token(ranking.question_id), np.float32(np.inf)
            pairs = zip(ranking.ids[:depth], ranking.scores, strict=False)
            for rank, (document, score) in enumerate(pairs, start=1):
                above = min(np.float32(score), np.nextafter(above, np.float32(-np.inf)))
                file.write(f"{query} Q0 {_token(document)} {rank} {above:.9g} {_token(tag)}\n")


def write_trec_qrels(path: Path | str, questions: Iterable[Question]) -> None:
    """Write ``query 0 document 1`` for each gold turn, with ids as in `write_trec_run`."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for question in questions:
            for turn in question.evidence:
                file.write(f"{_token(question.id)} 0 {_token(turn)} 1\n")


def write_predictions(
    path: Path | str, rankings: Mapping[str, Sequence[Ranking]], questions: Iterable[Question], depth: int = 50
) -> None:
    """Write ``predictions.jsonl``, one line a system and question.

    A line has system, question, category, ids and scores (the first `depth`, rounded to 6 decimals), gold, ``ndcg@10``
    and ``recall@10`` by turn (None for a question without gold turns), and the ranking's info.

    Args:
        path: file to write.
        rankings: system -> its rankings.
        questions: those ranked, in any order.
        depth: most turns a line.

    Raises:
        KeyError: a ranking answers a question that is not given.
    """
    by_id = {question.id: question for question in questions}
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for system, ranked in rankings.items():
            for ranking in ranked:
                question = by_id[ranking.question_id]
                gold = question.evidence
                line = {
                    "system": system,
                    "question": question.id,
                    "category": question.category,
                    "ids": ranking.ids[:depth],
                    "scores": ranking.scores[:depth],
                    "gold": gold,
                    "ndcg@10": ndcg(ranking.ids, gold, 10) if gold else None,
                    "recall@10": recall(ranking.ids, gold, 10) if gold else None,
                    "info": ranking.info,
                }
                file.write(dumps(line) + "\n")


def _token(text: str) -> str:
    """Percent-encode what would split a field; everything else, also non-ASCII, stays readable."""
    return "".join(quote(c, safe="") if c.isspace() or c == "%" or not c.isprintable() else c for c in text)
