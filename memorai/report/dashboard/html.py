"""The dashboard as one HTML file; see `memorai.report.dashboard.data` for what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memorai.report.dashboard.data import Runs, dashboard, read
from memorai.report.dashboard.quotes import Quotes, read_quotes
from memorai.report.html import document, write_document

_SCRIPTS = ("sorting.js", "plots.js", "sections.js", "page.js")
_BODY = '<header id="about"></header>\n<form id="choices" class="controls"></form>\n<main id="sections"></main>'


def render(runs: Runs, quotes: Quotes | None = None) -> str:
    """Return the page.

    Raises:
        InputError: see `memorai.report.dashboard.data.dashboard`.
    """
    count = len(runs.results)
    title = f"memorai: {runs.results[0][0]}" if count == 1 else f"memorai: {count} runs"
    return document(title, "memorai.report.dashboard", _SCRIPTS, _BODY, dashboard(runs, quotes) | {"title": title})


def write_dashboard(path: Path, paths: Sequence[Path | str], *, quote: bool = False, data: Sequence[Path] = ()) -> Path:
    """Read runs and write their page.

    Args:
        path: the file.
        paths: run folders, results files or multirun folders.
        quote: show the text of the questions missed, which the data's licence may not let you pass on.
        data: JSONL files of one's own that were measured, for `quote`.

    Raises:
        InputError: a run cannot be read, the runs cannot stand in one table, or the data to quote is not there.
        OSError: the file cannot be written.
    """
    runs = read(paths)
    quotes = None
    if quote:
        sets = [results.manifest.get("data") or {} for name, results in runs.results if runs.missed.get(name)]
        quotes = read_quotes([(str(d.get("name")), str(d.get("sha256"))) for d in sets], data)
    return write_document(path, render(runs, quotes))
