"""Every system against one baseline on the same questions: difference, p-value, wins, ties and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memorai.errors import InputError
from memorai.metrics.statistics import MACRO, WEIGHTED, holm, paired_permutation
from memorai.report.compare import Scored
from memorai.report.render import Line, Table
from memorai.report.tables import Measure

#: differences of single questions below this are rounding
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Versus:
    """One system minus the baseline on one measure.

    Args:
        system: its name.
        measure: what was compared.
        category: ``macro`` or ``weighted``.
        difference: in the metric's own scale.
        p: of the paired permutation test over conversations.
        p_holm: adjusted for all tests of the same measure and average (Holm, 1979).
        wins: questions on which the system is better; ties and losses likewise.
        ties: see wins.
        losses: see wins.
    """

    system: str
    measure: Measure
    category: str
    difference: float
    p: float
    p_holm: float
    wins: int
    ties: int
    losses: int


def versus(scored: Mapping[str, Scored], baseline: str, measures: Sequence[Measure]) -> list[Versus]:
    """Compare every other system with the baseline.

    Args:
        scored: by system, all over the same questions.
        baseline: one of them.
        measures: with a k each.

    Raises:
        InputError: the baseline is not among the systems.
        ValueError: two systems were not scored on the same questions.
    """
    if baseline not in scored:
        raise InputError(f"compare.baseline={baseline} is not among the systems: {', '.join(scored)}")
    base = scored[baseline]
    found: list[Versus] = []
    for measure in measures:
        for category in (MACRO, WEIGHTED):
            kinds = base.categories if category == MACRO else None
            tests, names = [], [name for name in scored if name != baseline]
            for name in names:
                if scored[name].clusters != base.clusters or scored[name].categories != base.categories:
                    raise ValueError(f"systems {name} and {baseline} were scored on different questions")
                ours, theirs = (s.values(measure.metric, measure.unit, measure.k or 0) for s in (scored[name], base))
                gains = [a - b for a, b in zip(ours, theirs, strict=True)]
                tests.append((paired_permutation(ours, theirs, base.clusters, categories=kinds), gains))
            adjusted = holm([test.p_value for test, _ in tests])
            for name, (test, gains), p in zip(names, tests, adjusted, strict=True):
                wins, losses = sum(gain > _TIE for gain in gains), sum(gain < -_TIE for gain in gains)
                counts = wins, len(gains) - wins - losses, losses
                found.append(Versus(name, measure, category, test.difference, test.p_value, p, *counts))
    return found


def versus_table(found: Sequence[Versus], baseline: str) -> Table:
    """Lay the comparisons out, a line a system and measure."""
    lines = [
        Line(
            (
                v.system,
                str(v.measure),
                v.category,
                f"{100 * v.difference:+.1f}",
                f"{v.p:.3f}",
                f"{v.p_holm:.3f}",
                f"{v.wins} / {v.ties} / {v.losses}",
            ),
            (),
        )
        for v in found
    ]
    notes = (
        "Differences in points. p: paired permutation of whole conversations, two-sided (with n conversations "
        "it is 2 / 2^n at best); Holm: adjusted over the systems of the same measure and average. "
        "Wins, ties and losses count questions.",
    )
    labels = ("system", "measure", "average", "difference", "p", "p (Holm)", "wins / ties / losses")
    return Table(f"Against {baseline}", labels, (), tuple(lines), notes)
