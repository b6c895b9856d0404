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
    kept = {}
    for entry in ablation:
        if (
            not isinstance(entry, Mapping)
            or set(entry) != {"name", "without"}
            or not isinstance(entry["without"], list)
        ):
            raise InputError(f"learning.ablation: {entry!r} is not {{name: no walk, without: [walk/*]}}")
        title, patterns = str(entry["name"]), entry["without"]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise InputError(f"learning.ablation.{title}: no feature is called {pattern}; there are {_some(names)}")
        gone = {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}
        kept[title] = tuple(name for name in names if name not in gone or name == CANDIDATES)
    return kept


def _some(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(f"{name.split('/')[0]}/*" for name in names))
