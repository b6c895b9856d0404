"""Plain, reproducible JSON: finite numbers, rounded floats, no objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

DIGITS = 6


def jsonable(value: Any) -> Any:
    """Reduce a value to what JSON knows.

    Floats are rounded to 6 decimals, floats that are not finite become None, numpy scalars and arrays become Python
    numbers and lists, paths and other objects become text.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((jsonable(item) for item in value), key=repr)
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [jsonable(item) for item in value]
    if hasattr(value, "tolist"):  # numpy, torch
        return jsonable(value.tolist())
    return str(value)


def dumps(value: Any, indent: int | None = None) -> str:
    """Write a value as JSON text with sorted keys; the same value always gives the same text."""
    return json.dumps(jsonable(value), sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent)
