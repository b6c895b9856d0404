"""Retrieval metrics of one ranking.

Every function takes the ranked ids, best first, and the gold ids. A gold id that is not in the ranking, for instance a
turn that a gate dropped, counts as missed in every metric. A question without gold cannot be scored: ValueError.

Two nDCGs are kept apart because they differ at rank 2. `ndcg` is the standard one (Järvelin and Kekäläinen 2002 with
binary gains; what trec_eval, BEIR and LMEB report): gain / log2(rank + 1). `ndcg_longmemeval` is the formula of
LongMemEval's released code (``src/retrieval/eval_utils.py``), where ranks 1 and 2 are both undiscounted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from memorai.types import Question, Ranking

DEFAULT_KS = (1, 3, 5, 10, 50)
UNITS = ("turn", "session")

Score = tuple[str, str, int, float]
"""(metric, unit, k, value), value in [0, 1]."""


def hit_ranks(ranked_ids: Iterable[str], gold: Iterable[str]) -> tuple[int, ...]:
    """Return the 1-based ranks at which gold ids first appear, increasing; missed gold has no rank."""
    missing = set(gold)
    ranks = []
    for rank, item in enumerate(ranked_ids, start=1):
        if item in missing:
            missing.discard(item)
            ranks.append(rank)
            if not missing:
                break
    return tuple(ranks)


def recall(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> float:
    """Fraction of the gold that is among the first k."""
    return _recall(*_checked(ranked_ids, gold, k), k)


def recall_any(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> float:
    """1 if at least one gold id is among the first k, else 0.

    LongMemEval's code gives 0 for a question without gold, which is an error here.
    """
    return _recall_any(*_checked(ranked_ids, gold, k), k)


def recall_all(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> float:
    """1 if all gold ids are among the first k, else 0.

    LongMemEval's code gives 1 for a question without gold, and so counts its 51 questions without a user-side target
    as solved when it averages over 470. Here that is an error: average over the 419 that have gold.
    """
    return _recall_all(*_checked(ranked_ids, gold, k), k)


def ndcg(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> float:
    """Standard nDCG with binary gains: a single gold at rank 1, 2, 3 gives 1, 0.6309, 0.5."""
    return _ndcg(*_checked(ranked_ids, gold, k), k)


def ndcg_longmemeval(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> float:
    """LongMemEval's own nDCG: a single gold at rank 1, 2, 3 gives 1, 1, 0.6309.

    DCG = rel_1 + sum over ranks i >= 2 of rel_i / log2(i); the ideal ranks all gold of the corpus first, cut at k.
    As in the official code a question without gold scores 0.
    """
    if not gold:
        return 0.0
    return _ndcg_longmemeval(*_checked(ranked_ids, gold, k), k)


def mrr(ranked_ids: Iterable[str], gold: Collection[str], k: int | None = None) -> float:
    """Reciprocal rank of the first gold id; 0 if there is none, or none among the first k."""
    cut = sys.maxsize if k is None else k
    return _mrr(*_checked(ranked_ids, gold, cut), cut)


def score_question(
    ranking: Ranking, question: Question, ks: Sequence[int], session_of: Mapping[str, str]
) -> list[Score]:
    """Score one ranking by turn and by session.

    The session ranking lists each session where its best turn stands, so it has no repeats; its gold is
    ``question.evidence_sessions``. (LongMemEval's turn-to-session conversion keeps repeats; its session-level runs,
    which the ``session`` unit matches, do not.)

    Args:
        ranking: turns, best first.
        question: gold turns and gold sessions; a unit without gold is left out.
        ks: cut-offs, each >= 1.
        session_of: turn id -> session id, for every turn that the ranking names.

    Returns:
        (metric, unit, k, value) for each of six metrics, each unit and each k.

    Raises:
        ValueError: neither turns nor sessions are known, the ranking answers another question, or a k is below 1.
        KeyError: a ranked turn above the last gold session is missing from `session_of`.
    """
    if ranking.question_id != question.id:
        raise ValueError(f"ranking of {ranking.question_id!r} scored against question {question.id!r}")
    if not question.evidence and not question.evidence_sessions:
        raise ValueError(f"question {question.id!r} has no evidence: it cannot be scored")
    if any(k < 1 for k in ks):
        raise ValueError(f"every k must be at least 1: {tuple(ks)}")
    scores: list[Score] = []
    if question.evidence:
        scores += _all_metrics("turn", ranking.ids, question.evidence, ks)
    if question.evidence_sessions:
        scores += _all_metrics("session", _sessions(ranking.ids, session_of), question.evidence_sessions, ks)
    return scores


def saturated(k: int, n: int) -> bool:
    """Tell whether the first k of n candidates are all of them, so that recall@k says nothing."""
    return k >= n


def count_saturated(candidates: Iterable[int], ks: Sequence[int]) -> dict[int, int]:
    """Return k -> number of questions for which k is saturated, given each question's number of candidates."""
    sizes = list(candidates)
    return {k: sum(saturated(k, n) for n in sizes) for k in ks}


