"""Sweep plots: a metric against the one parameter that changed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report.results import Row

# Okabe and Ito's palette, told apart with every common colour blindness; yellow is left out, it fades on white
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X"
PANELS = (("ndcg", "nDCG@10"), ("recall", "R@10"))

_Series = dict[str, Row]


def parse_variant(variant: str) -> dict[str, str]:
    """Split ``restart=dense,damping=0.5`` into its parameters; commas inside brackets or quotes do not split.

    A part without ``=`` is a parameter whose value is empty.
    """
    parts, depth, quoted = [""], 0, ""
    for character in variant:
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "'\"":
            quoted = character
        depth += (character in "[{(") - (character in ")}]") if not quoted else 0
        if character == "," and depth <= 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    pairs = (part.partition("=") for part in parts if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def varying_parameters(rows: Sequence[Row]) -> list[str]:
    """Return the parameters with at least two values among the rows' variants, sorted."""
    values: dict[str, set[str]] = defaultdict(set)
    for variant in {row.variant for row in rows}:
        for name, value in parse_variant(variant).items():
            values[name].add(value)
    return sorted(name for name, found in values.items() if len(found) > 1)


def plot_if_swept(rows: Sequence[Row], folder: Path | str) -> list[Path]:
    """Call `sweep_plot` if exactly one parameter varies; return what was written, perhaps nothing."""
    varying = varying_parameters(_plotted(rows)[1])
    return sweep_plot(rows, varying[0], folder) if len(varying) == 1 else []


def sweep_plot(rows: Sequence[Row], parameter: str, folder: Path | str) -> list[Path]:
    """Plot turn (else session) nDCG@10 and R@10, macro and weighted, against one parameter.

    The axis is numeric if every value is a number, else the values stand side by side. A line is a system with whatever
    else its variant says, its band the 95 % interval; a system without the parameter is a dashed level. The same rows
    always give the same bytes.

    Args:
        rows: of any number of systems.
        parameter: its name in the variants, e.g. ``damping``.
        folder: gets ``sweep_<parameter>.png`` and ``.svg``.

    Returns:
        The files written.

    Raises:
        ValueError: no row has the parameter and one of the two metrics.
    """
    unit, shown = _plotted(rows)
    values = _ordered(
        {parse_variant(row.variant)[parameter] for row in shown if parameter in parse_variant(row.variant)}
    )
    if not values:
        raise ValueError(f"no row with nDCG@10 or R@10 has the parameter {parameter!r}")
    numbers = _numbers(values)
    xs = numbers or {value: float(index) for index, value in enumerate(values)}

    # names come from configurations and data: a dollar sign in one is no formula; element ids in an SVG are random and
    # dates are stamped unless told otherwise
    with matplotlib.rc_context({"svg.hashsalt": "memorai", "text.parse_math": False}):
        figure = _figure(unit, shown, parameter, xs, numeric=numbers is not None)
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        safe = "".join(character if character.isalnum() or character in "._-" else "_" for character in parameter)
        png, svg = target / f"sweep_{safe}.png", target / f"sweep_{safe}.svg"
        figure.savefig(png, dpi=150, metadata={"Software": None})
        figure.savefig(svg, metadata={"Date": None})
    return [png, svg]


def _figure(unit: str, shown: Sequence[Row], parameter: str, xs: dict[str, float], *, numeric: bool) -> Figure:
    figure = Figure(figsize=(9, 7), layout="constrained")
    for axes_row, (metric, name) in zip(figure.subplots(2, 2, sharex=True), PANELS, strict=True):
        for axes, category in zip(axes_row, (MACRO, WEIGHTED), strict=True):
            _panel(axes, [row for row in shown if (row.metric, row.category) == (metric, category)], parameter, xs)
            axes.set(title=f"{unit} {name} ({category})", ylabel="x100")
            axes.grid(alpha=0.3)
            if not numeric:
                axes.set_xticks(list(xs.values()), list(xs))
    for axes in figure.axes[2:]:
        axes.set_xlabel(parameter)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small")
    return figure


def _plotted(rows: Sequence[Row]) -> tuple[str, list[Row]]:
    unit = "turn" if any(row.unit == "turn" for row in rows) else "session"
    return unit, [row for row in rows if row.unit == unit and row.k == 10 and row.metric in dict(PANELS)]


def _panel(axes: Axes, rows: Sequence[Row], parameter: str, xs: dict[str, float]) -> None:
    lines: dict[str, _Series] = defaultdict(dict)
    levels: dict[str, Row] = {}
    for row in rows:
        settings = parse_variant(row.variant)
        value = settings.pop(parameter, None)
        rest = ",".join(f"{name}={setting}" for name, setting in settings.items())
        name = " ".join(part for part in (row.dataset, row.system, rest, _suffix(row)) if part)
        if value is None:
            levels[name] = row
        else:
            lines[name][value] = row
    for index, name in enumerate(sorted({*lines, *levels})):
        style: dict[str, Any] = {"color": COLOURS[index % len(COLOURS)], "label": name}
        if name in levels:
            axes.axhline(100 * levels[name].value, linestyle="--", **style)
        if name in lines:
            style = style if name not in levels else {"color": style["color"]}
            _line(axes, lines[name], xs, MARKERS[index % len(MARKERS)], style)


def _line(axes: Axes, series: _Series, xs: dict[str, float], marker: str, style: dict[str, Any]) -> None:
    points = sorted(((xs[value], row) for value, row in series.items()), key=lambda point: point[0])
    places = [x for x, _ in points]
    axes.plot(places, [100 * row.value for _, row in points], marker=marker, **style)
    banded = [(x, row.lo, row.hi) for x, row in points if row.lo is not None and row.hi is not None]
    if banded:
        lows, highs = [100 * lo for _, lo, _ in banded], [100 * hi for _, _, hi in banded]
        axes.fill_between([x for x, _, _ in banded], lows, highs, color=style["color"], alpha=0.15, linewidth=0)


def _suffix(row: Row) -> str:
    return f"[{row.protocol}]" + ("" if row.seed is None else f" seed {row.seed}")


def _ordered(values: set[str]) -> list[str]:
    return sorted(values, key=lambda value: (_number(value) is None, _number(value) or 0.0, value))


def _numbers(values: Sequence[str]) -> dict[str, float] | None:
    numbers = {value: number for value in values if (number := _number(value)) is not None}
    return numbers if len(numbers) == len(values) else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
