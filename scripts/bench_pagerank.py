#!/usr/bin/env python3
"""Dynamic Weighted PageRank against its peers, side by side on graphs shaped like a memory.

    python scripts/bench_pagerank.py --quick
    python scripts/bench_pagerank.py --record experiments/pagerank_bench

Every engine gets fresh weights conditioned on each query and is timed with making them from given cosines; each stops
at the coarsest tolerance of its own at which the residual that this script measures is at most 1e-6 (the search for it
is not timed). The local engine is approximate: it multiplies the vectors that it meets and says what it agrees on.
Engines whose package is missing are left out and named. Needs Linux (processes are forked, memory is read from /proc).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pagerank_bench import curve, engines, measure, probe, problem, report, retrieval

DAMPINGS = [0.5, 0.85]
QUICK, FULL = [4_000, 50_000], [4_000, 50_000, 500_000, 5_000_000]
PARTS = ["engines", "local"]
NEEDS = {"compiled": "numba", "igraph": "igraph", "scikit-network": "sknetwork", "NetworkX": "networkx"}
#: what engines import; loaded once, before a process is forked for each of them
LIBRARIES = {"torch": "torch", "compiled": "memorai.retrieval.pagerank.compiled"} | {
    word: package for word, package in NEEDS.items() if word != "compiled"
}


def main(arguments: list[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    options.queries = options.queries or (16 if options.quick else 100)
    options.reference = options.reference or (2 if options.quick else 4)
    if options.merge:
        Record.merged(options.merge).write(options.record)
        return
    effort = measure.Effort(options.repeats, (0.1 if options.quick else 1.0) / options.rounds)
    sizes = options.nodes or (QUICK if options.quick else FULL)
    bandwidth = probe.copy_bandwidth(threads=2)
    print(f"{probe.machine()}\ncopy bandwidth: {bandwidth / 1e9:.1f} GB/s", flush=True)
    present = _present(options.engines)
    for word, library in LIBRARIES.items():
        if any(word in engine.name for engine in present):
            importlib.import_module(library)
    record = Record(bandwidth, hints=Record.merged([options.hints]).hints if options.hints else {})
    for size in sorted(sizes):
        with tempfile.TemporaryDirectory() as folder:
            task = problem.make(size, options.queries, Path(folder), options.long_range)
            print(f"\n{task.num_nodes} nodes, {task.graph.num_edges} directed edges", flush=True)
            if "engines" in options.parts:
                reference = measure.Reference.of(task, DAMPINGS, options.reference)
                smaller, rounds = record.rows, []
                for _ in range(options.rounds):
                    for engine in (engine for engine in present if size <= engine.most):
                        found = measure.measure(task, engine, reference, effort, record.hints)
                        rounds += found
                        record.rows = smaller + measure.together(rounds)
                        for row in found:
                            print(report.progress(row), flush=True)
                        if options.record:  # a long run that is cut short leaves what it has
                            record.write(options.record)
            if "local" in options.parts:
                record.points += curve.curve(task, DAMPINGS, options.queries)
                record.retrievals += retrieval.retrieval(task, DAMPINGS, min(50, options.queries), options.quick)
    measure.fill_ratios(record.rows)
    print("\n" + record.text())
    if options.json:
        _write_json(options.json, [row.record() for row in record.rows])
    if options.record:
        record.write(options.record)


@dataclass
class Record:
    """Everything that a run, or several of them, measured."""

    bandwidth: float
    rows: list[measure.Row] = field(default_factory=list)
    points: list[curve.Point] = field(default_factory=list)
    retrievals: list[retrieval.Retrieval] = field(default_factory=list)
    hints: dict[tuple[str, float], int] = field(default_factory=dict)

    def text(self) -> str:
        return report.markdown(self.rows, self.points, self.retrievals, self.bandwidth)

    def write(self, folder: Path) -> None:
        """Write results.json (the rows), details.json (all that the tables hold), table.md and the plot."""
        measure.fill_ratios(self.rows)
        folder.mkdir(parents=True, exist_ok=True)
        _write_json(folder / "results.json", [row.record() for row in self.rows])
        hints = [[engine, damping, step] for (engine, damping), step in self.hints.items()]
        _write_json(folder / "details.json", asdict(self) | {"hints": hints})
        (folder / "table.md").write_text(f"{probe.machine()}\n\n{self.text()}", encoding="utf-8")
        if self.rows:
            report.plot(self.rows, folder / "cost")

    @staticmethod
    def merged(folders: Sequence[Path]) -> Record:
        """Read what runs at different sizes recorded on one machine."""
        parts = [json.loads((folder / "details.json").read_text(encoding="utf-8")) for folder in folders]
        return Record(
            max(part["bandwidth"] for part in parts),
            [measure.Row(**row) for part in parts for row in part["rows"]],
            [curve.Point(**point) for part in parts for point in part["points"]],
            [_retrieval(found) for part in parts for found in part["retrievals"]],
            {(engine, damping): step for part in parts for engine, damping, step in part["hints"]},
        )


def _retrieval(found: dict[str, Any]) -> retrieval.Retrieval:
    totals = {key: {float(d): ms for d, ms in found[key].items()} for key in ("total_ms", "total_p95_ms")}
    return retrieval.Retrieval(**(found | totals))


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _present(only: list[str] | None) -> list[engines.Engine]:
    chosen, absent = [], set()
    for engine in engines.ENGINES:
        if only and not any(part in engine.name for part in only):
            continue
        needs = [package for word, package in NEEDS.items() if word in engine.name]
        if all(importlib.util.find_spec(package) for package in needs):
            chosen.append(engine)
        else:
            absent.update(needs)
    if absent:
        print(f"left out for want of: {', '.join(sorted(absent))}", file=sys.stderr)
    return chosen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4K and 50K nodes, within 50 s on two cores")
    parser.add_argument("--nodes", type=int, nargs="+", help=f"sizes (default {FULL})")
    parser.add_argument("--engines", nargs="+", help="only those whose name holds one of these")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the comparison, the local curves")
    parser.add_argument("--hints", type=Path, help="folder of a run whose tolerances are tried first")
    parser.add_argument(
        "--repeats",
        type=int,
        default=5,
        help="least number of timed calls, for a second at least (quick: 0.1 s); medians are reported",
    )
    parser.add_argument(
        "--rounds", type=int, default=1, help="how often the engines take turns; medians over all turns"
    )
    parser.add_argument("--queries", type=int, help="queries of the local engine's curve (default 100, quick 16)")
    parser.add_argument("--reference", type=int, help="queries on which agreement is counted (default 4, quick 2)")
    parser.add_argument("--long-range", type=float, default=0.1, help="share of relations between any two entities")
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("--record", type=Path, help="write results.json, details.json, table.md and the plot here")
    parser.add_argument("--merge", type=Path, nargs="+", help="folders of earlier runs to write as one --record")
    return parser


if __name__ == "__main__":
    main()
