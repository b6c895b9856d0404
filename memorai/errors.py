"""The one exception that a user is meant to read."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input. The message is one line and names the file, the record and the remedy.

    Entry points print it as ``error: ...`` without a traceback and exit with status 2.
    """
