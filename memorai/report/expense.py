"""What each system costs: time to index, time to answer by stage, bytes held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorai.harness.run import INDEX_STAGES, Outcome
from memorai.report.render import Line, Table

_MIB = 1 << 20
NOTES = (
    "index: seconds to index all conversations; query: milliseconds a question, mean of batches; with their stages. "
    "Vectors come from the cache where it holds them. memory: vectors, edges, inverted indexes of all conversations.",
)


@dataclass(frozen=True, slots=True)
class Expense:
    """One system's.

    Args:
        system: its name.
        index: seconds by stage, over all conversations.
        query: milliseconds a question by stage.
        memory: bytes.
    """

    system: str
    index: dict[str, float]
    query: dict[str, float]
    memory: int

    @property
    def index_seconds(self) -> float:
        """Seconds to index everything."""
        return sum(self.index.values())

    @property
    def query_ms(self) -> float:
        """Milliseconds a question."""
        return sum(self.query.values())


def expenses(outcomes: Sequence[Outcome]) -> list[Expense]:
    """Sum what the outcomes' stages took."""
    found = []
    for outcome in outcomes:
        index = {stage: sum(ms) / 1e3 for stage, ms in outcome.stages.items() if stage in INDEX_STAGES}
        asked = max(1, len(outcome.rankings))
        query = {stage: sum(ms) / asked for stage, ms in outcome.stages.items() if stage not in INDEX_STAGES}
        found.append(Expense(outcome.system, index, query, outcome.memory))
    return found


def expense_table(found: Sequence[Expense]) -> Table:
    """Lay the costs out, a line a system."""
    lines = [
        Line(
            (
                e.system,
                f"{e.index_seconds:.2f}",
                _stages(e.index, "{:.2f}"),
                f"{e.query_ms:.2f}",
                _stages(e.query, "{:.2f}"),
                f"{e.memory / _MIB:.1f}",
            ),
            (),
        )
        for e in found
    ]
    labels = ("system", "index, s", "of which", "query, ms", "of which", "memory, MiB")
    return Table("What it costs", labels, (), tuple(lines), NOTES)


def _stages(stages: dict[str, float], form: str) -> str:
    shown = ((stage, form.format(value)) for stage, value in sorted(stages.items(), key=lambda item: -item[1]))
    return ", ".join(f"{stage} {text}" for stage, text in shown if float(text)) or "–"
