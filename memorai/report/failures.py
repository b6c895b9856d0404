"""failures.md: what a system missed, in full, for people to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memorai.harness.run import Outcome, scored_questions
from memorai.metrics.retrieval import recall
from memorai.types import Conversation, Dataset, Question, Turn

FILE_NAME = "failures.md"
_EXCERPT = 160


def write_failures(
    folder: Path,
    dataset: Dataset,
    outcomes: Sequence[Outcome],
    systems: Sequence[str],
    *,
    k: int = 10,
    shown: int = 5,
    per_category: int = 10,
    quote: bool = True,
) -> Path:
    """Write the questions that each system answers worst, by category: what was asked, found and missed.

    Args:
        folder: gets failures.md.
        dataset: the questions.
        outcomes: of all systems; for each question it is said which of them found all of its evidence.
        systems: whose failures are listed.
        k: a question fails if its first k turns do not hold all evidence; the least recall comes first.
        shown: how many of the turns found are listed.
        per_category: most questions listed of a category.
        quote: print what was said; False prints ids alone, for data whose licence does not let it be copied.
    """
    by_name = {outcome.system: outcome for outcome in outcomes}
    parts = [f"# {dataset.name}: what was missed in the first {k} turns\n"]
    if not quote:
        parts.append(
            "Ids only: the data's licence does not allow it to be copied here. `compare.quote=true` prints it.\n"
        )
    for system in systems:
        parts.append(f"## {system}\n")
        failed = _failed(dataset, by_name[system], k)
        for category in [*dataset.categories, *(c for c in failed if c not in dataset.categories)]:
            entries = failed.get(category, [])
            if entries:
                total = sum(
                    question.category == category for c in dataset.conversations for question in scored_questions(c)
                )
                parts.append(f"### {category}: {len(entries)} of {total} questions, the worst {per_category}\n")
                parts += [
                    _entry(conversation, question, by_name, system, k, shown, quote)
                    for _, conversation, question in entries[:per_category]
                ]
    path = folder / FILE_NAME
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


_Failed = dict[str, list[tuple[float, Conversation, Question]]]


def _failed(dataset: Dataset, outcome: Outcome, k: int) -> _Failed:
    """Category -> failed questions, least recall first, then in the data set's order."""
    found: _Failed = {}
    for conversation in dataset.conversations:
        for question in scored_questions(conversation):
            share = recall(outcome.rankings[question.id].ids, question.evidence, k)
            if share < 1 and len(question.evidence) <= k:
                found.setdefault(question.category, []).append((share, conversation, question))
    return {category: sorted(entries, key=lambda entry: entry[0]) for category, entries in found.items()}


def _entry(
    conversation: Conversation,
    question: Question,
    by_name: Mapping[str, Outcome],
    system: str,
    k: int,
    shown: int,
    quote: bool,
) -> str:
    turns = {turn.id: turn for turn in conversation.turns}
    ranked = by_name[system].rankings[question.id].ids
    place = {id_: rank for rank, id_ in enumerate(ranked, 1)}
    others = [name for name, o in by_name.items() if set(question.evidence) <= set(o.rankings[question.id].ids[:k])]
    lines = [f"**{question.id}**" + (f" {_one_line(question.text)}" if quote else "")]
    if quote and question.answer:
        lines[0] += f" *({_one_line(question.answer)})*"
    for id_ in question.evidence:
        rank = place.get(id_)
        state = "missed" if rank is None else f"found at {rank}" if rank <= k else f"missed, at {rank}"
        lines.append(f"- evidence {_shown(turns[id_], quote)}: {state}")
    lines += [f"- {rank}. {_shown(turns[id_], quote)}" for rank, id_ in enumerate(ranked[:shown], 1)]
    lines.append(f"- found whole by: {', '.join(others) or 'no system'}")
    return "\n".join(lines) + "\n"


def _shown(turn: Turn, quote: bool) -> str:
    if not quote:
        return f"`{turn.id}`"
    text = _one_line(turn.text + (f" [{turn.caption}]" if turn.caption else ""))
    return f"`{turn.id}` {turn.speaker}: {text if len(text) <= _EXCERPT else text[:_EXCERPT] + ' …'}"


def _one_line(text: str) -> str:
    """On one line, with what Markdown would read as mark-up escaped."""
    flat = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|" else char for char in flat)
