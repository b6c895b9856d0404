"""Topic shifts as segment borders: TextTiling (Hearst 1997) with sentence embeddings instead of word counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memorai.errors import InputError
from memorai.models.embedders import Embedder
from memorai.types import Conversation, Session, Turn
from memorai.write.extraction import Segment
from memorai.write.segment import split_at


class ShiftSegmenter:
    """Cuts a session where the turns after a gap are least like the turns before it.

    The similarity of a gap is the cosine between the mean vectors of the ``window`` turns on either side. A gap's depth
    is how far it lies below the peaks to its left and right. A gap is a border if its depth exceeds the session's
    mean by ``deviations`` standard deviations; deeper ones go first, and none leaves a segment of fewer than
    ``min_turns`` turns. All of it is counted within the session, so a later session changes no earlier segment.

    Args:
        window: turns on either side of a gap, >= 1.
        deviations: of the cut-off above the mean depth; Hearst's is -0.5.
        min_turns: of a segment, >= 1.
        embedder: for the turns; None = the system hands over its own by `prepare`.
        text_format: what the embedder sees of a turn; None = likewise.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(
        self,
        window: int = 3,
        deviations: float = -0.5,
        min_turns: int = 3,
        embedder: Embedder | None = None,
        text_format: Callable[[Turn], str] | None = None,
    ) -> None:
        if window < 1 or min_turns < 1:
            raise InputError(
                f"ShiftSegmenter: window={window} and min_turns={min_turns} must be >= 1; set them so in "
                "conf/segmenter/shift.yaml"
            )
        self.window, self.deviations, self.min_turns = window, deviations, min_turns
        self.embedder, self.text_format = embedder, text_format

    def prepare(self, embedder: Embedder, text_format: Callable[[Turn], str]) -> None:
        """Take the run's embedder and text format where none of its own is set."""
        self.embedder = self.embedder or embedder
        self.text_format = self.text_format or text_format

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the segments of all sessions in order.

        Raises:
            InputError: no embedder was given.
        """
        if self.embedder is None or self.text_format is None:
            raise InputError("ShiftSegmenter: has no embedder; give one, or let MemorySystem hand over its own")
        if not conversation.turns:
            return ()
        # the whole conversation in one call: batches fill, and the vectors are cached for the index
        vectors = self.embedder.embed([self.text_format(turn) for turn in conversation.turns])
        out: list[Segment] = []
        start = 0
        for session in conversation.sessions:
            end = start + len(session.turns)
            out += self._cut(session, vectors[start:end])
            start = end
        return tuple(out)

    def _cut(self, session: Session, vectors: np.ndarray) -> list[Segment]:
        depth = depth_scores(gap_similarities(vectors, self.window))
        borders: list[int] = []
        if len(depth):
            cutoff = depth.mean() + self.deviations * depth.std()
            for gap in np.argsort(-depth, kind="stable"):
                place = int(gap) + 1
                ends = [0, *borders, len(session.turns)]
                if depth[gap] > max(cutoff, 0.0) and all(abs(place - end) >= self.min_turns for end in ends):
                    borders.append(place)
        return list(split_at(session, sorted(borders)))


def gap_similarities(vectors: np.ndarray, window: int) -> np.ndarray:
    """Cosine across each gap: [n - 1], gap i lies between rows i and i + 1 of unit vectors [n, d]."""
    if len(vectors) < 2:
        return np.zeros(0)
    total = np.vstack([np.zeros(vectors.shape[1]), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gaps = np.arange(1, len(vectors))
    left = total[gaps] - total[np.maximum(gaps - window, 0)]
    right = total[np.minimum(gaps + window, len(vectors))] - total[gaps]
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.divide((left * right).sum(axis=1), norms, out=np.zeros(len(gaps)), where=norms > 0)


def depth_scores(similarities: np.ndarray) -> np.ndarray:
    """Depth of each gap [n]: climb to the peak on either side and add both heights above the gap."""
    depth = np.zeros(len(similarities))
    for i, value in enumerate(similarities):
        left = right = i
        while left > 0 and similarities[left - 1] >= similarities[left]:
            left -= 1
        while right + 1 < len(similarities) and similarities[right + 1] >= similarities[right]:
            right += 1
        depth[i] = similarities[left] + similarities[right] - 2 * value
    return depth
