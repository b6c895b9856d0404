"""In which values of their configurations runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorai.report.jsonable import dumps
from memorai.report.manifest import sanitise

#: two runs differ in these whatever they compute
_TRIVIAL = ("progress", "resume")


def differing(configs: Sequence[Mapping[str, Any] | None]) -> list[tuple[str, list[str | None]]]:
    """Return the keys whose values are not the same in all configurations.

    Args:
        configs: one a run, nested as Hydra has them; None where a run recorded none, which is compared with nothing.

    Returns:
        (dotted key, one text a run: the value as JSON, or None where the run has no such key), in the order of the
        keys. Paths are cut and secrets masked as in a manifest, also where a file holds them in full.

    Example:
        >>> differing([{"seed": 0, "a": {"b": [1]}}, {"seed": 0, "a": {"b": [2], "c": None}}])
        [('a.b', ['[1]', '[2]']), ('a.c', [None, 'null'])]
    """
    flat = [None if config is None else _flat(sanitise(config)) for config in configs]
    known = [values for values in flat if values is not None]
    keys = sorted({key for values in known for key in values})
    found = []
    for key in keys:
        if key not in _TRIVIAL and len({values.get(key) for values in known}) > 1:
            found.append((key, [None if values is None else values.get(key) for values in flat]))
    return found


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Dotted keys; an empty mapping and a list are values."""
    flat: dict[str, str] = {}
    for name, item in value.items():
        key = f"{prefix}{name}"
        if isinstance(item, Mapping) and item:
            flat |= _flat(item, f"{key}.")
        else:
            flat[key] = dumps(item)
    return flat
