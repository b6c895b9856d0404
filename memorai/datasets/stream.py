"""Reads a JSON array item by item: LongMemEval-M is one array of 2.7 GB."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from memorai.datasets.common import DuplicateKeyError, unique_keys, unreadable
from memorai.errors import InputError

_BLANKS = re.compile(r"[ \t\r\n]*")


def iter_json_array(path: Path, chunk: int = 1 << 20) -> Iterator[Any]:
    """Items of the JSON array in `path`; only the item at hand is in memory.

    Args:
        path: a UTF-8 file, with or without a byte order mark, that holds one array.
        chunk: characters to read at a time; doubled while an item does not fit, so the work stays linear.

    Raises:
        InputError: unreadable, not UTF-8, not JSON, a key twice in an object, not an array, or cut off; the message
            names the item.
    """
    done = 0
    try:
        with path.open(encoding="utf-8-sig") as stream:
            reader = _Reader(stream, chunk)
            if reader.peek() != "[":
                raise InputError(f"{path}: a JSON array is expected; give the file as it was published")
            reader.at += 1
            while reader.peek() != "]":
                if done:
                    if reader.peek() != ",":
                        raise InputError(f"{path}: no comma after item {done - 1}; fetch the file again")
                    reader.at += 1
                    reader.peek()
                yield reader.value()
                done += 1
            reader.at += 1
            if reader.peek():
                raise InputError(f"{path}: text after the end of the array; fetch the file again")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: item {done}: not JSON ({error.msg}); fetch the file again") from None
    except RecursionError:
        raise InputError(f"{path}: item {done}: nested too deep to read; fetch the file again") from None
    except DuplicateKeyError as error:
        raise InputError(f"{path}: item {done}: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


class _Reader:
    """A window on the text: `text[at:]` is what was read and not yet used."""

    def __init__(self, stream: TextIO, chunk: int) -> None:
        self.stream, self.chunk = stream, chunk
        self.text, self.at = "", 0
        self.decoder = json.JSONDecoder(object_pairs_hook=unique_keys)

    def peek(self) -> str:
        """The next character that is no blank, at which `at` then stands; empty at the end."""
        while True:
            blanks = _BLANKS.match(self.text, self.at)
            self.at = blanks.end() if blanks else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            self.text, self.at = self.stream.read(self.chunk), 0
            if not self.text:
                return ""

    def value(self) -> Any:
        """Decode the value that starts here, reading on while it is cut off."""
        size = self.chunk
        while True:
            try:
                item, end = self.decoder.raw_decode(self.text, self.at)
                # so near the end a number may be cut: 1 of 12, or of 1e+5
                more = self.stream.read(size) if len(self.text) - end <= 2 else ""
                if not more:
                    self.at = end
                    return item
            except json.JSONDecodeError as error:
                # more text can mend a string without end, or an error within an escape's length of the end
                cut = error.msg.startswith("Unterminated string") or len(self.text) - error.pos <= 16
                more = self.stream.read(size) if cut else ""
                if not more:
                    raise
            except DuplicateKeyError:
                raise
            except ValueError as error:  # an integer of more digits than Python converts
                raise json.JSONDecodeError(str(error), "", 0) from None
            self.text, self.at, size = self.text[self.at :] + more, 0, size * 2
