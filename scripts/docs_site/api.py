"""One page of the API a room, with every public module of it, from the docstrings."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

_OPTIONS = "    options:\n      heading_level: 2\n"


def pages(package: Path) -> dict[str, str]:
    """Place in the site -> text, for the package's top level and each of its folders."""
    rooms: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if (
            any(part.startswith("_") and part not in ("__init__", "__main__") for part in parts)
            or parts[-1] == "__main__"
        ):
            continue
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if parts[-1] == "__init__" and name != package.name:
            continue  # what it re-exports stands on the page of its module
        room = ".".join(parts[1:-1])
        rooms[room].append((name, doc.split("\n")[0]))
    made = {}
    overview = ["# API", "", "From the docstrings, a page a room of the [house](../design.md#the-house).", ""]
    for room, modules in sorted(rooms.items()):
        heading = f"{package.name}.{room}" if room else package.name
        place = f"api/{heading}.md"
        made[place] = "\n".join([f"# {heading}", "", *(f"::: {name}\n{_OPTIONS}" for name, _ in modules)])
        overview += [f"## {heading}", "", "| module | |", "|---|---|"]
        overview += [
            f"| [{name}]({place.removeprefix('api/')}#{name}) | {doc.replace('|', '&#124;')} |" for name, doc in modules
        ]
        overview.append("")
    made["api/index.md"] = "\n".join(overview)
    return made
