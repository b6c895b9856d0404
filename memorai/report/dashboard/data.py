"""What the dashboard shows, as plain data: the rows of many runs without what repeats, and how they came about."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memorai.metrics.statistics import MACRO, WEIGHTED
from memorai.report.dashboard.config_diff import differing
from memorai.report.dashboard.missed import FILE_NAME as PREDICTIONS
from memorai.report.dashboard.missed import Missed, read_missed
from memorai.report.manifest import sanitise
from memorai.report.merge import key_of, merge, named_files, read_runs, variants_of
from memorai.report.plots import parse_variant
from memorai.report.results import FILE_NAME, Results, Row
from memorai.report.tables import CEILINGS, PARTS, SCALED, Measure


@dataclass(frozen=True)
class Runs:
    """Runs as their folders hold them.

    Args:
        results: (name, results), as `read_runs` gives them.
        missed: run -> the questions that none of its systems answered whole, for runs that kept their predictions.
        unfinished: jobs of a multirun that left no results, by name.
    """

    results: Sequence[tuple[str, Results]]
    missed: Mapping[str, Sequence[Missed]] = field(default_factory=dict)
    unfinished: Sequence[str] = ()


def read(paths: Sequence[Path | str]) -> Runs:
    """Read runs, multiruns and recorded results, with the predictions beside them.

    Raises:
        InputError: a file is missing or corrupt.
    """
    results, missed = read_runs(paths), {}
    for name, file in named_files(paths):
        predictions = file.with_name(PREDICTIONS)
        if file.name == FILE_NAME and predictions.is_file():
            missed[name] = read_missed(predictions)
    return Runs(results, missed, list(_unfinished(map(Path, paths))))


def dashboard(runs: Runs, quotes: Mapping[tuple[str, str], tuple[str, str]] | None = None) -> dict[str, Any]:
    """Return the page's data, which JSON can hold.

    ``lines`` holds one entry a line of the tables: ``cells`` are its values as (measure, category, value, lo, hi, n),
    the first two as places in ``measures`` and ``categories``. Everything else is described where the page reads it.

    Args:
        runs: to show.
        quotes: (sha256 of the data, question) -> (text, answer), to be shown with the questions missed.

    Raises:
        InputError: the runs cannot stand in one table, see `memorai.report.merge.merge`.
    """
    merged = merge(runs.results)
    names = [name for name, _ in runs.results]
    measures = sorted({Measure(row.metric, row.unit, row.k) for row in merged.rows}, key=_order)
    given = [str(entry["name"]) for entry in merged.manifest["categories"]]
    found = {row.category: None for row in merged.rows}
    categories = [name for name in dict.fromkeys((WEIGHTED, MACRO, *given, *found)) if name in found]
    described = list(_described(runs.results))
    return {
        "runs": names,
        "unfinished": list(runs.unfinished),
        "datasets": list(dict.fromkeys(row.dataset for row in merged.rows)),
        "measures": [
            {"metric": m.metric, "unit": m.unit, "k": m.k, "name": str(m), "scale": 100 if m.metric in SCALED else 1}
            for m in measures
        ],
        "categories": categories,
        "lines": _lines(runs.results, merged, measures, categories),
        "timings": [
            [run, t.system, t.stage, t.p50_ms, t.p95_ms, t.n]
            for run, (_, r) in enumerate(runs.results)
            for t in r.timings
        ],
        "costs": [
            [run, c.system, c.stage, c.calls, c.prompt_tokens, c.completion_tokens, c.cached, c.seconds, c.failed]
            for run, (_, r) in enumerate(runs.results)
            for c in r.costs
        ],
        "failures": [
            [name, *(str(sanitise(failure.get(key, ""))) for key in ("system", "conversation", "error"))]
            for name, manifest in described
            for failure in manifest.get("failures") or []
            if isinstance(failure, Mapping)
        ],
        "missed": _missed(runs, names, quotes or {}),
        "config": {
            "runs": [name for name, manifest in described],
            "rows": differing([_config(manifest) for _, manifest in described]),
        },
        "provenance": [_provenance(name, manifest) for name, manifest in described],
        "notes": sanitise(merged.manifest["notes"]),
    }


def _order(measure: Measure) -> tuple[Any, ...]:
    """What a table shows first comes first: turns before sessions, nDCG, then recall."""
    units, metrics = ("turn", "session"), ("ndcg", "recall", "mrr")
    unit = units.index(measure.unit) if measure.unit in units else len(units)
    metric = metrics.index(measure.metric) if measure.metric in metrics else len(metrics)
    return unit, measure.unit, metric, measure.metric, measure.k or 0


def _lines(
    runs: Sequence[tuple[str, Results]], merged: Results, measures: Sequence[Measure], categories: Sequence[str]
) -> list[dict[str, Any]]:
    variants, places = variants_of(runs), {name: place for place, (name, _) in enumerate(runs)}
    of_run: dict[tuple[Any, ...], dict[int, None]] = {}
    for (run, key), variant in variants.items():
        of_run.setdefault((*key[:3], variant, key[4]), {})[places[run]] = None
    labels = {(entry["system"], entry["variant"]): entry for entry in merged.manifest["systems"]}
    at = {measure: place for place, measure in enumerate(measures)}
    column = {category: place for place, category in enumerate(categories)}
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in merged.rows:
        key = key_of(row)
        if key not in lines:
            entry = labels.get((row.system, row.variant), {})
            parts = [f"{part} {entry[part]}" for part in PARTS if entry.get(part) not in (None, "none")]
            # a run that is told apart by its name alone is no parameter that somebody swept
            swept = {name: value for name, value in parse_variant(row.variant).items() if name != "run"}
            lines[key] = {
                **{name: getattr(row, name) for name in ("dataset", "protocol", "system", "variant", "seed")},
                **{"parts": ", ".join(parts), "swept": swept, "runs": list(of_run[key])},
                **{"ceiling": row.system in CEILINGS, "cells": []},
            }
        lines[key]["cells"].append(_cell(row, at, column))
    return list(lines.values())


def _cell(row: Row, at: Mapping[Measure, int], column: Mapping[str, int]) -> list[float | int | None]:
    return [at[Measure(row.metric, row.unit, row.k)], column[row.category], row.value, row.lo, row.hi, row.n]


def _described(runs: Sequence[tuple[str, Results]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Manifests by name; results that were merged of several runs have one a run."""
    for name, results in runs:
        inner = results.manifest.get("runs")
        if inner:
            for place, manifest in enumerate(inner):
                yield f"{name}/{manifest.get('name', place)}", manifest
        else:
            yield name, results.manifest


