"""A graph that grows session by session and is at each moment the graph that building it at once would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memorai.graph.assemble import GraphAssembly
from memorai.graph.build import build_graph
from memorai.graph.schema import MemoryGraph
from memorai.types import Conversation, Session, Turn
from memorai.write.describe import describe as describe_extractively
from memorai.write.extraction import Extraction, Extractor, Resolver, Segment, Segmenter
from memorai.write.gate import turns_of
from memorai.write.growing import GrowingExtraction, GrowingExtractor
from memorai.write.segment import SessionSegmenter
from memorai.write.summarize import Summarizer, with_summaries


class GraphWriter:
    """Appends sessions to a conversation and keeps its graph.

    With a `GrowingExtractor` and no resolver an append costs what is new: new sessions are segmented, summarised and
    read, earlier turns are read again only where a word of theirs has changed its standing, and only entities whose
    turns or name have changed are written and described. What counts over the whole conversation (bounds and weights
    by document frequency, the numbers of nodes) is arithmetic on arrays. A resolver decides over all entities, so
    with one, and with any other extractor, the graph is built anew from all that was found.

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
        language = conversation.language
        self._growing: GrowingExtraction | None = None
        if isinstance(extractor, GrowingExtractor):
            self._growing = extractor.grow(language)
        self._assembly = GraphAssembly(conversation.id, describe)
        self._read: list[Turn] = []
        self._descriptions: dict[tuple[str, tuple[str, ...]], str] = {}
        self.conversation = replace(conversation, sessions=())
        self.segments: tuple[Segment, ...] = ()
        self.graph = self._build((), ())
        if conversation.sessions:
            self.append(*conversation.sessions)

    def append(self, *sessions: Session) -> MemoryGraph:
        """Add sessions at the end and return the graph of everything so far."""
        segments = self._segmenter.segment(replace(self.conversation, sessions=sessions))
        if self._summarize is not None:
            segments = with_summaries(segments, self._summarize)
        self.conversation = replace(self.conversation, sessions=(*self.conversation.sessions, *sessions))
        self.segments += segments
        self.graph = self._build(sessions, segments)
        return self.graph

    def _build(self, sessions: Sequence[Session], segments: Sequence[Segment]) -> MemoryGraph:
        fresh = turns_of(segments)
        if self._growing is None:
            return self._rebuilt(self._extraction())
        table = self._growing.append(fresh)
        if self._resolver is None:
            self._assembly.add(sessions, segments, fresh)
            return self._assembly.graph(table)
        self._read += fresh
        return self._rebuilt(self._resolver(table.extraction(self._read), self.conversation.turns))

    def _extraction(self) -> Extraction:
        if self._extractor is None:
            return Extraction()
        found = self._extractor.extract(self.segments, self.conversation.language)
        return self._resolver(found, self.conversation.turns) if self._resolver else found

    def _rebuilt(self, extraction: Extraction) -> MemoryGraph:
        return build_graph(self.conversation, self.segments, extraction, self._described if self._describe else None)

    def _described(self, name: str, turns: Sequence[Turn]) -> str:
        assert self._describe is not None
        key = (name, tuple(turn.id for turn in turns))
        if key not in self._descriptions:
            self._descriptions[key] = self._describe(name, turns)
        return self._descriptions[key]
