"""Segmenters: where one snippet ends and the next begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, get_args

from memorai.errors import InputError
from memorai.types import Conversation, Session, Turn
from memorai.write.extraction import Segment
from memorai.write.sentences import turn_sentences

Unit = Literal["sentence", "turn"]


class SessionSegmenter:
    """One segment a session: the coarsest segmentation that every data set provides.

    A segment's id is its session's id and its summary is empty. A session without turns gives no segment,
    because a segment lists the turns it comes from.
    """

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return one segment per non-empty session, in the conversation's order."""
        return tuple(Segment(session.id, session.turns) for session in conversation.sessions if session.turns)


class WholeSegmenter:
    """The whole conversation as one segment: no segmentation. Its id is the conversation's."""

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return one segment, none for a conversation without turns."""
        return (Segment(conversation.id, conversation.turns),) if conversation.turns else ()


class WindowSegmenter:
    """Windows that slide over a session's sentences or turns and overlap, so that no cut falls into a topic unseen.

    A segment holds whole turns: every turn that has a sentence in the window. A turn may thus stand in several
    segments. A window whose turns the window before holds as well (inside one long turn, or at the session's end) adds
    nothing and is left out. Windows end with their session, so a later session changes no earlier id; ids are
    ``{session}#w{0-based number}``.

    Args:
        size: sentences or turns of a window, >= 1.
        overlap: units that two neighbouring windows share, 0 <= overlap < size.
        unit: ``sentence`` or ``turn``; a turn without a sentence counts as one.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(self, size: int = 6, overlap: int = 2, unit: Unit = "sentence") -> None:
        if size < 1 or not 0 <= overlap < size or unit not in get_args(Unit):
            raise InputError(
                f"WindowSegmenter: size={size}, overlap={overlap} and unit={unit} must be >= 1, in [0, size) and one "
                f"of {', '.join(get_args(Unit))}; set them so in conf/segmenter/window.yaml"
            )
        self.size, self.overlap, self.unit = size, overlap, unit

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the windows of all sessions in order."""
        return tuple(segment for session in conversation.sessions for segment in self._windows(session))

    def _windows(self, session: Session) -> Iterator[Segment]:
        owners = [i for i, turn in enumerate(session.turns) for _ in range(self._units(turn))]
        number, last = 0, -1
        for start in range(0, len(owners), self.size - self.overlap):
            first, end = owners[start], owners[min(start + self.size, len(owners)) - 1]
            if end > last:
                yield Segment(f"{session.id}#w{number}", session.turns[first : end + 1])
                number, last = number + 1, end

    def _units(self, turn: Turn) -> int:
        return max(1, len(turn_sentences(turn))) if self.unit == "sentence" else 1


def split_at(session: Session, starts: Sequence[int]) -> Iterator[Segment]:
    """Cut a session's turns before each index of ``starts`` (increasing, > 0); ids are ``{session}#{number}``."""
    bounds = [0, *starts, len(session.turns)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        if start < end:
            yield Segment(f"{session.id}#{number}", session.turns[start:end])
