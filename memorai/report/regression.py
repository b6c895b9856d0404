"""A gate against getting worse: a run's rows against those of a recorded one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorai.errors import InputError
from memorai.report.results import Results, Row

#: values are rounded to six decimals
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Fall:
    """A value below the interval of the recorded one; ``now`` is None where the run does not have it at all."""

    before: Row
    now: Row | None

    def __str__(self) -> str:
        row = self.before
        name = " ".join(part for part in (row.dataset, row.system, row.variant, row.category) if part)
        cut = "" if row.k is None else f"@{row.k}"
        low = row.value if row.lo is None else row.lo
        if self.now is None:
            return f"{name}: {row.unit} {row.metric}{cut} is missing; it was {100 * row.value:.1f}"
        return (
            f"{name}: {row.unit} {row.metric}{cut} fell from {100 * row.value:.1f} to {100 * self.now.value:.1f}, "
            f"below its interval's end of {100 * low:.1f}"
        )


def falls(baseline: Results, run: Results) -> list[Fall]:
    """Return every row of the baseline that the run falls short of, in the baseline's order.

    A row falls short if its value is below the lower end of the recorded interval (below the recorded value, where
    there is no interval), or if it is missing. What the run has beyond the baseline does not matter. A protocol may
    differ: it says what a system has seen, not what it is.

    Raises:
        InputError: the two measured one data set's name on different files.
    """
    _check_same_data(baseline, run)
    now = {_key(row): row for row in run.rows}
    found = []
    for row in baseline.rows:
        other = now.get(_key(row))
        low = row.value if row.lo is None else row.lo
        if other is None or other.value < low - _ROUNDING:
            found.append(Fall(row, other))
    return found


def _key(row: Row) -> tuple[object, ...]:
    return row.dataset, row.system, row.variant, row.seed, row.category, row.metric, row.unit, row.k


def _check_same_data(baseline: Results, run: Results) -> None:
    before, now = (dict(_data(results)) for results in (baseline, run))
    for name in sorted(before.keys() & now.keys()):
        if before[name] != now[name]:
            raise InputError(
                f"{name}: baseline and run measured different files (sha256); record the baseline again on this one"
            )
    if not before.keys() & now.keys():
        raise InputError(f"baseline and run share no data set ({', '.join(before)} and {', '.join(now)})")


def _data(results: Results) -> Sequence[tuple[str, str]]:
    manifests = results.manifest.get("runs", [results.manifest])
    return [(str(d.get("name")), str(d.get("sha256"))) for m in manifests if (d := m.get("data"))]
