"""What has been published about memory systems that cannot be run here, with who said it and what was meant."""

from __future__ import annotations

import csv
from importlib import resources

from memorai.report.render import Line, Table

FILE = "published_systems.csv"
_COLUMNS = ("system", "metric", "value", "reported_by", "definition", "source")
#: variants of a data set that share a source's figures
_SAME = {"locomo_lmeb": "locomo", "longmemeval_s_user": "longmemeval_s"}
NOTES = (
    "Quoted, not measured: other readers, judges, question sets and definitions than the rows above, and than one "
    "another. They stand here so that nobody has to look them up, not to be compared with a measured row.",
)


def published_table(dataset: str) -> Table | None:
    """Return the published figures on a data set, in the file's order; None where there are none."""
    name = _SAME.get(dataset, dataset)
    lines = [
        Line(tuple(entry[column] for column in _COLUMNS), ())
        for entry in published_entries()
        if entry["dataset"] == name
    ]
    labels = tuple(column.replace("_", " ") for column in _COLUMNS)
    return Table(f"Published about {name}, not measured here", labels, (), tuple(lines), NOTES) if lines else None


def published_entries() -> list[dict[str, str]]:
    """Return all records of the file."""
    text = resources.files("memorai.report").joinpath(FILE).read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
