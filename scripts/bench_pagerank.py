#!/usr/bin/env python3
"""Dynamic Weighted PageRank against its peers, side by side on graphs shaped like a memory.

    python scripts/bench_pagerank.py --quick
    python scripts/bench_pagerank.py --json rows.json --curve curve.json --table table.md

Every engine gets fresh weights conditioned on each query and is timed with making them from given cosines; each stops
at the coarsest tolerance of its own at which the residual that this script measures is at most 1e-6 (the search for it
is not timed). The local engine is approximate: it multiplies the vectors that it meets and says what it agrees on.
Engines whose package is missing are left out and named. Needs Linux (processes are forked, memory is read from /proc).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from pagerank_bench import curve, engines, measure, probe, problem, report

DAMPINGS = [0.5, 0.85]
QUICK, FULL = [4_000, 50_000], [4_000, 50_000, 500_000, 5_000_000]
NEEDS = {"compiled": "numba", "igraph": "igraph", "scikit-network": "sknetwork", "NetworkX": "networkx"}


def main(arguments: list[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    sizes = options.nodes or (QUICK if options.quick else FULL)
    bandwidth = probe.copy_bandwidth(threads=2)
    print(f"{probe.machine()}\ncopy bandwidth: {bandwidth / 1e9:.1f} GB/s", flush=True)
    present = _present(options.engines)
    rows: list[measure.Row] = []
    points: list[curve.Point] = []
    hints: dict[tuple[str, float], int] = {}
    for size in sorted(sizes):
        with tempfile.TemporaryDirectory() as folder:
            # no more queries than are used: at 5M nodes each costs 20 MB
            task = problem.make(size, options.queries, Path(folder), options.long_range)
            reference = measure.Reference.of(task, DAMPINGS, options.reference)
            print(f"\n{task.num_nodes} nodes, {task.graph.num_edges} directed edges", flush=True)
            for engine in present:
                if size <= engine.most:
                    found = measure.measure(task, engine, reference, options.repeats, hints)
                    rows += found
                    for row in found:
                        print(report.progress(row), flush=True)
            points += curve.curve(task, DAMPINGS, options.queries)
    measure.fill_ratios(rows)
    text = report.markdown(rows, points, bandwidth)
    print("\n" + text)
    if options.json:
        options.json.write_text(json.dumps([row.record() for row in rows], indent=1) + "\n", encoding="utf-8")
    if options.curve:
        options.curve.write_text(json.dumps([asdict(point) for point in points], indent=1) + "\n", encoding="utf-8")
    if options.table:
        options.table.write_text(f"{probe.machine()}\n\n{text}", encoding="utf-8")


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
    parser.add_argument("--repeats", type=int, default=5, help="least number of timed calls, medians are reported")
    parser.add_argument("--queries", type=int, default=100, help="queries of the local engine's curve")
    parser.add_argument("--reference", type=int, default=4, help="queries on which agreement is counted")
    parser.add_argument("--long-range", type=float, default=0.1, help="share of relations between any two entities")
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("--curve", type=Path, help="write the local engine's curve here, as JSON")
    parser.add_argument("--table", type=Path, help="write what is printed here, as Markdown")
    return parser


if __name__ == "__main__":
    main()
