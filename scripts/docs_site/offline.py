"""What a built site must not do: fetch anything from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: element -> attribute whose content the browser fetches by itself
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        link = FETCHED.get(tag, "")
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            link = "href"
        target = given.get(link) or ""
        if target.startswith(("http:", "https:", "//")):
            self.fetched.append(target)


def faults(site: Path) -> Iterator[str]:
    """One line for each thing that a page of the site would fetch from another host."""
    for path in sorted(site.rglob("*.html")):
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        for target in page.fetched:
            yield f"{path.relative_to(site).as_posix()} would fetch {target}"
