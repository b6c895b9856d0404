"""From scores to rankings."""

from __future__ import annotations

import numpy as np

from memorai.retrieval.indexed import QueryView
from memorai.retrieval.retrievers import Retrieved
from memorai.types import Ranking


def rank(view: QueryView, retrieved: Retrieved, k: int) -> list[Ranking]:
    """Return the k best turns of every query, best first; ties go to the earlier turn.

    Turns with a score of -inf are not retrieved, so a ranking may be shorter than k. NaN or +inf
    raises ValueError.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k={k} is not a whole number of at least 1")
    scores = retrieved.scores.cpu().numpy()
    bad = np.isnan(scores) | np.isposinf(scores)
    if bad.any():
        turn, query = np.argwhere(bad)[0]
        raise ValueError(f"score of turn {turn} for query {view.queries[query].id} is {scores[turn, query]}")
    ids = [turn.id for turn in view.graph.turns]
    rankings = []
    for q, query in enumerate(view.queries):
        column = scores[:, q]
        # stable sort: equal scores keep the turns' own order
        order = np.argsort(-column, kind="stable")[:k]
        order = order[np.isfinite(column[order])]
        rankings.append(
            Ranking(query.id, tuple(ids[i] for i in order), tuple(column[order].tolist()), retrieved.info[q])
        )
    return rankings
