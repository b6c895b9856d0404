"""Charts of a run: systems and categories as bars, quality against latency, a grid as a heat map; PNG and SVG.

Colours are Okabe and Ito's, told apart with every common colour blindness, and never the only sign: hatches, markers or
labels say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report.plots import COLOURS, MARKERS, parse_variant, varying_parameters
from memorai.report.results import Row
from memorai.report.tables import CEILINGS, Measure

#: what is drawn where nobody asks for another measure
HEADLINE = Measure("ndcg", "turn", 10)
_HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")


def system_bars(rows: Sequence[Row], measure: Measure, folder: Path, category: str = WEIGHTED) -> list[Path]:
    """Draw one measure of every system and variant as bars with intervals, best on top: ``systems.png``, ``.svg``."""
    shown = sorted(_of(rows, measure, category), key=lambda row: (row.value, row.system, row.variant))
    if not shown:
        return []
    with _style():
        figure = Figure(figsize=(8, 0.8 + 0.3 * len(shown)), layout="constrained")
        axes = figure.add_subplot()
        colours = [COLOURS[6] if row.system in CEILINGS else COLOURS[0] for row in shown]
        axes.barh(range(len(shown)), [100 * row.value for row in shown], color=colours, alpha=0.85)
        axes.errorbar(
            [100 * row.value for row in shown],
            range(len(shown)),
            xerr=np.array([_reach(row) for row in shown]).T,
            fmt="none",
            ecolor="black",
            elinewidth=1,
            capsize=2,
        )
        axes.set_yticks(range(len(shown)), [_label(row) for row in shown])
        axes.set(xlabel=f"{measure} ({category}), x100", title=f"{shown[0].dataset}, 95 % intervals", xlim=(0, 105))
        axes.grid(axis="x", alpha=0.3)
        return _save(figure, folder, "systems")


def category_bars(rows: Sequence[Row], measure: Measure, folder: Path, most: int = 7) -> list[Path]:
    """Draw the best systems' measure by category as grouped bars: ``categories.png`` and ``.svg``."""
    total = {(row.system, row.variant): row.value for row in _of(rows, measure, WEIGHTED) if row.system not in CEILINGS}
    best = sorted(total, key=lambda key: (-total[key], key))[:most]
    kept = [row for row in rows if _is(row, measure) and (row.system, row.variant) in best]
    names = list(dict.fromkeys(row.category for row in kept if row.category not in (MACRO, WEIGHTED)))
    if not best or not names:
        return []
    with _style():
        figure = Figure(figsize=(max(6.0, 1.9 * len(names)), 4), layout="constrained")
        axes = figure.add_subplot()
        width = 0.8 / len(best)
        for index, key in enumerate(best):
            found = {row.category: row for row in kept if (row.system, row.variant) == key}
            own = [(place, found[name]) for place, name in enumerate(names) if name in found]
            axes.bar(
                [place + (index - (len(best) - 1) / 2) * width for place, _ in own],
                [100 * row.value for _, row in own],
                width,
                yerr=np.array([_reach(row) for _, row in own]).T,
                color=COLOURS[index % len(COLOURS)],
                hatch=_HATCHES[index % len(_HATCHES)],
                edgecolor="white",
                error_kw={"elinewidth": 0.8},
                label=_label(own[0][1]),
            )
        counts = {row.category: row.n for row in kept}
        axes.set_xticks(range(len(names)), [f"{name}\nn={counts[name]}" for name in names])
        axes.set(ylabel=f"{measure}, x100", ylim=(0, 105))
        axes.grid(axis="y", alpha=0.3)
        axes.legend(ncols=2, fontsize="small")
        return _save(figure, folder, "categories")


def quality_and_latency(
    rows: Sequence[Row], measure: Measure, milliseconds: Mapping[str, float], folder: Path
) -> list[Path]:
    """Draw a measure against milliseconds a question, a point a system: ``latency.png`` and ``.svg``."""
    shown = [
        row
        for row in _of(rows, measure, WEIGHTED)
        if row.system not in CEILINGS and milliseconds.get(row.system, 0) > 0
    ]
    if not shown:
        return []
    with _style():
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.add_subplot()
        for index, row in enumerate(sorted(shown, key=lambda row: (-row.value, row.system))):
            axes.errorbar(
                milliseconds[row.system],
                100 * row.value,
                yerr=np.array([_reach(row)]).T,
                color=COLOURS[index % len(COLOURS)],
                marker=MARKERS[index % len(MARKERS)],
                elinewidth=0.8,
            )
            axes.annotate(
                row.system, (milliseconds[row.system], 100 * row.value), (5, 4), textcoords="offset points", fontsize=7
            )
        axes.set(xscale="log", xlabel="milliseconds a question", ylabel=f"{measure} (weighted), x100")
        axes.grid(alpha=0.3)
        return _save(figure, folder, "latency")


