"""``python -m memorai.report RUN... --out FOLDER``: one table from several runs; with a baseline: is it worse?

``--html`` writes one page instead, see `memorai.report.dashboard`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from memorai.errors import InputError
from memorai.report.charts import HEADLINE, category_bars, heat_maps, system_bars
from memorai.report.dashboard.html import write_dashboard
from memorai.report.history import append, read, trend
from memorai.report.merge import merge, read_runs
from memorai.report.plots import plot_if_swept
from memorai.report.published import DEFAULT_MODELS
from memorai.report.regression import falls
from memorai.report.results import FILE_NAME, Results
from memorai.report.tables import print_tables, write_tables

#: the page's file where nobody names another
PAGE = "dashboard.html"


def main(argv: Sequence[str] | None = None) -> int:
    """Merge runs, print the tables and write table.md, table.tex, table.csv, and plots of what was swept; or a page.

    Returns:
        The exit status: 0; 1 if a value lies below its interval in the baseline; 2 after a line ``error: ...`` on
        standard error.
    """
    parser = argparse.ArgumentParser(prog="python -m memorai.report", description="Merge the results of several runs.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="a run's folder, its results.json, or a multirun folder")
    parser.add_argument("--out", type=Path, default=Path(), help="where to write (default: the current folder)")
    parser.add_argument(
        "--published",
        nargs="*",
        default=list(DEFAULT_MODELS),
        metavar="MODEL",
        help="published models to show beside locomo_lmeb, by name, or best; nothing after it for none",
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="RESULTS",
        help="a recorded results.json: exit 1 if the runs fall below its intervals",
    )
    parser.add_argument("--history", type=Path, metavar="FILE", help="add the runs to this history and draw its trend")
    parser.add_argument(
        "--html",
        nargs="?",
        const="",
        metavar="FILE",
        help=f"write this page, by default {PAGE} in --out, and no tables; what does not end in .html is a RUN",
    )
    parser.add_argument(
        "--quote", action="store_true", help="print the questions missed in the page, not only their ids"
    )
    parser.add_argument(
        "--data", type=Path, action="append", default=[], metavar="FILE", help="your JSONL data, for --quote"
    )
    arguments = parser.parse_args(argv)
    # an optional FILE before RUN... would take the first of them
    page = arguments.html
    if page and not page.lower().endswith((".html", ".htm")):
        arguments.runs.insert(0, page)
        page = ""
    if not arguments.runs:
        parser.error("name a run: its folder, its results.json, or a multirun folder")
    try:
        if page is not None:
            return _page(Path(page) if page else arguments.out / PAGE, arguments)
        if arguments.quote or arguments.data:
            raise InputError("--quote and --data go with --html")
        merged = merge(read_runs(_finished(arguments.runs)))
        if arguments.baseline is not None:
            return _compared(arguments.baseline, merged)
        paths = [
            *write_tables(arguments.out, merged, arguments.published),
            *plot_if_swept(merged.rows, arguments.out),
            *heat_maps(merged.rows, HEADLINE, arguments.out),
            *system_bars(merged.rows, HEADLINE, arguments.out),
            *category_bars(merged.rows, HEADLINE, arguments.out),
        ]
        if arguments.history is not None:
            append(arguments.history, merged)
            for dataset in dict.fromkeys(row.dataset for row in merged.rows):
                paths += trend(read(arguments.history), dataset, arguments.history.parent)
        print_tables(merged, arguments.published)
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    Console(soft_wrap=True, highlight=False).print("wrote " + ", ".join(map(str, paths)), markup=False)
    return 0


def _page(path: Path, arguments: argparse.Namespace) -> int:
    if arguments.baseline is not None or arguments.history is not None:
        raise InputError("--html goes with neither --baseline nor --history; run them apart")
    if arguments.data and not arguments.quote:
        raise InputError("--data goes with --quote")
    written = write_dashboard(path, _finished(arguments.runs), quote=arguments.quote, data=arguments.data)
    Console(soft_wrap=True, highlight=False).print(f"wrote {written}", markup=False)
    return 0


def _compared(baseline: Path, run: Results) -> int:
    found = falls(Results.read(baseline), run)
    for fall in found:
        print(f"worse: {fall}", file=sys.stderr)
    Console(soft_wrap=True, highlight=False).print(
        f"{len(found)} values below their interval in {baseline}"
        if found
        else f"nothing below its interval in {baseline}",
        markup=False,
    )
    return 1 if found else 0


def _finished(runs: Sequence[str]) -> list[str]:
    """Leave out folders in which no run finished, as ``outputs/eval/*`` has them, unless nothing else is named."""
    kept = []
    for run in runs:
        if Path(run).is_dir() and not any(Path(run).rglob(FILE_NAME)):
            print(f"left out: {run}: no run finished there", file=sys.stderr)
        else:
            kept.append(run)
    return kept or list(runs)


if __name__ == "__main__":
    sys.exit(main())
