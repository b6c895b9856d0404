"""The site's menu: a page in docs/ that no section names is a guide, so that a new page needs no entry anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

#: section -> pages in reading order; those that are not there are passed over
SECTIONS: Mapping[str, Sequence[str]] = {
    "Start": ("concepts.md", "how-to.md", "data-format.md", "memory.md", "explain.md"),
    "Measure": ("systems.md", "sweeps.md", "cluster.md", "answers.md", "learning.md"),
    "Extend": ("add-a-part.md", "design.md", "contributing.md"),
}


def title(markdown: str) -> str:
    """A page's first heading."""
    found = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return found[1].strip() if found else ""


def menu(places: Sequence[str], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """The menu as mkdocs takes it: a list of ``{title: page or section}``."""
    pages = sorted(place for place in places if place.endswith(".md"))
    top = [place for place in pages if "/" not in place]
    named = {place for section in SECTIONS.values() for place in section}
    rest = [place for place in top if place not in named | {"index.md", "changelog.md", "limits.md"}]

    def entries(chosen: Sequence[str]) -> list[dict[str, Any]]:
        return [{titles.get(place) or place.removesuffix(".md"): place} for place in chosen if place in pages]

    def folder(name: str) -> list[Any]:
        inside = [place for place in pages if place.startswith(f"{name}/")]
        first = f"{name}/index.md"
        return [*([first] if first in inside else []), *(place for place in inside if place != first)]

    found: list[dict[str, Any]] = [{"memorai": "index.md"}]
    found += [{section: entries(chosen)} for section, chosen in SECTIONS.items()]
    found.append({"More": entries(sorted(rest, key=lambda place: titles.get(place, place)))})
    found.append({"Notebooks": folder("notebooks")})
    found.append({"Results": folder("results")})
    found.append({"Configuration": folder("configuration")})
    found.append({"API": folder("api")})
    found += entries(["limits.md", "changelog.md"])
    found.append({"Files": folder("files")})
    return [entry for entry in found if next(iter(entry.values()))]
