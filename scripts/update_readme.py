"""Write the README's table anew from the recorded run, so that no figure in it is typed by hand.

python scripts/update_readme.py            # rewrite
python scripts/update_readme.py --check    # exit 1 if it differs
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from memorai.report.published import published_rows
from memorai.report.results import Results, Row

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- table: experiments/locomo_lmeb -->\n", "<!-- /table -->"
COLUMNS = (("ndcg", 10), ("recall", 1), ("recall", 3), ("recall", 5), ("recall", 10))
NAMES = {"ndcg": "nDCG", "recall": "R"}


def table(results: Results) -> str:
    """The turn-level means of every system, macro / weighted, measured rows first."""
    rows = [*results.rows, *published_rows(results.manifest["config"]["published"])]
    labels = {entry["system"]: entry for entry in results.manifest["systems"]}
    order = [entry["system"] for entry in results.manifest["systems"]]
    order += list(dict.fromkeys(row.system for row in rows if row.system not in order))
    values = {(row.system, row.metric, row.k, row.category): row for row in rows if row.unit == "turn"}
    head = ["system", "embedder", "protocol", *(f"{NAMES[metric]}@{k}" for metric, k in COLUMNS)]
    lines = [head, ["---"] * 3 + ["---:"] * len(COLUMNS)]
    for system in order:
        found = [[values.get((system, m, k, average)) for average in ("macro", "weighted")] for m, k in COLUMNS]
        protocol = next(row.protocol for pair in found for row in pair if row is not None)
        embedder = labels.get(system, {}).get("embedder", "itself")
        lines.append([system, embedder, protocol, *(" / ".join(map(_cell, pair)) for pair in found)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(row: Row | None) -> str:
    return "–" if row is None else f"{100 * row.value:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the README is out of date")
    check = parser.parse_args().check
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    wanted = before + START + table(Results.read(ROOT / "experiments" / "locomo_lmeb")) + END + after
    if check and wanted != text:
        sys.exit("error: README.md differs from experiments/locomo_lmeb; run python scripts/update_readme.py")
    readme.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
