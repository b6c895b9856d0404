"""Index files beside the store: arrays that a process maps into memory instead of reading every row.

They are derived and may be deleted at any time. A file names the state from which it was made, and is taken only where
the store's generation is still the same, so that what was deleted since is known; rows that were written since are read
from the store. It is written under another name and renamed: there is no moment at which half a file could be read.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from memorai.graph.store.database import Database
from memorai.graph.store.errors import StoreError
from memorai.graph.store.users import last_deletion, state
from memorai.recall.live import LiveIndex

_log = logging.getLogger(__name__)
FORMAT = "1"
#: fewer turns are read from the store at once
AT_LEAST = 2_000
_DTYPES = {
    "F32": np.float32,
    "F64": np.float64,
    "I64": np.int64,
    "I32": np.int32,
    "U64": np.uint64,
    "I8": np.int8,
    "U8": np.uint8,
    "BOOL": np.bool_,
}


class Snapshots:
    """The index files of a folder.

    Args:
        folder: of the store.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._saved = 0

    def path(self, user: int) -> Path:
        """Where the index of a user lies."""
        return self.folder / f"index-{user}.safetensors"

    def load(self, index: LiveIndex, connection: sa.Connection, user: int) -> bool:
        """Fill an empty index from the file, if there is one that still fits; return whether it did."""
        now = state(connection, user)
        try:
            arrays, about = read_mapped(self.path(user))
            fits = (
                about["format"] == FORMAT
                and about["user"] == str(user)
                and about["dim"] == str(index.dense.dim)
                and about["generation"] == str(now.generation)
                and int(about["revision"]) <= now.revision
            )
            if fits:
                index.restore(arrays, about, user)
        except FileNotFoundError:
            return False
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            _log.warning("%s: not used (%s)", self.path(user).name, error)
            index.clear()
            return False
        self._saved = len(index)
        return fits

    def save(self, index: LiveIndex, database: Database) -> None:
        """Write the index if it has grown by a tenth since it was loaded; failing costs nothing but time.

        An index that holds what others have forgotten meanwhile is not kept: a forgetting that is committed before
        the file appears is seen under the writers' lock, and one that is committed later deletes the file.
        """
        rows = len(index)
        if index.user is None or rows < AT_LEAST or rows < 1.1 * self._saved:
            return
        target = self.path(index.user)
        draft = target.with_name(f"{target.name}.{os.getpid()}.draft")
        try:
            arrays, about = index.dump()
            save_file(
                {name: np.ascontiguousarray(array) for name, array in arrays.items()},
                draft,
                metadata={**about, "format": FORMAT},
            )
            with database.write() as connection:
                same = state(connection, index.user).generation == index.state.generation
                if same and last_deletion(connection, index.user) <= index.state.revision:
                    draft.replace(target)
                    self._saved = rows
        except (OSError, StoreError) as error:
            _log.warning("%s: not written (%s)", target.name, error)
        finally:
            draft.unlink(missing_ok=True)

    def remove(self, user: int | None = None) -> None:
        """Delete the index of a user, or all, drafts that a killed process has left among them."""
        for path in sorted(self.folder.glob("index-*" if user is None else f"index-{user}.safetensors*")):
            path.unlink(missing_ok=True)


def read_mapped(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the arrays of a safetensors file, mapped and private (writing to them changes no file), and its metadata.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no such file, or cut off.
    """
    with path.open("rb") as stream:
        try:
            with safe_open(path, framework="numpy"):  # checks offsets, sizes and the file's length
                pass
        except SafetensorError as error:
            raise ValueError(str(error)) from None
        size = int.from_bytes(stream.read(8), "little")
        header: dict[str, Any] = json.loads(stream.read(size).decode("utf-8"))
        about: dict[str, str] = header.pop("__metadata__", {})
        arrays: dict[str, np.ndarray] = {}
        for name, entry in header.items():
            dtype, shape = _DTYPES[entry["dtype"]], tuple(entry["shape"])
            if 0 in shape:  # nothing can be mapped
                arrays[name] = np.empty(shape, dtype)
            else:
                offset = 8 + size + entry["data_offsets"][0]
                arrays[name] = np.memmap(stream, dtype, mode="c", offset=offset, shape=shape)
    return arrays, about
