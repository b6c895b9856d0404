"""Every notebook runs from top to bottom on the bundled data, says what its text promises, and is a valid notebook."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
#: notebook -> what has to be among the things that it prints
SAID = {
    "quickstart": ["memorai_plus", "damping 0.9"],
    "reproduce_the_table": ["memorai_plus", "n = 89"],
    "your_own_conversations": ["petra: turns 3, 4", "Ines: Petra keeps it in her desk."],
    "ablate_a_part": ["late 0.5", "against memorai", "+0.0, p = 1.000"],
    "read_a_failure": ["questions miss some evidence", "damping 0.6: evidence at ranks"],
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all pages and notebooks, so that the demo is embedded once."""
    return tmp_path_factory.getbasetemp() / "documentation"


def test_every_notebook_has_a_promise() -> None:
    assert sorted(SAID) == [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, cache: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORAI_CACHE", str(cache))
    runpy.run_path(str(path))
    shown = capsys.readouterr().out
    assert [promise for promise in SAID[path.stem] if promise not in shown] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_and_its_ipynb_are_the_same(path: Path, monkeypatch) -> None:
    jupytext, nbformat = pytest.importorskip("jupytext"), pytest.importorskip("nbformat")
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    from docs_site.notebooks import as_ipynb

    text = as_ipynb(path)
    assert text == as_ipynb(path)
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    assert book.cells[0].cell_type == "markdown" and book.cells[0].source.startswith("# ")
    again = jupytext.writes(book, fmt="py:percent")
    cells = [cell.source for cell in jupytext.reads(again, fmt="py:percent").cells]
    assert cells == [cell.source for cell in jupytext.read(path, fmt="py:percent").cells]
