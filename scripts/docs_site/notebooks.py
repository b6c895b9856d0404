"""A page for each notebook of notebooks/, a script in Jupytext's percent form, with the .ipynb made from it."""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat


def pages(folder: Path) -> dict[str, str]:
    """Place in the site -> text: the notebook as a page, and as a file to download."""
    made = {}
    listed = []
    for path in sorted(folder.glob("*.py")):
        book = jupytext.read(path, fmt="py:percent")
        made[f"notebooks/{path.stem}.ipynb"] = as_ipynb(path)
        text = jupytext.writes(book, fmt="md:markdown")
        text = text.split("---\n", 2)[2] if text.startswith("---\n") else text
        head, _, rest = text.strip().partition("\n")
        links = f"[As a notebook]({path.stem}.ipynb), or `python notebooks/{path.name}` in a checkout."
        made[f"notebooks/{path.stem}.md"] = f"{head}\n\n{links}\n{rest}\n"
        listed.append(f"- [{head.lstrip('# ')}]({path.stem}.md)")
    intro = "Each runs on the bundled conversations, without key, GPU or download, and the tests run all of them."
    made["notebooks/index.md"] = "\n".join(["# Notebooks", "", intro, "", *listed, ""])
    return made


def as_ipynb(path: Path) -> str:
    """A percent script as the text of an .ipynb; the same script gives the same bytes."""
    book = jupytext.read(path, fmt="py:percent")
    book.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for i, cell in enumerate(book.cells):
        cell["id"] = f"{path.stem.replace('_', '-')}-{i}"
    nbformat.validate(book)
    return nbformat.writes(book) + "\n"
