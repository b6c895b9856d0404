"""The recorded experiments: each README as a page with when, from what and by which revision, and one table of all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: shown of every recorded run, where it has them
METRICS = (("ndcg", 10), ("recall", 10))
NAMES = {"ndcg": "nDCG", "recall": "R"}


@dataclass(frozen=True)
class Run:
    """One results.json: its folder below experiments/, its manifest and its rows."""

    folder: str
    manifest: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]


def folders(experiments: Path) -> list[Path]:
    """The folders that hold a README."""
    return sorted(path.parent for path in experiments.glob("*/README.md"))


def origins(experiments: Path) -> dict[str, str]:
    """Page in the site -> README in the repository."""
    return {f"results/{path.name}.md": f"{experiments.name}/{path.name}/README.md" for path in folders(experiments)}


def runs(folder: Path, experiments: Path) -> list[Run]:
    """The recorded runs of an experiment that hold a manifest, best known first: its own, then those of its parts."""
    found = []
    for path in sorted(folder.rglob("results.json"), key=lambda path: (len(path.parts), path)):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and "manifest" in content:
            place = path.parent.relative_to(experiments).as_posix()
            found.append(Run(place, content["manifest"], tuple(content.get("rows", ()))))
    return found


def pages(experiments: Path) -> dict[str, str]:
    """Place in the site -> text."""
    made, table = {}, []
    for folder in folders(experiments):
        readme = (folder / "README.md").read_text(encoding="utf-8")
        recorded = runs(folder, experiments)
        made[f"results/{folder.name}.md"] = "\n\n".join([readme.rstrip(), *map(_facts, recorded)]) + "\n"
        heading = re.search(r"^# (.+)$", readme, re.MULTILINE)
        link = f"[{heading[1] if heading else folder.name}]({folder.name}.md)"
        table += [_line(link, run) for run in recorded] or [f"| {link} | see its page | | | | |"]
    head = [
        *("# Results", ""),
        "Every figure of this documentation is in a recorded run. A folder of `experiments/` holds the command, what",
        "the run shows and does not show, `results.json` with its manifest, tables and plots. Each row below is read",
        "from such a file.",
        *("", "| experiment | recorded | data | questions | systems | revision |", "|---|---|---|---:|---|---|"),
    ]
    made["results/index.md"] = "\n".join([*head, *table, ""])
    return made


def _line(link: str, run: Run) -> str:
    counted = [
        row["n"] for row in run.rows if row.get("category") == "weighted" and row.get("metric") in ("ndcg", "recall")
    ]
    systems = list(dict.fromkeys(row["system"] for row in run.rows if "system" in row))
    shown = ", ".join(systems[:4]) + (f" and {len(systems) - 4} more" if len(systems) > 4 else "")
    data = run.manifest.get("data") or {}
    cells = [
        *(link, _date(run), data.get("name", ""), str(max(counted, default="")), shown),
        f"`{run.manifest.get('git_sha', '')[:7]}`",
    ]
    return f"| {' | '.join(cells)} |"


def _date(run: Run) -> str:
    return str(run.manifest.get("started", ""))[:10]


def _facts(run: Run) -> str:
    data = run.manifest.get("data") or {}
    hardware = run.manifest.get("hardware") or {}
    revision = str(run.manifest.get("git_sha", ""))
    lines = [
        f"## Recorded: {run.folder}",
        "",
        f"- {_date(run)}, {float(run.manifest.get('seconds') or 0):.0f} s on {hardware.get('cores', '?')} cores"
        f" ({' '.join(str(hardware.get('cpu', 'unknown')).split())})",
        f"- data: {data.get('name', '')}, sha256 `{str(data.get('sha256', ''))[:16]}…`",
        f"- revision: `{revision[:12]}`"
        + (", with changes that were not yet committed" if revision.endswith("-dirty") else ""),
        "",
        "```bash",
        str(run.manifest.get("command", "")),
        "```",
    ]
    return "\n".join([*lines, "", *_table(run)])


def _table(run: Run) -> list[str]:
    """Turn-level means over questions with intervals, one row a system and variant."""
    cells: dict[tuple[str, str, str], dict[tuple[str, int], str]] = {}
    for row in run.rows:
        metric = (row.get("metric"), row.get("k"))
        if row.get("category") == "weighted" and row.get("unit") == "turn" and metric in METRICS:
            span = "" if row["lo"] is None else f" [{100 * row['lo']:.1f}, {100 * row['hi']:.1f}]"
            key = (row["system"], row["variant"], row["protocol"])
            cells.setdefault(key, {})[metric] = f"{100 * row['value']:.1f}{span}"
            cells[key]["n", 0] = str(row["n"])
    if not cells or len(cells) > 40:
        return []
    names = [f"{NAMES[metric]}@{k}" for metric, k in METRICS]
    lines = [
        "Means over questions in per cent, with 95 % intervals; the unit is the turn.",
        "",
        f"| system | variant | protocol | n | {' | '.join(names)} |",
        f"|---|---|---|---:|{'---:|' * len(names)}",
    ]
    for (system, variant, protocol), found in cells.items():
        values = " | ".join(found.get(metric, "–") for metric in METRICS)
        lines.append(f"| {system} | {variant.replace('|', '&#124;')} | {protocol} | {found['n', 0]} | {values} |")
    return [*lines, ""]
