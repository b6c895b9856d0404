"""Long lists of keys, in parts that one statement takes: databases bind a limited number of variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
_SIZE = 400


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in order, at most 400 at once.

    Example:
        >>> [len(chunk) for chunk in chunks(range(1000))]
        [400, 400, 200]
    """
    return (values[start : start + _SIZE] for start in range(0, len(values), _SIZE))
