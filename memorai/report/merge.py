"""Several runs as one: their rows side by side, told apart by variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memorai.errors import InputError
from memorai.report.results import FILE_NAME, Cost, Results, Row, check_distinct


def find_runs(path: Path | str) -> list[Path]:
    """Return the results files that a path names: itself, the one in it, or those below it (a multirun folder).

    Raises:
        InputError: there is none.
    """
    given = Path(path)
    if given.is_file():
        return [given]
    if (given / FILE_NAME).is_file():
        return [given / FILE_NAME]
    found = sorted(given.rglob(FILE_NAME), key=_natural) if given.is_dir() else []
    if not found:
        raise InputError(f"{given}: no {FILE_NAME} in or below it; name a folder in which a run finished")
    return found


def read_runs(paths: Iterable[Path | str]) -> list[tuple[str, Results]]:
    """Read runs and name each by the last parts of its folder that tell it from the others.

    Raises:
        InputError: a file is missing or corrupt, or holds no row.
    """
    runs = []
    for name, file in named_files(paths):
        results = Results.read(file)
        if not results.rows:
            raise InputError(f"{file}: rows is empty, so there is nothing to report; run it again")
        runs.append((name, results))
    return runs


def named_files(paths: Iterable[Path | str]) -> list[tuple[str, Path]]:
    """Return every results file once, with the last parts of its folder that tell it from the others.

    Raises:
        InputError: a path names none.
    """
    files = list(dict.fromkeys(file.resolve() for path in paths for file in find_runs(path)))
    names = _short_names([file.parent if file.name == FILE_NAME else file.with_suffix("") for file in files])
    return list(zip(names, files, strict=True))


def merge(runs: Sequence[tuple[str, Results]]) -> Results:
    """Put the rows of several runs into one.

    A system that several runs measured with the same variant and seed is kept once if all its rows agree (a baseline
    that a sweep repeats); otherwise each gets ``run=<name>`` added to its variant.

    Args:
        runs: (name, results), as `read_runs` gives them; names differ.

    Returns:
        All rows, timings and costs; the manifest holds those of the runs under ``runs``.

    Raises:
        InputError: two runs measured one data set's name on different data, so that no table may hold both, or rows
            of one run contradict each other.
    """
    _check_data(runs)
    variants = variants_of(runs)
    rows: dict[Row, None] = {}
    systems: dict[tuple[str, str], dict[str, Any]] = {}
    for name, results in runs:
        labels = {entry["system"]: entry for entry in results.manifest.get("systems", []) if "variant" not in entry}
        exact = {(e["system"], e["variant"]): e for e in results.manifest.get("systems", []) if "variant" in e}
        place = {system: index for index, system in enumerate(labels)}
        for row in sorted(results.rows, key=lambda row: place.get(row.system, len(place))):
            variant = variants[name, key_of(row)]
            rows[replace(row, variant=variant)] = None
            entry = exact.get((row.system, row.variant)) or labels.get(row.system) or {}
            systems.setdefault((row.system, variant), {**entry, "system": row.system, "variant": variant})
    check_distinct(tuple(rows), f"runs {', '.join(name for name, _ in runs)}")
    manifests = [results.manifest for _, results in runs]
    return Results(
        manifest={
            "runs": [{"name": name, **results.manifest} for name, results in runs],
            "systems": list(systems.values()),
            "categories": _union(entry for manifest in manifests for entry in manifest.get("categories", [])),
            "notes": _union(note for manifest in manifests for note in manifest.get("notes", [])),
        },
        rows=tuple(rows),
        timings=tuple(timing for _, results in runs for timing in results.timings),
        costs=_costs(runs),
    )


def _costs(runs: Sequence[tuple[str, Results]]) -> tuple[Cost, ...]:
    """All costs; where several runs have some, a system's name says of which run it is."""
    several = sum(bool(results.costs) for _, results in runs) > 1
    return tuple(
        replace(cost, system=f"{cost.system} run={name}") if several else cost
        for name, results in runs
        for cost in results.costs
    )


#: dataset, protocol, system, variant and seed: what a line of a table stands for
Key = tuple[str, str, str, str, int | None]


def key_of(row: Row) -> Key:
    """Return the line of a table that a row belongs to."""
    return row.dataset, row.protocol, row.system, row.variant, row.seed


def variants_of(runs: Sequence[tuple[str, Results]]) -> dict[tuple[str, Key], str]:
    """Return, by run and line, the variant under which the merged table shows it."""
    lines: dict[Key, dict[str, set[Row]]] = defaultdict(lambda: defaultdict(set))
    for name, results in runs:
        for row in results.rows:
            lines[key_of(row)][name].add(row)
    variants = {}
    for key, by_run in lines.items():
        contents = list(by_run.values())
        clash = any(content != contents[0] for content in contents)
        for name in by_run:
            parts = [key[3], f"run={name}" if clash else ""]
            variants[name, key] = ",".join(part for part in parts if part)
    return variants


def _check_data(runs: Sequence[tuple[str, Results]]) -> None:
    seen: dict[str, tuple[str, str | None]] = {}
    for name, results in runs:
        data = results.manifest.get("data") or {}
        dataset, sha256 = data.get("name"), data.get("sha256")
        if dataset is None:
            continue
        other, expected = seen.setdefault(dataset, (name, sha256))
        if sha256 != expected:
            raise InputError(
                f"runs {other} and {name} measured {dataset} on different files (sha256); "
                "merge them apart, or give each file a dataset.name of its own"
            )


def _union(entries: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        if entry not in kept:
            kept.append(entry)
    return kept


def _short_names(folders: Sequence[Path]) -> list[str]:
    depth = 1
    while True:
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names) or depth >= max(len(folder.parts) for folder in folders):
            return names
        depth += 1


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Order job folders 0, 1, 2, ..., 10 by number, others by name."""
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in path.parts]
