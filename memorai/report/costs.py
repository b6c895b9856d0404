"""What a run asked of language models, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from memorai.report.render import Line, Table
from memorai.report.results import Cost

COLUMNS = ("system", "stage", "calls", "from cache", "failed", "prompt tokens", "completion tokens", "seconds")
NOTES = (
    "calls: replies, those from the cache included; tokens: of the others. failed: calls that gave nothing usable, for "
    "which the step fell back. What two systems share is paid by the first.",
)


def cost_table(costs: Sequence[Cost]) -> Table | None:
    """Lay costs out, a line a system and stage and a line for each system's sum; None where nothing was asked."""
    lines: list[Line] = []
    for system in dict.fromkeys(cost.system for cost in costs):
        stages = [cost for cost in costs if cost.system == system]
        lines += [_line(cost) for cost in stages]
        if len(stages) > 1:
            lines.append(_line(_sum(system, stages)))
    return Table("Language model", COLUMNS, (), tuple(lines), NOTES) if lines else None


def _sum(system: str, costs: Sequence[Cost]) -> Cost:
    return Cost(
        system,
        "all",
        sum(cost.calls for cost in costs),
        sum(cost.prompt_tokens for cost in costs),
        sum(cost.completion_tokens for cost in costs),
        sum(cost.cached for cost in costs),
        sum(cost.seconds for cost in costs),
        sum(cost.failed for cost in costs),
    )


def _line(cost: Cost) -> Line:
    counts = (cost.calls, cost.cached, cost.failed, cost.prompt_tokens, cost.completion_tokens)
    return Line((cost.system, cost.stage, *map(str, counts), f"{cost.seconds:.1f}"), ())
