"""A retriever that fails on some conversations, by a name that other processes can import."""

from __future__ import annotations

from memorai.retrieval.indexed import QueryView
from memorai.retrieval.retrievers import Retrieved


class OnlyLatin:
    """Raises on a conversation in Chinese; else every turn scores the same."""

    def retrieve(self, view: QueryView) -> Retrieved:
        if view.indexed.language == "zh":
            raise RuntimeError("cannot read this")
        return Retrieved(view.zeros()[view.graph.rows("turn")], [{}] * len(view))
