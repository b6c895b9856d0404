"""One table, written as Markdown, LaTeX or for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

MISSING = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in table scale (x100) with its interval; `best` is set in bold, `spread` stands behind a ±."""

    value: float
    lo: float | None = None
    hi: float | None = None
    best: bool = False
    spread: float | None = None
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Header:
    """Heading of a value column; neighbours of one group share it (group ``turn nDCG@10``, name ``macro``)."""

    group: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Line:
    """One row: its labels, then one cell a value column, None where there is no value."""

    labels: tuple[str, ...]
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Title, headings, lines, and sentences to print below; a terminal folds some labels under the one before them."""

    title: str
    labels: tuple[str, ...]
    headers: tuple[Header, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()


def to_markdown(table: Table, intervals: bool = True) -> str:
    """Write a GitHub table; the best value of a column is bold."""
    head = [*table.labels, *map(str, table.headers)]
    align = ["---"] * len(table.labels) + ["---:"] * len(table.headers)
    rows = [
        [*line.labels, *(_cell(cell, "**{}**", " [{}, {}]", intervals) for cell in line.cells)] for line in table.lines
    ]
    escaped = [
        [text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") for text in row] for row in [head, *rows]
    ]
    lines = ["| " + " | ".join(row) + " |" for row in [escaped[0], align, *escaped[1:]]]
    notes = "".join(f"\n{' '.join(note.split())}\n" for note in table.notes)
    return f"### {' '.join(table.title.split())}\n\n" + "\n".join(lines) + "\n" + notes


def to_latex(table: Table, intervals: bool = True) -> str:
    """Write a booktabs ``tabular`` for ``\\input``; needs ``\\usepackage{booktabs}`` and a UTF-8 engine."""
    columns = "l" * len(table.labels) + "r" * len(table.headers)
    body = []
    for line in table.lines:
        cells = [_cell(cell, r"\textbf{{{}}}", r" {{\scriptsize [{}, {}]}}", intervals) for cell in line.cells]
        body.append(" & ".join([*map(escape_latex, line.labels), *(c.replace(MISSING, "--") for c in cells)]) + r" \\")
    comments = [f"% {' '.join(text.split())}" for text in ("Needs \\usepackage{booktabs}.", table.title, *table.notes)]
    lines = [*comments, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *_latex_head(table), r"\midrule", *body]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def to_rich(table: Table, intervals: bool = True) -> RichTable:
    """Build a terminal table, kept narrow: columns of one group are stacked, folded labels stand dimmed below.

    Every text is a `Text`, since names and notes come from data and may hold what Rich would read as markup.
    """
    caption = Text("\n".join(table.notes), "table.caption") if table.notes else None
    rich = RichTable(
        title=Text(table.title, "table.title"),
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    columns = _label_columns(table)
    for main, *below in columns:
        under = " · ".join(table.labels[index] for index in below)
        title = Text(f"{table.labels[main]}\n{under}".strip())
        # a label that is cut off names nothing: it keeps its width, and the values' headings are folded instead
        longest = max((len(line.labels[main]) for line in table.lines), default=0)
        rich.add_column(title, overflow="fold", no_wrap=not below, min_width=13 if below else min(longest, 24))
    spans = _spans(table.headers)
    for group, start, stop in spans:
        title = Text("\n".join([_folded(group), *(h.name for h in table.headers[start:stop])]).strip())
        rich.add_column(title, justify="right", no_wrap=True)
    for line in table.lines:
        labels = [_rich_label([line.labels[index] for index in column]) for column in columns]
        cells = [
            Text("\n").join(_rich_cell(cell, intervals) for cell in line.cells[start:stop]) for _, start, stop in spans
        ]
        rich.add_row(*labels, *cells)
    return rich


def _folded(heading: str) -> str:
    """One word a line; a long name breaks after its underscores."""
    words = (word if len(word) <= 11 else word.replace("_", "_\n") for word in heading.split(" "))
    return "\n".join(words)


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
}


def escape_latex(text: str) -> str:
    """Escape what LaTeX would read as markup."""
    return "".join(_LATEX.get(character, character) for character in text)


def _cell(cell: Cell | None, bold: str, interval: str, intervals: bool) -> str:
    if cell is None:
        return MISSING
    value = _number(cell)
    text = bold.format(value) if cell.best else value
    if intervals and cell.lo is not None and cell.hi is not None:
        text += interval.format(f"{cell.lo:z.{cell.digits}f}", f"{cell.hi:z.{cell.digits}f}")
    return text


def _number(cell: Cell) -> str:
    spread = "" if cell.spread is None else f" ± {cell.spread:.{cell.digits}f}"
    return f"{cell.value:z.{cell.digits}f}{spread}"


def _label_columns(table: Table) -> list[list[int]]:
    """Group label columns for the terminal: each with the folded ones that follow it."""
    columns: list[list[int]] = []
    for index, label in enumerate(table.labels):
        if label in table.folded and columns:
            columns[-1].append(index)
        else:
            columns.append([index])
    return columns


def _rich_label(labels: Sequence[str]) -> Text:
    below = [label for label in labels[1:] if label not in (MISSING, "none")]
    return Text("\n").join([Text(labels[0]), Text(" · ".join(below), "dim")]) if below else Text(labels[0])


def _rich_cell(cell: Cell | None, intervals: bool) -> Text:
    if cell is None:
        return Text(MISSING)
    text = Text(_number(cell), "bold" if cell.best else "")
    if intervals and cell.lo is not None and cell.hi is not None:
        text = Text.assemble(text, (f" {cell.lo:.0f}–{cell.hi:.0f}", "dim"))
    return text


def _spans(headers: Sequence[Header]) -> list[tuple[str, int, int]]:
    spans, start = [], 0
    for group, members in groupby(headers, key=lambda header: header.group):
        stop = start + len(list(members))
        spans.append((group, start, stop))
        start = stop
    return spans


def _latex_head(table: Table) -> list[str]:
    labels = list(map(escape_latex, table.labels))
    if not any(header.name for header in table.headers):
        return [" & ".join([*labels, *(escape_latex(header.group) for header in table.headers)]) + r" \\"]
    spans = _spans(table.headers)
    groups = [rf"\multicolumn{{{stop - start}}}{{c}}{{{escape_latex(group)}}}" for group, start, stop in spans]
    shift = len(labels) + 1
    rules = " ".join(rf"\cmidrule(lr){{{start + shift}-{stop + shift - 1}}}" for _, start, stop in spans)
    names = [escape_latex(header.name) for header in table.headers]
    return [
        " & ".join([""] * len(labels) + groups) + r" \\",
        rules,
        " & ".join([*labels, *names]) + r" \\",
    ]
