"""What a scorer is worth without a part of its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from memorai.errors import InputError
from memorai.learn.features import CANDIDATES


def dropped(names: Sequence[str], ablation: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return, for each ablation, the features that are left.

    The feature that chooses candidates stays, so that all train on the same ones.

    Args:
        names: all features.
        ablation: ``{"name": ..., "without": [patterns]}`` each, such as ``walk/*``.

    Raises:
        InputError: an entry of another form, or a pattern that matches nothing.

    Example:
        >>> dropped(["walk/all", "walk/next", "turn/length"], [{"name": "no walk", "without": ["walk/*"]}])
        {'no walk': ('walk/all', 'turn/length')}
    """
    kept: dict[str, tuple[str, ...]] = {}
    for entry in ablation:
        if not isinstance(entry, Mapping) or set(entry) != {"name", "without"}:
            raise InputError(f"learning.ablation: {entry!r} is not {{name: no walk, without: [walk/*]}}")
        title = str(entry["name"])
        kept[title] = without(names, entry["without"], f"learning.ablation.{title}")
    return kept


def without(names: Sequence[str], patterns: object, where: str = "learning.without") -> tuple[str, ...]:
    """Return the features that match none of the patterns, and the one that chooses candidates.

    Args:
        names: all features.
        patterns: such as ``walk/*``.
        where: of the patterns in the configuration.

    Raises:
        InputError: no list of patterns, or a pattern that matches nothing.
    """
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise InputError(f"{where}={patterns!r} is not a list such as [walk/*]")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"{where}: no feature is called {pattern}; there are {_some(names)}")
    gone = {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}
    return tuple(name for name in names if name not in gone or name == CANDIDATES)


def _some(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(f"{name.split('/')[0]}/*" for name in names))
