"""``python -m memorai.report RUN... --out FOLDER``: one table from several runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from memorai.errors import InputError
from memorai.report.merge import merge, read_runs
from memorai.report.plots import plot_if_swept
from memorai.report.published import DEFAULT_MODELS
from memorai.report.results import FILE_NAME
from memorai.report.tables import print_tables, write_tables


def main(argv: Sequence[str] | None = None) -> int:
    """Merge runs, print the tables and write table.md, table.tex, table.csv, and a plot if one parameter was swept.

    Returns:
        The exit status: 0, or 2 after a line ``error: ...`` on standard error.
    """
    parser = argparse.ArgumentParser(prog="python -m memorai.report", description="Merge the results of several runs.")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a run's folder, its results.json, or a multirun folder")
    parser.add_argument("--out", type=Path, default=Path(), help="where to write (default: the current folder)")
    parser.add_argument(
        "--published",
        nargs="*",
        default=list(DEFAULT_MODELS),
        metavar="MODEL",
        help="published models to show beside locomo_lmeb, by name, or best; nothing after it for none",
    )
    arguments = parser.parse_args(argv)
    try:
        merged = merge(read_runs(_finished(arguments.runs)))
        paths = [*write_tables(arguments.out, merged, arguments.published), *plot_if_swept(merged.rows, arguments.out)]
        print_tables(merged, arguments.published)
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    Console(soft_wrap=True, highlight=False).print("wrote " + ", ".join(map(str, paths)), markup=False)
    return 0


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
