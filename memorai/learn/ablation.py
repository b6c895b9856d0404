"""What a scorer is worth without a part of its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from memorai.errors import InputError
from memorai.learn.features import CANDIDATES


def dropped(names: Sequence[str], ablation: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return, for each ablation, the features that are left.

    The feature that chooses candidates stays, so that all train on the same ones.

    Args:
        names: all features.
        ablation: name -> patterns of the features to leave out, such as ``walk/*``.

    Raises:
        InputError: a pattern that matches nothing.

    Example:
        >>> dropped(["walk/all", "walk/next", "turn/length"], {"no walk": ["walk/*"]})
        {'no walk': ('walk/all', 'turn/length')}
    """
    kept = {}
    for title, patterns in ablation.items():
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise InputError(f"learning.ablation.{title}: no feature is called {pattern}; there are {_some(names)}")
        gone = {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}
        kept[title] = tuple(name for name in names if name not in gone or name == CANDIDATES)
    return kept


def _some(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(f"{name.split('/')[0]}/*" for name in names))
