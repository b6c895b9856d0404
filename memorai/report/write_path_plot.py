"""What gates keep and lose against what is found: one picture of a write-path grid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memorai.metrics.statistics import WEIGHTED
from memorai.report.plots import COLOURS, MARKERS, parse_variant
from memorai.report.results import Row

_X = (("keep_rate", "turns kept, %"), ("evidence_fnr", "evidence lost, %"))


def write_path_plot(rows: Sequence[Row], folder: Path | str) -> list[Path]:
    """Plot weighted turn recall of every cell against the turns it keeps and the evidence it loses.

    Colours are gates, markers are systems with their segmenters and extractors, bars are 95 % intervals. The same rows
    always give the same bytes.

    Args:
        rows: as `memorai.report.write_path.write_path_rows` makes them.
        folder: gets ``write_path.png`` and ``.svg``.

    Returns:
        The files written.
    """
    shown = [row for row in rows if (row.category, row.seed) == (WEIGHTED, None)]
    by = {(row.system, row.variant, row.metric): row for row in shown}
    found = [row for row in shown if row.metric == "recall"]
    gates = list(dict.fromkeys(parse_variant(row.variant)["gate"] for row in found))
    others = list(dict.fromkeys(map(_other, found)))
    with matplotlib.rc_context({"svg.hashsalt": "memorai", "text.parse_math": False}):
        figure = Figure(figsize=(10, 5.5), layout="constrained")
        panels = figure.subplots(1, len(_X), sharey=True)
        for axes, (metric, label) in zip(panels, _X, strict=True):
            for row in found:
                x = by[row.system, row.variant, metric].value
                gate = parse_variant(row.variant)["gate"]
                _point(axes, x, row, COLOURS[gates.index(gate) % len(COLOURS)], others.index(_other(row)))
            axes.set(xlabel=label)
            axes.grid(alpha=0.3)
        k = found[0].k if found else ""
        panels[0].set(ylabel=f"turn R@{k} (weighted), x100")
        keys = [_key(COLOURS[i % len(COLOURS)], "s", gate) for i, gate in enumerate(gates)]
        keys += [_key("#666666", MARKERS[i % len(MARKERS)], name) for i, name in enumerate(others)]
        figure.legend(handles=keys, loc="outside lower center", ncols=3, fontsize="small")
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        png, svg = target / "write_path.png", target / "write_path.svg"
        figure.savefig(png, dpi=150, metadata={"Software": None})
        figure.savefig(svg, metadata={"Date": None})
    return [png, svg]


def _key(colour: str, marker: str, label: str) -> Line2D:
    return Line2D([], [], color=colour, marker=marker, linestyle="none", label=label)


def _other(row: Row) -> str:
    named = parse_variant(row.variant)
    return f"{row.system}, {named['segmenter']}, {named['extractor']}"


def _point(axes: Axes, x: float, row: Row, colour: str, other: int) -> None:
    bars = None
    if row.lo is not None and row.hi is not None:
        bars = [[100 * (row.value - row.lo)], [100 * (row.hi - row.value)]]
    marker = MARKERS[other % len(MARKERS)]
    axes.errorbar([100 * x], [100 * row.value], yerr=bars, marker=marker, color=colour, alpha=0.8, linewidth=1)