def _config(manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    config = manifest.get("config")
    return config if isinstance(config, Mapping) else None


def _provenance(name: str, manifest: Mapping[str, Any]) -> dict[str, Any]:
    clean = sanitise({key: manifest.get(key) for key in ("git_sha", "started", "seed", "seconds")})
    data, hardware, packages = (sanitise(manifest.get(key) or {}) for key in ("data", "hardware", "packages"))
    flat = {f"data_{key}": data.get(key) for key in ("name", "version", "sha256")}
    command = _command(str(manifest.get("command") or ""))
    return {
        "run": name,
        "command": command,
        **clean,
        **flat,
        "hardware": _listed(hardware),
        "packages": _listed(packages),
    }


def _command(text: str) -> str:
    """A command line without paths and secrets, which hide from `sanitise` in the middle of a text."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return shlex.join(map(sanitise, words))


def _listed(values: Any) -> str:
    if not isinstance(values, Mapping):
        return str(values)
    return ", ".join(f"{key} {', '.join(map(str, v)) if isinstance(v, list) else v}" for key, v in values.items())


def _missed(runs: Runs, names: Sequence[str], quotes: Mapping[tuple[str, str], tuple[str, str]]) -> dict[str, Any]:
    """Questions and systems once; by run a list of question, best recall in percent, who had it (-1: nobody), ..."""
    manifests = dict(runs.results)
    places: dict[tuple[str, str], int] = {}
    questions: list[dict[str, Any]] = []
    systems: dict[str, int] = {}
    datasets: dict[int, str] = {}
    by_run: dict[int, list[float]] = {}
    for name, missed in runs.missed.items():
        data = manifests[name].manifest.get("data") or {}
        dataset, sha256 = str(data.get("name") or ""), str(data.get("sha256") or "")
        datasets[names.index(name)] = dataset
        found = by_run.setdefault(names.index(name), [])
        for entry in missed:
            key = (dataset, entry.question)
            if key not in places:
                text, answer = quotes.get((sha256, entry.question), (None, None))
                places[key] = len(questions)
                told = {"dataset": dataset, "id": entry.question, "category": entry.category, "gold": entry.evidence}
                questions.append(told if text is None else {**told, "text": text, "answer": answer})
            system = systems.setdefault(entry.system, len(systems)) if entry.system else -1
            found += [places[key], round(100 * entry.recall, 1), system]
    return {"questions": questions, "systems": list(systems), "data": datasets, "runs": by_run}


def _unfinished(paths: Iterator[Path]) -> Iterator[str]:
    for path in paths:
        for folder in sorted(path.rglob(".hydra")) if path.is_dir() else ():
            if folder.is_dir() and not (folder.parent / FILE_NAME).is_file():
                yield folder.parent.relative_to(path.parent).as_posix()
