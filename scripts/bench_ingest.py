#!/usr/bin/env python3
"""What remembering a turn costs: every stage of the write path that needs no language model, in milliseconds a turn.

    python scripts/bench_ingest.py --record experiments/ingest_bench
    python scripts/bench_ingest.py --threads --json stages.json     # without embedding

Reads LoCoMo under MEMORAI_DATA (5,882 turns), else the bundled demo. Quick stages are medians of five runs with the
package's own caches emptied before each; embedding is one uncached pass with the model loaded before. Wall time is what
is asked for, processor time what a busy machine disturbs less; of growth the ratios matter.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

from ingest_bench import growth, report, stages, talk


def main(arguments: list[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    name, found = talk.conversations()
    if options.conversations:
        found = found[: options.conversations]
    timing = stages.Stages(found, options.runs)
    machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}\n{name}: {len(found)} conversations, {timing.turns} turns\n", flush=True)
    rows = list(timing.rows(options.threads))
    rows += report.totals(rows)
    points = []
    if options.sizes:
        sessions, held_back = talk.growing(found)
        points += growth.builds(sessions, options.sizes, min(3, options.runs))
        points += growth.appends(sessions, held_back, (options.sizes[0], options.sizes[-1]))
    table = report.markdown(rows, points)
    print(table)
    written = json.dumps({"machine": machine, "data": name, "rows": report.records(rows, points)}, indent=1) + "\n"
    if options.json:
        options.json.write_text(written, encoding="utf-8")
    if options.record:
        options.record.mkdir(parents=True, exist_ok=True)
        (options.record / "results.json").write_text(written, encoding="utf-8")
        (options.record / "table.md").write_text(f"{machine}; {name}\n\n{table}", encoding="utf-8")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("--record", type=Path, help="write results.json and table.md into this folder")
    parser.add_argument("--runs", type=int, default=5, help="of each quick stage; medians are reported")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="of torch; none: turns are not embedded")
    parser.add_argument("--conversations", type=int, help="only the first so many")
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=list(growth.SIZES), help="turns of the growing conversation"
    )
    return parser


if __name__ == "__main__":
    main()
