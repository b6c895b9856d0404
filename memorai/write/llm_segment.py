"""The paper's segmenter: a language model says where topics begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memorai.models.llm import LLM, Reply, Schema
from memorai.models.parse import read_indices
from memorai.types import Conversation, Session, Turn
from memorai.write.extraction import Segment
from memorai.write.llm_step import Step, Unusable, check_window, shown, windows

SCHEMA: Schema = {
    "type": "object",
    "properties": {"starts": {"type": "array", "items": {"type": "integer"}}},
    "required": ["starts"],
    "additionalProperties": False,
}


class LLMSegmenter:
    """Topics as a language model sees them, inside sessions; ids are ``{session}#{0-based number}``.

    A session is never joined with another, so an appended one changes no earlier segment. Where the model gives
    nothing usable the session, or the window of a long one, is one segment.

    Args:
        llm: the model.
        max_turns: a longer session is shown in windows of nearly equal length, at whose ends segments end too.
        prompt: a bundled prompt's name or the path of an ``.md`` file.
    """

    def __init__(self, llm: LLM | None, max_turns: int = 60, prompt: str = "segment") -> None:
        self.max_turns = check_window("LLMSegmenter", max_turns)
        self.step = Step(llm, "segment", prompt, SCHEMA, "each of these stretches is one segment")

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the segments of all sessions in order."""
        pieces = [(s, window) for s in conversation.sessions for window in windows(s.turns, self.max_turns)]
        asked = [window for _, window in pieces if len(window) > 1]
        answers = iter(self.step.ask([shown(window) for window in asked], lambda i, r: _starts(r, len(asked[i]))))
        cuts: dict[str, list[tuple[Turn, ...]]] = {}
        for session, window in pieces:
            starts = next(answers) if len(window) > 1 else None
            cuts.setdefault(session.id, []).extend(_cut(window, starts or []))
        return tuple(segment for session in conversation.sessions for segment in _named(session, cuts))


def _starts(reply: Reply, count: int) -> list[int]:
    places, rejected = read_indices(reply.parsed["starts"], count)
    if rejected and not places:
        raise Unusable(f"none of {reply.parsed['starts']!r:.80} is the number of one of {count} messages")
    return places


def _cut(turns: tuple[Turn, ...], starts: Sequence[int]) -> list[tuple[Turn, ...]]:
    bounds = [0, *(start for start in starts if start > 0), len(turns)]
    return [turns[a:b] for a, b in pairwise(bounds)]


def _named(session: Session, cuts: dict[str, list[tuple[Turn, ...]]]) -> list[Segment]:
    return [Segment(f"{session.id}#{number}", turns) for number, turns in enumerate(cuts.get(session.id, []))]