def _sessions(turns: Iterable[str], session_of: Mapping[str, str]) -> Iterator[str]:
    """Yield each session where its best turn stands; lazily, since the search for gold mostly ends early."""
    seen = set()
    for turn in turns:
        session = session_of[turn]
        if session not in seen:
            seen.add(session)
            yield session


def _all_metrics(unit: str, ranked: Iterable[str], gold: Collection[str], ks: Sequence[int]) -> list[Score]:
    ranks, size = hit_ranks(ranked, gold), len(set(gold))
    return [(name, unit, k, metric(ranks, size, k)) for name, metric in _METRICS.items() for k in ks]


def _checked(ranked_ids: Iterable[str], gold: Collection[str], k: int) -> tuple[tuple[int, ...], int]:
    if not gold:
        raise ValueError("a question without gold cannot be scored")
    if k < 1:
        raise ValueError(f"k must be at least 1: {k}")
    return hit_ranks(ranked_ids, gold), len(set(gold))


# Each metric as a function of the increasing hit ranks, the number of gold ids and k: ranks are found once a ranking.


def _within(ranks: Sequence[int], k: int) -> int:
    return sum(rank <= k for rank in ranks)


def _recall(ranks: Sequence[int], size: int, k: int) -> float:
    return _within(ranks, k) / size


def _recall_any(ranks: Sequence[int], size: int, k: int) -> float:
    return float(bool(ranks) and ranks[0] <= k)


def _recall_all(ranks: Sequence[int], size: int, k: int) -> float:
    return float(_within(ranks, k) == size)


def _ndcg(ranks: Sequence[int], size: int, k: int) -> float:
    gain = sum(1.0 / math.log2(rank + 1) for rank in ranks if rank <= k)
    return gain / _ideal(min(size, k))


def _ndcg_longmemeval(ranks: Sequence[int], size: int, k: int) -> float:
    gain = sum(_official_discount(rank) for rank in ranks if rank <= k)
    return gain / _official_ideal(min(size, k))


def _mrr(ranks: Sequence[int], size: int, k: int) -> float:
    return 1.0 / ranks[0] if ranks and ranks[0] <= k else 0.0


def _official_discount(rank: int) -> float:
    return 1.0 if rank <= 2 else 1.0 / math.log2(rank)


@lru_cache(maxsize=1024)
def _ideal(hits: int) -> float:
    return sum(1.0 / math.log2(rank + 1) for rank in range(1, hits + 1))


@lru_cache(maxsize=1024)
def _official_ideal(hits: int) -> float:
    return sum(_official_discount(rank) for rank in range(1, hits + 1))


_METRICS: dict[str, Callable[[Sequence[int], int, int], float]] = {
    "ndcg": _ndcg,
    "recall": _recall,
    "recall_any": _recall_any,
    "recall_all": _recall_all,
    "mrr": _mrr,
    "ndcg_longmemeval": _ndcg_longmemeval,
}
METRICS = tuple(_METRICS)
