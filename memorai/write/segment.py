"""Segmenters: where one snippet ends and the next begins."""

from __future__ import annotations

from memorai.types import Conversation
from memorai.write.extraction import Segment


class SessionSegmenter:
    """One segment a session: the coarsest segmentation that every data set provides.

    A segment's id is its session's id and its summary is empty. A session without turns gives no segment,
    because a segment lists the turns it comes from.
    """

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return one segment per non-empty session, in the conversation's order."""
        return tuple(Segment(session.id, session.turns) for session in conversation.sessions if session.turns)
