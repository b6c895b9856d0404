"""``results.json``: what a run measured, what it cost, and everything needed to run it again.

One object with four keys. ``manifest`` says how the numbers came about (see `memorai.report.manifest`), ``rows`` holds
one value each in long format, ``timings`` and ``costs`` one stage each. The same content gives the same bytes: keys and
rows are sorted, floats have 6 decimals, and one row stands on one line so that two runs can be diffed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from memorai.errors import InputError
from memorai.report.jsonable import dumps

FILE_NAME = "results.json"

PROTOCOLS = ("untrained", "zero_shot", "loco", "within")
"""What a measured system can have seen of the test data; rows of published tables have a protocol of their own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mean with its interval.

    Args:
        dataset: e.g. ``locomo_lmeb``.
        protocol: what the system has seen: untrained, zero_shot, loco (leave one conversation out) or within.
        system: its name.
        variant: what a sweep changed, e.g. ``damping=0.3``; empty if nothing.
        seed: of the system; None if nothing in it is random.
        category: a category of the data set, ``macro`` (mean of category means) or ``weighted`` (mean over questions).
        metric: ndcg, recall, mrr, ...
        unit: what is retrieved or judged: turn, session, answer.
        k: cut-off; None if the metric has none.
        value: the mean, in the metric's own scale (0 to 1 for rankings), finite.
        lo: lower end of the 95 % interval, or None.
        hi: upper end.
        n: number of questions averaged.
    """

    dataset: str
    protocol: str
    system: str
    variant: str
    seed: int | None
    category: str
    metric: str
    unit: str
    k: int | None
    value: float
    lo: float | None
    hi: float | None
    n: int

    def __post_init__(self) -> None:
        for name in ("value", "lo", "hi"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{name} of {self.system} {self.category} {self.metric}@{self.k} is {number}")


@dataclass(frozen=True, slots=True)
class Timing:
    """Latency of one stage of one system over n calls, in milliseconds."""

    system: str
    stage: str
    p50_ms: float
    p95_ms: float
    n: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Language model use of one stage of one system, as `memorai.models.llm.StageUse` counts it.

    What two systems share (an index taken from memory, a reply from the cache) is paid by the first of them.

    Args:
        system: its name.
        stage: segment, gate, summarize, extract, ...
        calls: replies, those of a cache included.
        prompt_tokens: of uncached calls.
        completion_tokens: likewise.
        cached: calls that a cache answered.
        seconds: wall time.
        failed: calls that gave nothing usable, cached ones too; the stage fell back for each.
    """

    system: str
    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached: int
    seconds: float = 0.0
    failed: int = 0


@dataclass(frozen=True)
class Results:
    """Everything one run has to say."""

    manifest: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[Row] = ()
    timings: Sequence[Timing] = ()
    costs: Sequence[Cost] = ()

    def write(self, folder: Path | str) -> Path:
        """Write ``results.json`` into a folder, which is made if need be, and return its path."""
        path = Path(folder) / FILE_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = {
            "manifest": "\n ".join(dumps(self.manifest, indent=1).splitlines()),
            "rows": _lines(sorted(self.rows, key=_order)),
            "timings": _lines(sorted(self.timings, key=lambda t: (t.system, t.stage))),
            "costs": _lines(sorted(self.costs, key=lambda c: (c.system, c.stage))),
        }
        body = ",\n".join(f' "{key}": {text}' for key, text in parts.items())
        path.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path | str) -> Results:
        """Read a ``results.json``, or the one in a folder.

        Raises:
            InputError: the file is missing, is no JSON, or a record in it is not of the form above.
        """
        file = Path(path)
        if file.is_dir():
            file = file / FILE_NAME
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            dumps(data).encode("utf-8")  # a lone surrogate, which JSON can spell, could not be written again
        except FileNotFoundError:
            raise InputError(f"{file}: no such file; name a folder in which a run finished") from None
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{file}: cannot be read as JSON ({_one_line(error)}); run it again") from None
        if not isinstance(data, dict) or not isinstance(data.get("manifest"), dict):
            raise InputError(f"{file}: not a results file, it has no manifest; run it again")
        _check_manifest(data["manifest"], file)
        rows = _records(data, "rows", Row, file)
        for index, row in enumerate(rows):
            if row.protocol not in PROTOCOLS:
                raise InputError(
                    f"{file}: rows[{index}].protocol must be one of {', '.join(PROTOCOLS)}, "
                    f"not {row.protocol!r}; run it again"
                )
        check_distinct(rows, str(file))
        return cls(
            manifest=data["manifest"],
            rows=rows,
            timings=_records(data, "timings", Timing, file),
            costs=_records(data, "costs", Cost, file),
        )


