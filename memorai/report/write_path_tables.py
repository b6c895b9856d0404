"""The tables of a write-path grid: what its cells find, and what they build and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorai.metrics.statistics import WEIGHTED
from memorai.report.plots import parse_variant
from memorai.report.render import Cell, Header, Line, Table
from memorai.report.results import Row
from memorai.report.write_path import COUNTS, DELTA, FOUND, SPREAD, TIMES

PARTS = ("segmenter", "gate", "extractor")
_NAMES = {"recall": "R", "ndcg": "nDCG"}


def write_path_tables(rows: Sequence[Row], notes: Sequence[str] = ()) -> list[Table]:
    """Lay out what `write_path_rows` made, a line a cell: a table of what is found, and one of what is built.

    Args:
        rows: of one data set.
        notes: more sentences to print below the first table.
    """
    cells = {(row.system, row.variant): row.protocol for row in rows}
    by: dict[tuple[str, str], dict[str, Row]] = {cell: {} for cell in cells}
    for row in rows:
        if (row.seed, row.category) == (None, WEIGHTED):
            by[row.system, row.variant][row.metric] = row
    repetitions = max((row.n for row in rows if row.metric.endswith(SPREAD)), default=0)
    k = next((row.k for row in rows if row.k is not None), None)

    def table(title: str, columns: Mapping[str, tuple[Header, float, int]], below: Sequence[str]) -> Table:
        lines = []
        for (system, variant), protocol in cells.items():
            own = by[system, variant]
            found = [
                _cell(own.get(name), own.get(name + SPREAD), scale, digits)
                for name, (_, scale, digits) in columns.items()
            ]
            named = parse_variant(variant)
            lines.append(Line((system, *(named[part] for part in PARTS), protocol), tuple(found)))
        headers = tuple(header for header, _, _ in columns.values())
        return Table(title, ("system", *PARTS, "protocol"), headers, tuple(lines), tuple(below), (*PARTS, "protocol"))

    measured = {"keep_rate": (Header("turns kept"), 100.0, 1), "evidence_fnr": (Header("evidence FNR"), 100.0, 1)}
    for metric in FOUND:
        measured[metric] = (Header(f"turn {_NAMES[metric]}@{k}"), 100.0, 1)
        measured[metric + DELTA] = (Header(f"turn {_NAMES[metric]}@{k}", "delta"), 100.0, 1)
    built = {name: (Header(*name.split("_", 1)), 1.0, 0) for name in COUNTS}
    built |= {name: (Header("ms", name.removeprefix("ms_").replace("_", " ")), 1.0, 2) for name in TIMES}
    spread = [f"±: standard deviation over {repetitions} repetitions (llm.seed)."] if repetitions else []
    return [
        table(
            "The write path: what is kept and what is found",
            measured,
            [
                "Values x100 with 95 % intervals from resampled conversations; weighted means over questions.",
                "evidence FNR: share of the evidence turns that the gate dropped; each counts as not found.",
                "delta: paired difference, question by question, with its interval: of a gated line to the same one "
                "under the gate of the system's first line, of any other to that first line.",
                *spread,
                *notes,
            ],
        ),
        table(
            "The write path: what is built and what it takes",
            built,
            [
                "Nodes and edges over all conversations.",
                "ms: milliseconds a turn that was said, by stage and together, in one process. Embedding is not in it: "
                "vectors are computed beforehand, and steps that use them read the embedder's cache. Nor is what a "
                "language model said before and a cache holds.",
            ],
        ),
    ]


def _cell(row: Row | None, spread: Row | None, scale: float, digits: int) -> Cell | None:
    if row is None:
        return None
    ends = (row.lo, row.hi) if scale == 100.0 else (None, None)  # of counts and times results.json has them
    lo, hi = (None if end is None else scale * end for end in ends)
    return Cell(scale * row.value, lo, hi, spread=None if spread is None else scale * spread.value, digits=digits)