def heat_maps(rows: Sequence[Row], measure: Measure, folder: Path, category: str = WEIGHTED) -> list[Path]:
    """Draw a grid of two swept parameters as a heat map; with more, a panel for each value of the others.

    Returns:
        ``grid_<x>_<y>.png`` and ``.svg``; nothing where fewer than two parameters vary.
    """
    shown = _of(rows, measure, category)
    varying = varying_parameters(shown)
    if len(varying) < 2:
        return []
    settings = [(parse_variant(row.variant), row) for row in shown]
    settings = [(values, row) for values, row in settings if all(name in values for name in varying)]
    y, x = sorted(varying, key=lambda name: (-len({values[name] for values, _ in settings}), name))[:2]
    rest = [name for name in varying if name not in (x, y)]
    panels: dict[str, dict[tuple[str, str], float]] = {}
    for values, row in settings:
        title = ", ".join([row.system, *(f"{name}={values[name]}" for name in rest)])
        panels.setdefault(title, {})[values[y], values[x]] = 100 * row.value
    ys, xs = (sorted({values[name] for values, _ in settings}, key=_natural) for name in (y, x))
    every = [value for cells in panels.values() for value in cells.values()]
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    with _style():
        figure = Figure(figsize=(1.5 + 3.6 * columns, 1 + (0.7 + 0.4 * len(ys)) * lines), layout="constrained")
        grid = figure.subplots(lines, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, (title, cells) in zip(grid.flat, panels.items(), strict=False):
            image = np.array([[cells.get((a, b), np.nan) for b in xs] for a in ys])
            drawn = axes.imshow(image, cmap="cividis", vmin=min(every), vmax=max(every), aspect="auto")
            for i, a in enumerate(ys):
                for j, b in enumerate(xs):
                    if (a, b) in cells:
                        dark = cells[a, b] < (min(every) + max(every)) / 2
                        colour = "white" if dark else "black"
                        axes.text(j, i, f"{cells[a, b]:.1f}", ha="center", va="center", fontsize=7, color=colour)
            axes.set_xticks(range(len(xs)), xs, rotation=30, ha="right", fontsize=7)
            axes.set_yticks(range(len(ys)), ys, fontsize=7)
            axes.set(xlabel=x, ylabel=y)
            axes.set_title(title, fontsize=8)
        figure.colorbar(drawn, ax=grid, label=f"{measure} ({category}), x100")
        return _save(figure, folder, f"grid_{_safe(y)}_{_safe(x)}")


def _is(row: Row, measure: Measure) -> bool:
    return (row.metric, row.unit, row.k) == (measure.metric, measure.unit, measure.k)


def _of(rows: Sequence[Row], measure: Measure, category: str) -> list[Row]:
    return [row for row in rows if _is(row, measure) and row.category == category]


def _label(row: Row) -> str:
    name = f"{row.system} {row.variant}".strip()
    return name if row.protocol == "untrained" else f"{name} [{row.protocol}]"


def _reach(row: Row) -> tuple[float, float]:
    """How far the interval reaches below and above the value, 0 where there is none."""
    low = 0.0 if row.lo is None else max(0.0, 100 * (row.value - row.lo))
    return low, 0.0 if row.hi is None else max(0.0, 100 * (row.hi - row.value))


def _natural(value: str) -> tuple[bool, float, str]:
    number = bool(re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value))
    return not number, float(value) if number else 0.0, value


def _safe(name: str) -> str:
    return "".join(char if char.isalnum() or char in "._-" else "_" for char in name)


@contextmanager
def _style() -> Iterator[None]:
    # element ids in an SVG are random unless salted; a dollar sign in a name is no formula
    with matplotlib.rc_context({"svg.hashsalt": "memorai", "text.parse_math": False}):
        yield


def _save(figure: Figure, folder: Path, name: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    png, svg = folder / f"{name}.png", folder / f"{name}.svg"
    figure.savefig(png, dpi=150, metadata={"Software": None})
    figure.savefig(svg, metadata={"Date": None})
    return [png, svg]
