from __future__ import annotations

from memorai.systems.index_cache import IndexCache
from tests.toys import CONVERSATION


def test_builds_once_and_forgets_the_least_recently_used():
    built = []
    cache = IndexCache(size=2)

    def get(key: str) -> str:
        return cache.get(key, CONVERSATION, lambda: built.append(key) or key)

    assert [get("a"), get("b"), get("a"), get("c"), get("a"), get("b")] == ["a", "b", "a", "c", "a", "b"]
    assert built == ["a", "b", "c", "b"]
