"""Tables of a run: every system in one line, and every category of every system in one line.

Rules that past confusions in the field have taught: the unit of retrieval is part of a metric's name, each line prints
its number of questions, a category is printed with the data set's own id, cut-offs 1, 3, 5 and 10 and the reciprocal
rank always appear (recall@10 alone saturates), and the line says which embedder, gate and extractor were used.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from memorai.datasets.locomo import OFFICIAL_SHA256
from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report import published
from memorai.report.costs import cost_table
from memorai.report.jsonable import DIGITS
from memorai.report.render import MISSING, Cell, Header, Line, Table, to_latex, to_markdown, to_rich
from memorai.report.results import Results, Row

CEILINGS = ("oracle",)
"""Systems that are told the answer: shown, but never the best."""

INTERVAL_WIDTH = 110
"""Terminal columns from which on intervals fit."""

OTHER_FILE = "Published rows are left out: this is not the official LoCoMo file (sha256), on which they were measured."

PARTS = ("embedder", "reranker", "gate", "extractor")
"""Label columns that come first; others follow as the manifest has them."""

_NAMES = {
    "ndcg": "nDCG",
    "recall": "R",
    "recall_any": "R_any",
    "recall_all": "R_all",
    "mrr": "MRR",
    "ndcg_longmemeval": "nDCG_longmemeval",
}

SCALED = frozenset(_NAMES)
"""Metrics between 0 and 1 that are printed x100."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric as a table names it."""

    metric: str
    unit: str
    k: int | None

    def __str__(self) -> str:
        name = _NAMES.get(self.metric, self.metric)
        return f"{self.unit} {name}" + ("" if self.k is None else f"@{self.k}")


def default_measures(unit: str = "turn") -> tuple[Measure, ...]:
    """Return nDCG@10, R@1, R@3, R@5, R@10 and MRR@10 of a unit."""
    recalls = (Measure("recall", unit, k) for k in (1, 3, 5, 10))
    return (Measure("ndcg", unit, 10), *recalls, Measure("mrr", unit, 10))


def wide_table(
    rows: Sequence[Row],
    *,
    manifest: Mapping[str, Any] | None = None,
    measures: Sequence[Measure] | None = None,
    ceilings: Collection[str] = CEILINGS,
) -> Table:
    """Lay out one data set's rows with one line a system and variant, macro and weighted means side by side.

    The best measured value of a column is bold (all that print alike); published rows and ceilings never are.

    Args:
        rows: measured and published rows of one data set.
        manifest: gives labels, order of systems and notes, see `memorai.report.manifest`.
        measures: columns; by default those of turns, or of sessions where no row is of turns.
        ceilings: systems that never are the best.

    Raises:
        ValueError: no rows, or rows of several data sets.
    """
    manifest = manifest or {}
    dataset = _dataset(rows)
    measures = measures or default_measures(_unit(rows))
    columns = [(measure, category) for measure in measures for category in (MACRO, WEIGHTED)]
    headers = tuple(Header(str(measure), category) for measure, category in columns)
    labels, uneven = _Labels(rows, manifest), False
    lines: list[Line] = []
    not_ranked: list[bool] = []
    for key, values in _grouped(rows, manifest).items():
        found = [values.get((category, measure)) for measure, category in columns]
        counts = list(dict.fromkeys(row.n for row in found if row is not None))
        if not counts:
            continue
        uneven |= len(counts) > 1
        lines.append(Line((*labels.of(key), "/".join(map(str, counts))), tuple(_cell(row) for row in found)))
        not_ranked.append(key.protocol == published.PROTOCOL or key.system in ceilings)
    notes = [
        "Values x100 with 95 % bootstrap intervals; macro: mean of the category means, weighted: mean over questions."
    ]
    if uneven or len({line.labels[-1] for line in lines}) > 1:
        notes.append("n differs: these values are not all means over the same questions.")
    title = f"{dataset}: systems"
    notes += [str(note) for note in manifest.get("notes", [])]
    body = _with_best(lines, not_ranked)
    return Table(title, (*labels.names, "n"), headers, body, tuple(notes), folded=labels.names[1:])


def category_table(
    rows: Sequence[Row],
    *,
    manifest: Mapping[str, Any] | None = None,
    measures: Sequence[Measure] | None = None,
    ceilings: Collection[str] = CEILINGS,
) -> Table:
    """Lay out one data set's rows with one line a category and system; arguments as for `wide_table`."""
    manifest = manifest or {}
    dataset = _dataset(rows)
    measures = measures or default_measures(_unit(rows))
    ids = {entry["name"]: entry.get("id") for entry in manifest.get("categories", [])}
    kinds = _category_names(rows, ids)
    labels, groups = _Labels(rows, manifest, parts=False), _grouped(rows, manifest)
    lines: list[Line] = []
    for name in kinds:
        block, not_ranked = [], []
        for key, values in groups.items():
            found = [values.get((name, measure)) for measure in measures]
            counts = dict.fromkeys(row.n for row in found if row is not None)
            if counts:
                texts = (ids.get(name) or MISSING, name, "/".join(map(str, counts)), *labels.of(key))
                block.append(Line(texts, tuple(_cell(row) for row in found)))
                not_ranked.append(key.system in ceilings)
        lines += _with_best(block, not_ranked)
    headers = tuple(Header(str(measure)) for measure in measures)
    names = ("id", "category", "n", *labels.names)
    return Table(f"{dataset}: categories", names, headers, tuple(lines), folded=labels.names[1:])


