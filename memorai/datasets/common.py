"""Finding, hashing and reading the files behind a data set; every failure is one InputError line."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Sequence
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
        try:
            if candidate.is_file():
                return candidate
        except OSError as error:  # the folder may not be entered
            raise unreadable(candidate, error) from None
    raise InputError(f"{data_root() / folder / names[0]}: no such file; {remedy} (or set MEMORAI_DATA)")


def existing_file(path: str | Path, remedy: str) -> Path:
    """`path` as a Path, or an InputError that ends in `remedy`."""
    if not isinstance(path, str | Path) or not str(path).strip():
        raise InputError(f"path={path!r}: the path of a file is expected; {remedy}")
    found = Path(path)
    try:
        mode = found.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{found}: no such file; {remedy}") from None
    except (OSError, ValueError) as error:  # no right to look into the folder; too long; a null character
        raise InputError(f"{str(found)!r}: cannot be opened ({_reason(error)}); {remedy}") from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{found}: a folder, not a file; name the file in it, or {remedy}")
    if not stat.S_ISREG(mode):
        raise InputError(f"{found}: not a regular file; save the data in one, or {remedy}")
    return found


def read_file(path: Path) -> bytes:
    """The file's bytes, or an InputError that says why it cannot be read."""
    try:
        return path.read_bytes()
    except ValueError as error:  # a name with NUL
        raise InputError(f"{str(path)!r}: cannot be read ({error}); give another path") from None
    except OSError as error:
        raise unreadable(path, error) from None


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of the file's bytes, read in blocks."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> InputError:
    """What to raise where opening or reading `path` has failed."""
    return InputError(f"{path}: cannot be read ({_reason(error)}); give yourself the right to read it or copy it anew")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse an option that is none of `choices`, of whatever type it is."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={value!r}: choose one of {', '.join(choices)}")


def decode_utf8(data: bytes, label: str) -> str:
    """`data` as text, without a byte order mark. The error of any other encoding names the line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{label}:{line}: not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        ) from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Hook for the `object_pairs_hook` of json: of a key that stands twice, json alone would drop the first value."""
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DuplicateKeyError(f"key {key!r} stands twice in one object; keep one of them")
            seen.add(key)
    return record


class DuplicateKeyError(ValueError):
    """Raised by `unique_keys`, which does not know where it is; whoever parses adds the place."""


def parse_json(text: str, where: str) -> Any:
    """The JSON value of `text`; `where` opens the error message.

    Raises:
        InputError: not JSON, an object with a key twice, or beyond what Python reads.
    """
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except DuplicateKeyError as error:
        raise InputError(f"{where}: {error}") from None
    except json.JSONDecodeError as error:
        # "line 1" would contradict `where`, which already names the line of a JSON Lines file
        at = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
        raise InputError(
            f"{where}: not JSON ({error.msg} at {at}); correct it there or export the file again"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: nested too deep to read; flatten it") from None
    except ValueError:  # the one that is left: an integer of more digits than Python converts
        raise InputError(f"{where}: a number has too many digits to read; write it as text") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split())
