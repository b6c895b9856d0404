"""Links between files of the repository, made into links between pages of the site."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path

#: what is shown as a page of its own when a page links to it; everything else is copied as it is
TEXT = {
    ".py": "python",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".txt": "text",
    ".md": "markdown",
    "": "text",
}
_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(\]\(\s*)([^)\s]+)")


def replace_links(markdown: str, new: Callable[[str], str]) -> str:
    """Give every inline link and picture outside code another target."""
    parts = _CODE.split(markdown)
    for i in range(0, len(parts), 2):
        parts[i] = _LINK.sub(lambda found: found[1] + new(found[2]), parts[i])
    return "".join(parts)


def made_from(file: str) -> str:
    """The page that is made from a folder or a notebook, or nothing."""
    folders = {"conf": "configuration/index.md", "experiments": "results/index.md", "notebooks": "notebooks/index.md"}
    group, notebook = re.fullmatch(r"conf/(\w+)", file), re.fullmatch(r"notebooks/(\w+)\.py", file)
    if group:
        return "configuration/experiments.md" if group[1] == "experiment" else f"configuration/{group[1]}.md"
    return f"notebooks/{notebook[1]}.md" if notebook else folders.get(file, "")


class Book:
    """Which file of the repository stands where in the site.

    Args:
        root: the repository.
        origins: page in the site -> file in the repository, both with ``/``.
    """

    def __init__(self, root: Path, origins: Mapping[str, str]) -> None:
        self.root = root
        self.origins = dict(origins)
        self.places = {origin: place for place, origin in origins.items()}

    def rewrite(self, markdown: str, place: str) -> str:
        """A page's text with links that lead to pages; a link that leads nowhere is left for mkdocs to complain of."""
        origin = self.origins.get(place)
        return markdown if origin is None else replace_links(markdown, lambda link: self._target(link, place, origin))

    def taken_along(self, texts: Mapping[str, str]) -> dict[str, str | bytes]:
        """The files that the texts link to and that are no pages yet: place in the site -> content."""
        taken: dict[str, str | bytes] = {}
        for place, text in texts.items():
            origin = self.origins[place]

            def note(link: str, origin: str = origin) -> str:
                file = self._file(link, origin)
                if file is not None and file not in self.places:
                    self.places[file], content = self._shown(file)
                    taken[self.places[file]] = content
                return link

            replace_links(text, note)
        return taken

    def _file(self, link: str, origin: str) -> str | None:
        """The file of the repository that a link names, if it names one."""
        path = link.partition("#")[0]
        if not path or re.match(r"[a-z][a-z0-9+.-]*:|/", path, re.IGNORECASE):
            return None
        file = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        page = made_from(file)
        if page and (self.root / file).exists():
            self.places.setdefault(file, page)
            return file
        if (self.root / file).is_dir():
            file = f"{file}/README.md"
        return None if file.startswith("..") or not (self.root / file).is_file() else file

    def _target(self, link: str, place: str, origin: str) -> str:
        file = self._file(link, origin)
        if file is None or file not in self.places:
            return link
        anchor = link.partition("#")[2]
        target = os.path.relpath(self.places[file], posixpath.dirname(place) or ".").replace(os.sep, "/")
        return f"{target}#{anchor}" if anchor else target

    def _shown(self, file: str) -> tuple[str, str | bytes]:
        source = self.root / file
        if source.suffix not in TEXT:
            return f"files/{file}", source.read_bytes()
        text, head = source.read_text(encoding="utf-8"), f"---\nsearch: {{exclude: true}}\n---\n\n# {file}\n\n"
        if source.suffix == ".md":
            return f"files/{file}", head + text
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        return f"files/{file}.md", f"{head}{fence}{TEXT[source.suffix]}\n{text}\n{fence}\n"