def category_pivot(
    rows: Sequence[Row],
    *,
    manifest: Mapping[str, Any] | None = None,
    measure: Measure | None = None,
    ceilings: Collection[str] = CEILINGS,
) -> Table:
    """Lay out one measure with a line a system and a column a category, which names the category's id and n.

    It says less than `category_table` and fits a terminal; ``measure`` is by default the first of `default_measures`.
    """
    manifest = manifest or {}
    measure = measure or default_measures(_unit(rows))[0]
    ids = {entry["name"]: entry.get("id") for entry in manifest.get("categories", [])}
    names = _category_names(rows, ids)
    labels, lines, not_ranked, counts = _Labels(rows, manifest, parts=False), [], [], dict.fromkeys(names, 0)
    shown = [i for i, name in enumerate(labels.names) if name != "protocol"]
    for key, values in _grouped(rows, manifest).items():
        found = [values.get((name, measure)) for name in names]
        if any(found):
            lines.append(Line(tuple(labels.of(key)[i] for i in shown), tuple(_cell(row) for row in found)))
            not_ranked.append(key.system in ceilings)
            counts |= {name: row.n for name, row in zip(names, found, strict=True) if row is not None}
    headers = tuple(Header(f"{ids.get(name) or ''} {name} n={counts[name]}".strip()) for name in names)
    title = f"{_dataset(rows)}: {measure} by category"
    return Table(title, tuple(labels.names[i] for i in shown), headers, _with_best(lines, not_ranked))


def tables(results: Results, models: str | Sequence[str] = published.DEFAULT_MODELS) -> list[Table]:
    """Build the wide and the category table of each data set in the results, and that of what they cost.

    Args:
        results: rows and manifest.
        models: published models to show where the data are those they were measured on.

    Raises:
        InputError: a published model is not known.
    """
    built = []
    for rows, wide in _by_dataset(results, models):
        built.append(wide)
        built.append(category_table(rows, manifest=results.manifest))
    costs = cost_table(results.costs)
    return [table for table in (*built, *([costs] if costs else [])) if table.lines]


def _by_dataset(results: Results, models: str | Sequence[str]) -> Iterator[tuple[list[Row], Table]]:
    """Each data set's measured rows, and its wide table, in which the published ones stand beside them."""
    for dataset in dict.fromkeys(row.dataset for row in results.rows):
        rows = [row for row in results.rows if row.dataset == dataset]
        quoted = published.published_rows(models) if dataset == published.DATASET else []
        if not quoted or _is_official(results.manifest):
            yield rows, wide_table([*rows, *quoted], manifest=results.manifest)
        else:
            table = wide_table(rows, manifest=results.manifest)
            yield rows, replace(table, notes=(*table.notes, OTHER_FILE))


def _is_official(manifest: Mapping[str, Any]) -> bool:
    """Whether every run of a manifest that measured the published data set did so on the file it was published on."""
    data = [run.get("data") or {} for run in manifest.get("runs", [manifest])]
    found = [entry.get("sha256") for entry in data if entry.get("name") == published.DATASET]
    return bool(found) and all(sha256 == OFFICIAL_SHA256 for sha256 in found)


