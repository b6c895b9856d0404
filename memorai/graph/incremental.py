"""A graph that grows session by session and is at each moment the graph that building it at once would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memorai.graph.build import build_graph
from memorai.graph.schema import MemoryGraph
from memorai.types import Conversation, Session, Turn
from memorai.write.describe import describe as describe_extractively
from memorai.write.extraction import Extraction, Extractor, IncrementalExtractor, Memo, Resolver, Segment, Segmenter
from memorai.write.segment import SessionSegmenter
from memorai.write.summarize import Summarizer, with_summaries


class GraphWriter:
    """Appends sessions to a conversation and keeps its graph.

    Reading text is what costs, and it is paid once: only new sessions are segmented and summarised, only new turns (or
    sentences whose words have changed their standing) are read by an `IncrementalExtractor`, and only entities
    with new turns are described. What counts over the whole conversation (document frequencies, which words are
    names, relations and edges) is counted anew from what is remembered, without looking at text: an entity that
    a share of turns admits or drops cannot be known before. Any other extractor reads everything again.

    Args:
        conversation: to begin with; its sessions are appended in order.
        segmenter: one that decides session by session, as all of `memorai.write.segment` do; default sessions.
        extractor: None = no entities.
        resolver: None = entities with equal keys are one.
        summarize: None = summaries stay as the segmenter wrote them.
        describe: None = descriptions stay empty.
    """

    def __init__(
        self,
        conversation: Conversation,
        segmenter: Segmenter | None = None,
        extractor: Extractor | None = None,
        resolver: Resolver | None = None,
        summarize: Summarizer | None = None,
        describe: Callable[[str, Sequence[Turn]], str] | None = describe_extractively,
    ) -> None:
        self._segmenter = segmenter or SessionSegmenter()
        self._extractor, self._resolver, self._summarize = extractor, resolver, summarize
        self._describe = describe
        self._memo: Memo = {}
        self._descriptions: dict[tuple[str, tuple[Turn, ...]], str] = {}
        self.conversation = replace(conversation, sessions=())
        self.segments: tuple[Segment, ...] = ()
        self.graph = self._build()
        if conversation.sessions:
            self.append(*conversation.sessions)

    def append(self, *sessions: Session) -> MemoryGraph:
        """Add sessions at the end and return the graph of everything so far."""
        new = replace(self.conversation, sessions=sessions)
        segments = self._segmenter.segment(new)
        if self._summarize is not None:
            segments = with_summaries(segments, self._summarize)
        self.conversation = replace(self.conversation, sessions=(*self.conversation.sessions, *sessions))
        self.segments += segments
        self.graph = self._build()
        return self.graph

    def _build(self) -> MemoryGraph:
        describe = self._described if self._describe else None
        return build_graph(self.conversation, self.segments, self._extraction(), describe)

    def _extraction(self) -> Extraction:
        language = self.conversation.language
        if self._extractor is None:
            return Extraction()
        if isinstance(self._extractor, IncrementalExtractor):
            found = self._extractor.extract_more(self.segments, language, self._memo)
        else:
            found = self._extractor.extract(self.segments, language)
        return self._resolver(found, self.conversation.turns) if self._resolver else found

    def _described(self, name: str, turns: Sequence[Turn]) -> str:
        assert self._describe is not None
        key = (name, tuple(turns))
        if key not in self._descriptions:
            self._descriptions[key] = self._describe(name, turns)
        return self._descriptions[key]