def check_distinct(rows: Sequence[Row], where: str) -> None:
    """Raise InputError if two rows give different values for the same thing, of which a table would show only one.

    Args:
        rows: of one run, or of several that are to share a table.
        where: what the message names.
    """
    seen: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        other = seen.setdefault(_order(row), row)
        if other != row:
            what = f"{row.dataset} {row.system} {row.variant} {row.category} {row.unit} {row.metric}@{row.k}"
            raise InputError(
                f"{where}: two rows differ on {' '.join(what.split())} ({other.value} and {row.value}, "
                f"n {other.n} and {row.n}); run it again"
            )


def _check_manifest(manifest: Mapping[str, Any], file: Path) -> None:
    """Check what tables read of a manifest; the rest may hold anything."""

    def text(value: Any) -> bool:
        return value is None or isinstance(value, str)

    def refuse(what: str) -> InputError:
        return InputError(f"{file}: manifest.{what}; run it again")

    for key, name in (("systems", "system"), ("categories", "name")):
        entries = manifest.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(e, dict) and name in e for e in entries):
            raise refuse(f"{key} must be a list of objects with a {name}")
        if not all(isinstance(e[name], str) and all(map(text, e.values())) for e in entries):
            raise refuse(f"{key} must hold texts")
    data, notes, runs = manifest.get("data"), manifest.get("notes", []), manifest.get("runs", [])
    if data is not None and not (isinstance(data, dict) and all(map(text, data.values()))):
        raise refuse("data must be an object of texts")
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise refuse("notes must be a list of texts")
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise refuse("runs must be a list of manifests")
    for run in runs:
        _check_manifest(run, file)


def _order(row: Row) -> tuple[Any, ...]:
    number = (-1 if row.seed is None else row.seed, row.category, row.metric, row.unit, -1 if row.k is None else row.k)
    return (row.dataset, row.protocol, row.system, row.variant, *number)


def _lines(records: Sequence[Any]) -> str:
    return "[" + ",".join(f"\n  {dumps(asdict(record))}" for record in records) + ("\n ]" if records else "]")


_Record = TypeVar("_Record", Row, Timing, Cost)

_TYPES: dict[str, Callable[[Any], bool]] = {
    "str": lambda v: isinstance(v, str),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "float": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "int | None": lambda v: v is None or _TYPES["int"](v),
    "float | None": lambda v: v is None or _TYPES["float"](v),
}


def _records(data: Mapping[str, Any], key: str, kind: type[_Record], file: Path) -> tuple[_Record, ...]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise InputError(f"{file}: {key} is not a list; run it again")
    expected = {f.name: str(f.type) for f in fields(kind)}
    records = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or set(entry) != set(expected):
            raise InputError(f"{file}: {key}[{index}] must have exactly the keys {', '.join(expected)}; run it again")
        for name, text in expected.items():
            if not _TYPES[text](entry[name]):
                raise InputError(f"{file}: {key}[{index}].{name} must be {text}, not {entry[name]!r}; run it again")
        try:
            records.append(kind(**entry))
        except (ValueError, OverflowError) as error:
            raise InputError(f"{file}: {key}[{index}]: {error}; run it again") from None
    return tuple(records)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
