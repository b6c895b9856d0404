"""Keeps indexes in memory, so that the jobs of a sweep that change only the read path build and embed nothing twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

from memorai.types import Conversation

T = TypeVar("T")


class IndexCache:
    """The most recently used indexes, by the write path's configuration and the conversation's content.

    Args:
        size: how many to keep; the least recently used goes first.
    """

    def __init__(self, size: int = 64) -> None:
        self.size = size
        self._kept: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, key: str, conversation: Conversation, build: Callable[[], T]) -> T:
        """Return the index of this conversation under this configuration key, building it if it is not kept.

        Sessions are compared by value: equal turns in equal sessions give one index, whichever object holds them.
        """
        place = (key, conversation.id, conversation.language, conversation.sessions)
        if place not in self._kept:
            self._kept[place] = build()
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)
        self._kept.move_to_end(place)
        return self._kept[place]  # type: ignore[return-value]
