"""How cost grows with the length of one conversation: built at once, and with a session appended."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memorai.graph.build import build_graph
from memorai.graph.incremental import GraphWriter
from memorai.types import Conversation, Session, Turn
from memorai.write.describe import describe
from memorai.write.extraction import Extractor, Resolver
from memorai.write.gate import RuleGate
from memorai.write.lexical import LexicalExtractor
from memorai.write.resolve import EntityResolver
from memorai.write.segment import SessionSegmenter
from memorai.write.stems import StemExtractor

from .clock import Cost, timed
from .talk import of_size

SIZES = (1000, 2000, 4000, 6000)
ENDS = (SIZES[0], SIZES[-1])


@dataclass(frozen=True)
class Setting:
    """Parts of a write path."""

    name: str
    extractor: Extractor
    describe: Callable[[str, Sequence[Turn]], str] | None
    resolver: Resolver | None = None


@dataclass(frozen=True)
class Point:
    """``kind`` is ``build`` (a turn of all) or ``append`` (a new turn), at a conversation of ``turns`` turns."""

    kind: str
    setting: str
    turns: int
    cost: Cost


def settings() -> list[Setting]:
    similar = importlib.util.find_spec("rapidfuzz") is not None
    return [
        Setting("memorai_plus (stems)", StemExtractor(), None),
        Setting("memorai (lexical)", LexicalExtractor(), describe),
        Setting("memorai + coreference", LexicalExtractor(coreference=True), describe),
        Setting("memorai + resolution", LexicalExtractor(), describe, EntityResolver(similar=similar)),
    ]


def builds(sessions: Sequence[Session], sizes: Sequence[int] = SIZES, runs: int = 3) -> Iterator[Point]:
    """Segment, gate by rules, extract, resolve and build one conversation of each size."""
    for setting in settings():
        for size in sizes:
            talk = of_size(sessions, size)
            _, cost = timed(lambda setting=setting, talk=talk: _build(setting, talk), len(talk.turns), runs)
            yield Point("build", setting.name, len(talk.turns), cost)


def appends(sessions: Sequence[Session], held_back: Sequence[Session], sizes: Sequence[int] = ENDS) -> Iterator[Point]:
    """Append the same sessions to conversations of each size, one by one: milliseconds a new turn, median session."""
    for setting in settings():
        for size in sizes:
            talk = of_size(sessions, size)
            writer = GraphWriter(talk, None, setting.extractor, setting.resolver, None, setting.describe)
            costs = sorted((_append(writer, session) for session in held_back), key=lambda cost: cost.wall)
            middle = costs[len(costs) // 2]
            yield Point("append", setting.name, len(talk.turns), Cost(middle.wall, middle.cpu, len(costs)))


def _append(writer: GraphWriter, session: Session) -> Cost:
    return timed(lambda: writer.append(session), len(session.turns), runs=1)[1]


def _build(setting: Setting, talk: Conversation) -> None:
    segments = SessionSegmenter().segment(talk)
    RuleGate().score(segments, talk.language)
    found = setting.extractor.extract(segments, talk.language)
    build_graph(talk, segments, setting.resolver(found, talk.turns) if setting.resolver else found, setting.describe)
