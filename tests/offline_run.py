"""What an offline run of Weights & Biases left on disk: its log, which is read here, and the files that it names."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wandb.proto import wandb_internal_pb2

_HEADER, _BLOCK, _CHUNK = 7, 32 * 1024, 7


class OfflineRun:
    """The only run below a folder's ``wandb/``: configuration, history and media.

    Args:
        folder: of our run.
    """

    def __init__(self, folder: Path) -> None:
        (self.folder,) = folder.glob("wandb/offline-run-*")
        (log,) = self.folder.glob("run-*.wandb")
        self.config: dict[str, Any] = {}
        self.history: list[dict[str, Any]] = []
        self.summary: dict[str, Any] = {}
        for kind, record in _finished(log):
            if kind == "run":
                self.config |= _items(record.run.config.update)
            elif kind == "config":
                self.config |= _items(record.config.update)
            elif kind == "history":
                self.history.append(_items(record.history.item))
            elif kind == "summary":
                self.summary |= _items(record.summary.update)

    def table(self, name: str) -> dict[str, Any]:
        """The table logged under a name, ``{"columns": [...], "data": [...]}``, from its file."""
        (entry,) = [line[name] for line in self.history if name in line]
        found: dict[str, Any] = json.loads((self.folder / "files" / entry["path"]).read_text(encoding="utf-8"))
        assert entry["nrows"] == len(found["data"])
        return found

    def image(self, name: str) -> bytes:
        """The picture logged under a name."""
        (entry,) = [line[name] for line in self.history if name in line]
        return (self.folder / "files" / entry["path"]).read_bytes()


def _finished(log: Path) -> list[tuple[str, Any]]:
    """The records of a log, with their kinds, up to its end.

    Another process writes it, and on a busy machine still does so for a moment after the run has finished here.
    """
    until = time.monotonic() + 60
    while True:
        records = []
        for data in _records(log.read_bytes()):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            records.append((str(record.WhichOneof("record_type")), record))
        if records and records[-1][0] == "exit":
            return records
        assert time.monotonic() < until, [kind for kind, _ in records]
        time.sleep(0.05)


def _items(items: Any) -> dict[str, Any]:
    """Values by key, those of a nested key as objects within one another."""
    found: dict[str, Any] = {}
    for item in items:
        *above, last = item.nested_key or [item.key]
        place = found
        for key in above:
            place = place.setdefault(key, {})
        place[last] = json.loads(item.value_json)
    return found


def _records(data: bytes) -> Iterator[bytes]:
    """Records of a log in LevelDB's format: blocks of 32 KiB; a chunk has a checksum, its length and its kind."""
    assert data[:4] == b":W&B"
    at, parts = _HEADER, b""
    while at + _CHUNK <= len(data):  # what is still being written is not read
        if _BLOCK - at % _BLOCK < _CHUNK:  # padding
            at += _BLOCK - at % _BLOCK
            continue
        length, kind = struct.unpack_from("<HB", data, at + 4)
        if at + _CHUNK + length > len(data):
            return
        parts += data[at + _CHUNK : at + _CHUNK + length]
        at += _CHUNK + length
        if kind in (1, 4):  # whole, or the last part
            yield parts
            parts = b""
