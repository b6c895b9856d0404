"""Finding, hashing and reading the files behind a data set; every failure is one InputError line."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memorai.errors import InputError


def data_root() -> Path:
    """Folder that holds the benchmark files: ``$MEMORAI_DATA``, by default ``data``."""
    return Path(os.environ.get("MEMORAI_DATA") or "data")


def find_data(path: str | Path | None, folder: str, names: Sequence[str], download: str) -> Path:
    """The file to read.

    Args:
        path: what the user gave; None = the first of `names` that exists under ``$MEMORAI_DATA/folder``.
        folder: the benchmark's folder under `data_root`.
        names: accepted file names, preferred first.
        download: the argument of ``scripts/download_data.py`` that fetches the file.

    Raises:
        InputError: there is no such file; the message says how to get it.
    """
    remedy = f"run: python scripts/download_data.py {download}"
    if path is not None:
        return existing_file(path, remedy)
    for name in names:
        candidate = data_root() / folder / name
        if candidate.is_file():
            return candidate
    raise InputError(f"{data_root() / folder / names[0]}: no such file; {remedy} (or set MEMORAI_DATA)")


def existing_file(path: str | Path, remedy: str) -> Path:
    """`path` as a Path, or an InputError that ends in `remedy`."""
    found = Path(path)
    if not found.is_file():
        raise InputError(f"{found}: no such file; {remedy}")
    return found


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of the file's bytes, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def decode_utf8(data: bytes, label: str) -> str:
    """`data` as text, without a byte order mark. The error of any other encoding names the line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{label}:{line}: not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        ) from None


def parse_json(text: str, where: str) -> Any:
    """The JSON value of `text`; `where` opens the error message."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        # "line 1" would contradict `where`, which already names the line of a JSON Lines file
        at = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
        raise InputError(f"{where}: not JSON ({error.msg} at {at})") from None
    except (ValueError, RecursionError) as error:  # a 5,000-digit number; brackets nested beyond the stack
        raise InputError(f"{where}: JSON that cannot be read ({' '.join(str(error).split())})") from None
