"""A memory system as a composition of parts; which system it is, its configuration says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memorai.device import resolve_device
from memorai.graph.build import build_graph
from memorai.index.lexical import BM25
from memorai.models.embedders import Embedder
from memorai.retrieval.indexed import IndexedGraph, QueryView, TextSource
from memorai.retrieval.rank import rank
from memorai.retrieval.rerank import NoReranker, Reranker
from memorai.retrieval.retrievers import Retriever
from memorai.systems.index_cache import IndexCache
from memorai.timing import Stopwatch
from memorai.types import Conversation, Query, Ranking, Turn
from memorai.write.extraction import Extraction, Extractor, Resolver, Segment, Segmenter, UsesEmbedder
from memorai.write.gate import Gate, gate_name, kept_ids, without_dropped
from memorai.write.segment import SessionSegmenter
from memorai.write.summarize import Summarizer, with_summaries

_log = logging.getLogger(__name__)


class MemorySystem:
    """Write path, graph and read path under one roof.

    Args:
        retriever: the read path.
        embedder: for turns, entities, snippets, relations and queries.
        lexical: BM25 settings.
        text_format: what embedder and BM25 see of a turn.
        segmenter: cuts conversations into snippets; default sessions.
        extractor: finds entities and relations; None = none, for systems without a graph.
        resolver: decides which entities are one; None = those with equal keys.
        summarize: writes a segment's summary from its turns where the segmenter wrote none, see `with_summaries`; None
            = it stays empty.
        gate: drops turns: they are not extracted from and cannot be found; None = every turn is kept.
        drop_share: share of a conversation's turns to drop, lowest scores first; None = the gate's threshold decides.
        reranker: puts the turns found into a better order; None = the retriever's stays.
        describe: writes an entity's description from the turns that mention it; None = its name has to do.
        entity_vectors: see `IndexedGraph`.
        snippet_vectors: see `IndexedGraph`.
        batch_size: queries walked at once.
        device: ``cpu``, ``cuda`` or ``auto``.
        cache: shares indexes between systems whose ``cache_key`` is equal; None = each builds its own.
        cache_key: identifies everything but the retriever.
        chosen_on: data sets on which the settings were chosen; there the system's rows are labelled ``within``.
    """

    def __init__(
        self,
        retriever: Retriever,
        embedder: Embedder,
        lexical: BM25,
        text_format: Callable[[Turn], str],
        segmenter: Segmenter | None = None,
        extractor: Extractor | None = None,
        resolver: Resolver | None = None,
        summarize: Summarizer | None = None,
        describe: Callable[[str, Sequence[Turn]], str] | None = None,
        entity_vectors: TextSource = "text",
        snippet_vectors: TextSource = "text",
        batch_size: int = 256,
        device: str = "cpu",
        cache: IndexCache | None = None,
        cache_key: str = "",
        gate: Gate | None = None,
        drop_share: float | None = None,
        chosen_on: Sequence[str] = (),
        reranker: Reranker | None = None,
    ) -> None:
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size={batch_size} is not a whole number of at least 1")
        needed = {"retriever": retriever, "embedder": embedder, "lexical": lexical}
        for name, given in needed.items():
            if given is None:
                raise ValueError(f"{name} is missing; a memory system needs one")
        if describe is not None and not callable(describe):
            raise ValueError(f"describe={describe} is not a function of a name and turns")
        self.retriever, self.reranker = retriever, reranker or NoReranker()
        self.embedder, self.lexical, self.text_format = embedder, lexical, text_format
        self.segmenter: Segmenter = segmenter or SessionSegmenter()
        self.extractor, self.resolver = extractor, resolver
        self.summarize, self.describe = summarize, describe
        for part in (self.segmenter, extractor, resolver, gate):
            if isinstance(part, UsesEmbedder):
                part.prepare(embedder, text_format)
        self.gate, self.drop_share = gate, drop_share
        self.chosen_on = tuple(chosen_on)
        self.batch_size = batch_size
        self._cache, self._cache_key = cache, cache_key
        self._options: dict[str, Any] = {
            "entity_vectors": entity_vectors,
            "snippet_vectors": snippet_vectors,
            "device": resolve_device(device),
        }
        self._embeds = False

    def index(self, conversation: Conversation) -> GraphIndex:
        """Segment, extract and build, or take the same index from the cache; vectors follow on first use."""
        if self._cache is None:
            return GraphIndex(self, self._indexed(conversation))
        return GraphIndex(self, self._cache.get(self._cache_key, conversation, lambda: self._indexed(conversation)))

    def labels(self) -> dict[str, str]:
        """Return embedder (if it was used), extractor and gate, and the reranker where there is one."""
        extractor = type(self.extractor).__name__.removesuffix("Extractor").lower() if self.extractor else "none"
        found = {
            "embedder": self.embedder.name if self._embeds else "none",
            "extractor": extractor,
            "gate": self._gate_label(),
        }
        return found if self.reranker.name == "none" else {**found, "reranker": self.reranker.name}

    def search(self, indexed: IndexedGraph, queries: Sequence[Query], k: int) -> list[Ranking]:
        """Rank the graph's turns for each query, in batches."""
        rankings: list[Ranking] = []
        for start in range(0, len(queries), self.batch_size):
            view = QueryView(indexed, queries[start : start + self.batch_size])
            with indexed.watch("retrieve"):
                retrieved = self.retriever.retrieve(view)
            with indexed.watch("rank"):
                rankings += rank(view, self.reranker.rerank(view, retrieved), k)
            self._embeds |= view.embeds
        return rankings

    def _indexed(self, conversation: Conversation) -> IndexedGraph:
        watch = Stopwatch()
        with watch("segment"):
            segments = self._segments(conversation)
        with watch("gate"):
            conversation, segments = self._gated(conversation, segments)
        with watch("extract"):
            extraction = self._extraction(segments, conversation)
        with watch("build"):
            graph = build_graph(conversation, segments, extraction, self.describe)
        return IndexedGraph(
            graph, self.embedder, self.lexical, self.text_format, conversation.language, watch=watch, **self._options
        )

    def _segments(self, conversation: Conversation) -> tuple[Segment, ...]:
        segments = self.segmenter.segment(conversation)
        return segments if self.summarize is None else with_summaries(segments, self.summarize)

    def _extraction(self, segments: Sequence[Segment], conversation: Conversation) -> Extraction:
        if self.extractor is None:
            return Extraction()
        extraction = self.extractor.extract(segments, conversation.language)
        return self.resolver(extraction, conversation.turns) if self.resolver else extraction

    def _gated(
        self, conversation: Conversation, segments: tuple[Segment, ...]
    ) -> tuple[Conversation, tuple[Segment, ...]]:
        """The conversation and its segments without what the gate drops; a summary still tells of the whole segment."""
        if self.gate is None:
            return conversation, segments
        kept = kept_ids(self.gate, segments, conversation.language, self.drop_share)
        _log.info("%s: kept %d of %d turns", conversation.id, len(kept), len(conversation.turns))
        if len(kept) == len(conversation.turns):
            return conversation, segments
        sessions = tuple(
            replace(session, turns=tuple(turn for turn in session.turns if turn.id in kept))
            for session in conversation.sessions
        )
        return replace(conversation, sessions=sessions), without_dropped(segments, kept)

    def _gate_label(self) -> str:
        name = gate_name(self.gate)
        return name if self.drop_share is None or self.gate is None else f"{name} {self.drop_share:.0%} dropped"


class GraphIndex:
    """One conversation's graph, searchable by one system."""

    def __init__(self, system: MemorySystem, indexed: IndexedGraph) -> None:
        self.system, self.indexed = system, indexed

    def search(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """Return one ranking a query."""
        return self.system.search(self.indexed, queries, k)

    def statistics(self) -> Mapping[str, int]:
        """Return node and edge counts by type."""
        return self.indexed.graph.statistics()

    def nbytes(self) -> int:
        """Return the bytes of its vectors, sparse blocks and inverted indexes."""
        return self.indexed.nbytes()

    def seconds(self) -> Mapping[str, float]:
        """Return wall seconds by stage since the last call; what came from the cache took none."""
        return self.indexed.watch.take()
