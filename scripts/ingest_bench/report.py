"""The benchmark's numbers as JSON rows and as tables."""

from __future__ import annotations

from collections.abc import Sequence

from .clock import Cost
from .growth import Point
from .stages import Row

#: which stages a setting's total holds
TOTALS = {
    "memorai_plus": ("segment: sessions", "gate: rules", "extract", "build graph"),
    "memorai": ("segment: sessions", "gate: rules", "extract", "build graph", "describe"),
    "memorai, every step": (
        *(
            "segment: windows",
            "summarise",
            "gate: rules",
            "extract + coreference",
            "resolve",
            "build graph",
            "describe",
        ),
    ),
}


def totals(rows: Sequence[Row]) -> list[Row]:
    """Sums of stages, without and with what an index needs beside the graph: BM25, vectors by the faster threads."""
    out = []
    by = {(row.setting, row.stage): row.cost for row in rows}
    embedded = [cost for (_, stage), cost in by.items() if stage.startswith("embed turns")]
    for setting, stages in TOTALS.items():
        own = setting.split(",")[0]
        parts = [by.get((own, stage)) or by.get(("shared", stage)) for stage in stages]
        if None in parts:
            continue
        total = sum((part for part in parts if part), Cost(0.0, 0.0, parts[0].runs if parts[0] else 0))
        out.append(Row(setting, "total without embedding", total))
        if embedded:
            index = by["shared", "index BM25"] + min(embedded, key=lambda cost: cost.wall)
            out.append(Row(setting, "total with BM25 and embedding", total + index))
    return out


def records(rows: Sequence[Row], points: Sequence[Point]) -> list[dict[str, object]]:
    """Every number as one flat row."""
    stages = [{"kind": "stage", "setting": r.setting, "stage": r.stage, "turns": None} | _cost(r.cost) for r in rows]
    growth = [{"kind": p.kind, "setting": p.setting, "stage": "all", "turns": p.turns} | _cost(p.cost) for p in points]
    return [*stages, *growth]


def markdown(rows: Sequence[Row], points: Sequence[Point]) -> str:
    """Three tables: stages and totals, linearity, appending."""
    lines = ["| setting | stage | ms a turn | processor ms a turn | runs |", "| --- | --- | ---: | ---: | ---: |"]
    lines += [f"| {r.setting} | {r.stage} | {r.cost.wall:.3f} | {r.cost.cpu:.3f} | {r.cost.runs} |" for r in rows]
    for kind, title in (("build", "Built at once, ms a turn"), ("append", "One session appended, ms a new turn")):
        chosen = [point for point in points if point.kind == kind]
        if chosen:
            lines += ["", title, "", *_growth(chosen)]
    return "\n".join(lines) + "\n"


def _growth(points: Sequence[Point]) -> list[str]:
    sizes = list(dict.fromkeys(point.turns for point in points))
    heads = " | ".join(f"{size} turns" for size in sizes)
    lines = [f"| setting | {heads} | last / first | the same, processor |", "| --- |" + " ---: |" * (len(sizes) + 2)]
    for setting in dict.fromkeys(point.setting for point in points):
        costs = [point.cost for point in points if point.setting == setting]
        cells = " | ".join(f"{cost.wall:.3f}" for cost in costs)
        ratio, cpu = (_ratio(costs[-1].wall, costs[0].wall), _ratio(costs[-1].cpu, costs[0].cpu))
        lines.append(f"| {setting} | {cells} | {ratio} | {cpu} |")
    return lines


def _ratio(last: float, first: float) -> str:
    return f"{last / first:.2f}" if first else "–"


def _cost(cost: Cost) -> dict[str, float | int]:
    return {"wall_ms": round(cost.wall, 4), "cpu_ms": round(cost.cpu, 4), "runs": cost.runs}
