"""What makes two models the same model: names a cache key can be made of without loading anything."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from memorai.errors import InputError

_MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "*.bin")


def folder_digest(folder: Path) -> str:
    """Return the sha256 over names and contents of a model folder's configuration, vocabulary and weights.

    Raises:
        InputError: the folder holds no config.json.
    """
    if not (folder / "config.json").is_file():
        raise InputError(f"model folder {folder}: no config.json; name a folder as save_pretrained writes it")
    paths = sorted({path for pattern in _MODEL_FILES for path in folder.glob(pattern) if path.is_file()})
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name}:{file_digest(path)}\n".encode())
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """Return the sha256 of a file; within a process an unchanged file is read once."""
    status = path.stat()
    return _file_digest(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _file_digest(path: Path, size: int, mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
