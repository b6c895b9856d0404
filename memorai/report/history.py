"""A file of every recorded score, a JSON object a line, from which a trend can be drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from memorai.errors import InputError
from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report.jsonable import dumps
from memorai.report.plots import COLOURS, MARKERS
from memorai.report.results import Results

#: what is kept of a run: enough for a trend, little enough for a repository
KEPT = (("ndcg", "turn", 10), ("recall", "turn", 10), ("recall", "session", 3), ("mrr", "turn", 10))
_NAME = ("dataset", "system", "variant", "metric", "unit", "k", "category")


def entries_of(results: Results) -> list[dict[str, Any]]:
    """Return the history entries of a run: when, at which revision, and the macro and weighted means of `KEPT`."""
    found = []
    runs = results.manifest.get("runs", [results.manifest])
    started = max((str(run.get("started") or "") for run in runs), default="")
    revision = next((run.get("git_sha") for run in runs if run.get("git_sha")), None)
    for row in results.rows:
        if (row.metric, row.unit, row.k) in KEPT and row.category in (MACRO, WEIGHTED):
            name = {key: getattr(row, key) for key in _NAME}
            found.append(
                {"started": started, "git_sha": revision, **name, "value": row.value, "lo": row.lo, "hi": row.hi}
            )
    return found


def append(path: Path, results: Results) -> int:
    """Add a run to the history, once: an entry that stands there already is not repeated.

    Returns:
        How many entries were added.

    Raises:
        InputError: the file holds a line that is no entry.
    """
    known = {dumps(entry) for entry in read(path)} if path.exists() else set()
    fresh = [text for entry in entries_of(results) if (text := dumps(entry)) not in known]
    if fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{text}\n" for text in fresh))
    return len(fresh)


def read(path: Path) -> list[dict[str, Any]]:
    """Return all entries in order.

    Raises:
        InputError: the file is missing or a line is no entry.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; write one with --history") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or not {*_NAME, "started", "value"} <= set(entry):
            raise InputError(f"{path}:{number}: not an entry of a history; delete the line")
        found.append(entry)
    return found


def trend(entries: Sequence[Mapping[str, Any]], dataset: str, folder: Path) -> list[Path]:
    """Draw weighted turn nDCG@10 of each system over the recorded runs: ``trend_<dataset>.png`` and ``.svg``."""
    shown = [
        e
        for e in entries
        if e["dataset"] == dataset
        and (e["metric"], e["unit"], e["k"], e["category"], e["variant"]) == ("ndcg", "turn", 10, WEIGHTED, "")
    ]
    if not shown:
        return []
    times = sorted({e["started"] for e in shown})
    place = {time: index for index, time in enumerate(times)}
    with matplotlib.rc_context({"svg.hashsalt": "memorai", "text.parse_math": False}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.add_subplot()
        for index, system in enumerate(dict.fromkeys(e["system"] for e in shown)):
            points = sorted((place[e["started"]], 100 * e["value"]) for e in shown if e["system"] == system)
            style = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "label": system}
            axes.plot(*zip(*points, strict=True), **style)
        axes.set_xticks(range(len(times)), [time[:10] for time in times], rotation=30, ha="right")
        axes.set(ylabel="turn nDCG@10 (weighted), x100", title=dataset)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right upper", fontsize="small")
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"trend_{dataset}.{kind}" for kind in ("png", "svg")]
        figure.savefig(paths[0], dpi=150, metadata={"Software": None})
        figure.savefig(paths[1], metadata={"Date": None})
    return paths
