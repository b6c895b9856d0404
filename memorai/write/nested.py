"""Phrases inside longer ones: "adoption agency interview" mentions "adoption agency" if that stands alone elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memorai.write.chunks import Span

_LEAST = 2  # words of a nested phrase


class NestedPhrases:
    """Keeps which phrases stand alone, and which turns hold longer ones around them."""

    def __init__(self) -> None:
        self._alone: dict[str, dict[int, str]] = {}  # key -> turn -> form there, the last one
        self._around: dict[str, dict[int, None]] = {}  # key -> turns with a longer phrase around it

    def replace(self, turn: int, before: Sequence[Span], after: Sequence[Span]) -> dict[str, str | None]:
        """Set the spans of a turn; return the keys whose form may have changed, with the form that they had."""
        had: dict[str, str | None] = {}
        for span in (*before, *after):
            if not span.proper and " " in span.key:
                had.setdefault(span.key, self.form(span.key))
        for span in before:
            if span.key in had:
                self._alone.get(span.key, {}).pop(turn, None)
        for span in after:
            if not span.proper and " " in span.key:
                self._alone.setdefault(span.key, {})[turn] = span.name
                for key in _inside(span):
                    self._around.setdefault(key, {})[turn] = None
        return had

    def form(self, key: str) -> str | None:
        """Return the phrase as it was last written where it stands alone, None if it never does."""
        turns = self._alone.get(key)
        return turns[max(turns)] if turns else None

    def around(self, had: dict[str, str | None]) -> Iterator[int]:
        """Yield the turns with a longer phrase around a key whose form is no more what it was."""
        for key, form in had.items():
            if form != self.form(key):
                yield from self._around.get(key, ())

    def expand(self, spans: Sequence[Span]) -> list[Span]:
        """Add to each phrase the longest phrase inside it that is an entity elsewhere."""
        out: list[Span] = []
        for span in spans:
            out.append(span)
            for key in _inside(span):
                form = self.form(key)
                if form is not None:
                    out.append(replace(span, key=key, name=form))
                    break
        return out


def _inside(span: Span) -> Iterator[str]:
    """Keys inside a phrase, the longest first, of equal ones the last first: heads stand at the end."""
    if span.proper or span.key.count(" ") < _LEAST:
        return
    words = span.key.split(" ")
    for size in range(len(words) - 1, _LEAST - 1, -1):
        for start in range(len(words) - size, -1, -1):
            yield " ".join(words[start : start + size])
