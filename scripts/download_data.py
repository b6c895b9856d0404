#!/usr/bin/env python3
"""Fetch benchmark files into $MEMORAI_DATA (default: data) and check them.

    python scripts/download_data.py locomo
    python scripts/download_data.py longmemeval_oracle longmemeval_s

Their licences differ from memorai's: LoCoMo is CC BY-NC 4.0, LongMemEval MIT. Needs the standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import os
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where a file comes from, where it goes, and its SHA-256 where that is known."""

    url: str
    target: str
    sha256: str | None
    licence: str


LOCOMO = "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data"
LONGMEMEVAL = (
    "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f"
)
SOURCES = {
    "locomo": Source(
        f"{LOCOMO}/locomo10.json",
        "locomo/locomo10.json",
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
        "CC BY-NC 4.0",
    ),
    "longmemeval_oracle": Source(
        f"{LONGMEMEVAL}/longmemeval_oracle.json",
        "longmemeval/longmemeval_oracle.json",
        "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
        "MIT",
    ),
    "longmemeval_s": Source(
        f"{LONGMEMEVAL}/longmemeval_s_cleaned.json",
        "longmemeval/longmemeval_s_cleaned.json",
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
        "MIT",
    ),
    "longmemeval_m": Source(
        f"{LONGMEMEVAL}/longmemeval_m_cleaned.json", "longmemeval/longmemeval_m_cleaned.json", None, "MIT"
    ),
}


class DownloadError(Exception):
    """Nothing was written; the message is one line."""


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fetch(source: Source, root: Path, force: bool = False, timeout: float = 60.0) -> str:
    """Bring `source` under `root` and return one line that says what was done.

    The file appears under its name only once it is whole and its sum is right; a file that is there stays as it is
    unless `force`.
    """
    target = root / source.target
    if target.exists() and not force:
        found = sha256_of(target)
        if source.sha256 is not None and found != source.sha256:
            raise DownloadError(f"{target} is there with sha256 {found}, not {source.sha256}; --force replaces it")
        return f"{target}: already there{_verdict(source, found)}"
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as sink:
            found = _copy(source.url, sink, timeout)
        if source.sha256 is not None and found != source.sha256:
            raise DownloadError(f"{source.url}: sha256 is {found}, not {source.sha256}; nothing was kept")
        partial.chmod(0o644)  # mkstemp makes it private
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return f"{target}: fetched, licence {source.licence}{_verdict(source, found)}"


def _verdict(source: Source, found: str) -> str:
    return ", sha256 verified" if source.sha256 else f", UNVERIFIED (no sum on record): sha256 {found}"


def _copy(url: str, sink, timeout: float) -> str:
    """Write the body of `url` to `sink` and return its SHA-256."""
    digest, size = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            expected = response.headers.get("Content-Length")
            while block := response.read(BLOCK):
                sink.write(block)
                digest.update(block)
                size += len(block)
    except (OSError, http.client.HTTPException) as error:  # URLError, timeouts and resets are OSErrors
        raise DownloadError(f"{url}: {' '.join(str(error).split())}") from None
    if expected is not None and size != int(expected):
        raise DownloadError(f"{url}: cut off after {size} of {expected} bytes; run again")
    return digest.hexdigest()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=sorted(SOURCES), metavar="NAME", help=", ".join(SOURCES))
    parser.add_argument("--root", type=Path, default=Path(os.environ.get("MEMORAI_DATA") or "data"))
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    args = parser.parse_args(argv)
    for name in args.names:
        try:
            print(fetch(SOURCES[name], args.root, args.force))
        except DownloadError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