def write_tables(
    folder: Path | str, results: Results, models: str | Sequence[str] = published.DEFAULT_MODELS
) -> tuple[Path, Path, Path]:
    """Write ``table.md``, ``table.tex`` and ``table.csv`` (all rows, long format, unscaled) and return their paths."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    built = tables(results, models)
    markdown, latex, long = (target / f"table.{kind}" for kind in ("md", "tex", "csv"))
    origins = origin(results.manifest)
    markdown.write_text("\n".join([*map(to_markdown, built), *origins]), encoding="utf-8")
    latex.write_text("\n".join(map(to_latex, built)), encoding="utf-8")
    write_csv(long, results.rows)
    return markdown, latex, long


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write rows in long format; an absent seed, k or interval is an empty field."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            entry = asdict(row).items()
            writer.writerow({key: round(value, DIGITS) if isinstance(value, float) else value for key, value in entry})


def print_tables(
    results: Results, models: str | Sequence[str] = published.DEFAULT_MODELS, console: Console | None = None
) -> None:
    """Print systems, categories and costs to the terminal; a narrow one shows no intervals, which table.md has."""
    console = console or Console()
    for rows, wide in _by_dataset(results, models):
        console.print(to_rich(wide, intervals=console.width >= INTERVAL_WIDTH))
        pivot = category_pivot(rows, manifest=results.manifest)
        if pivot.headers:
            console.print(to_rich(pivot, intervals=False))
    costs = cost_table(results.costs)
    if costs is not None:
        console.print(to_rich(costs))


@dataclass(frozen=True, slots=True)
class _Key:
    protocol: str
    system: str
    variant: str
    seed: int | None


def _grouped(rows: Sequence[Row], manifest: Mapping[str, Any]) -> dict[_Key, dict[tuple[str, Measure], Row]]:
    """Line -> (category, measure) -> row; systems in the manifest's order, then as they come."""
    order = list(dict.fromkeys(entry["system"] for entry in manifest.get("systems", [])))
    place = {name: index for index, name in enumerate(order)}
    groups: dict[_Key, dict[tuple[str, Measure], Row]] = {}
    for row in sorted(rows, key=lambda row: (row.protocol == published.PROTOCOL, place.get(row.system, len(place)))):
        key = _Key(row.protocol, row.system, row.variant, row.seed)
        groups.setdefault(key, {})[row.category, Measure(row.metric, row.unit, row.k)] = row
    return groups


class _Labels:
    """The texts that name a line; columns that would say the same nothing everywhere are left out."""

    def __init__(self, rows: Sequence[Row], manifest: Mapping[str, Any], parts: bool = True) -> None:
        entries = manifest.get("systems", [])
        self._of = {(entry["system"], entry.get("variant")): entry for entry in entries}
        keys = (key for entry in entries for key in entry if key not in ("system", "variant"))
        place = {part: index for index, part in enumerate(PARTS)}
        self._parts = sorted(dict.fromkeys(keys), key=lambda key: place.get(key, len(PARTS))) if parts else []
        self._variant = any(row.variant for row in rows)
        self._seed = len({row.seed for row in rows if row.seed is not None}) > 1
        self.names = (
            "system",
            *(["variant"] if self._variant else []),
            *(["seed"] if self._seed else []),
            "protocol",
            *self._parts,
        )

    def of(self, key: _Key) -> tuple[str, ...]:
        entry = self._of.get((key.system, key.variant)) or self._of.get((key.system, None)) or {}
        return (
            key.system,
            *([key.variant or MISSING] if self._variant else []),
            *([MISSING if key.seed is None else str(key.seed)] if self._seed else []),
            key.protocol,
            *(str(entry.get(part) or MISSING) for part in self._parts),
        )


def _category_names(rows: Sequence[Row], ids: Mapping[str, Any]) -> list[str]:
    present = dict.fromkeys(row.category for row in rows if row.category not in (MACRO, WEIGHTED))
    return [*(name for name in ids if name in present), *(name for name in present if name not in ids)]


def _dataset(rows: Sequence[Row]) -> str:
    names = sorted({row.dataset for row in rows})
    if len(names) != 1:
        raise ValueError(f"a table is of one data set, not of {names}")
    return names[0]


def _unit(rows: Sequence[Row]) -> str:
    units = dict.fromkeys(row.unit for row in rows)
    return "turn" if "turn" in units else next(iter(units))


def _cell(row: Row | None) -> Cell | None:
    if row is None:
        return None
    lo, hi = (None if end is None else 100 * end for end in (row.lo, row.hi))
    return Cell(100 * row.value, lo, hi)


def _with_best(lines: Sequence[Line], not_ranked: Sequence[bool]) -> tuple[Line, ...]:
    """Mark the best of each column; values that print alike are equally good."""
    ranked = [line.cells for line, skip in zip(lines, not_ranked, strict=True) if not skip]
    best = [
        max((round(cell.value, 1) for cell in column if cell is not None), default=None)
        for column in zip(*ranked, strict=True)
    ] or [None] * (len(lines[0].cells) if lines else 0)
    marked = []
    for line, skip in zip(lines, not_ranked, strict=True):
        cells = tuple(
            Cell(cell.value, cell.lo, cell.hi, not skip and round(cell.value, 1) == top) if cell is not None else None
            for cell, top in zip(line.cells, best, strict=True)
        )
        marked.append(Line(line.labels, cells))
    return tuple(marked)


def origin(manifest: Mapping[str, Any]) -> list[str]:
    """One Markdown paragraph for each distinct data, code and command."""
    lines = []
    for run in manifest.get("runs", [manifest]):
        data, command = run.get("data"), run.get("command")
        if data:
            text = f"Data: {data.get('name')} {data.get('version')}, sha256 {str(data.get('sha256'))[:12]}."
            lines.append(f"{text} Code: {run.get('git_sha') or 'not a checkout'}. `{command}`\n")
    return list(dict.fromkeys(lines))
