"""Tables of answers: retrieval and reading side by side, by category, where the loss lies, and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memorai.metrics.answer_scores import NO_K
from memorai.metrics.statistics import WEIGHTED
from memorai.report.answers import ANSWERABLE, AUDITED, Graded, metrics_of
from memorai.report.render import MISSING, Cell, Header, Line, Table
from memorai.report.results import Row
from memorai.report.significance import Versus, versus, versus_table
from memorai.report.tables import Measure

_NAMES = {
    "f1_locomo": "F1 locomo", "f1_set": "F1 set", "exact_match": "EM", "bleu1_nltk": "BLEU-1 nltk", "bleu": "BLEU",
    "rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L",
}  # fmt: skip


def answer_tables(
    rows: Sequence[Row],
    graded: Sequence[Graded],
    k: int,
    *,
    headline: str,
    baselines: Sequence[str],
    gold: str | None,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Lay out what `answer_rows` made.

    Args:
        rows: of one data set, all systems and readers.
        graded: the same, question by question.
        k: cut-off of the retrieval columns.
        headline: metric of the tables by category, of losses and of tests.
        baselines: readers with which each system's other readers are compared.
        gold: system whose contexts hold the evidence alone; None = no table of losses.
        notes: more sentences to print below the first table.
    """
    by = {(row.system, row.variant, row.category, row.metric, row.unit, row.k): row for row in rows}
    lines = list(dict.fromkeys((row.system, row.variant, row.protocol) for row in rows))
    tables = [_overall(by, lines, metrics_of(rows), k, notes), _categories(rows, by, lines, headline)]
    if gold is not None and len({system for system, *_ in lines}) > 1:
        tables.append(_losses(by, lines, headline, gold))
    for baseline in baselines:
        tables += _tests(graded, headline, baseline)
    return [table for table in tables if table.lines]


_By = Mapping[tuple[str, str, str, str, str, int | None], Row]
_Lines = Sequence[tuple[str, str, str]]


def _overall(by: _By, lines: _Lines, metrics: Sequence[str], k: int, notes: Sequence[str]) -> Table:
    columns: list[tuple[Header, str, str, str, int | None, float]] = [
        (Header(f"turn R@{k}"), WEIGHTED, "recall", "turn", k, 100.0),
        (Header("evidence in context"), WEIGHTED, "evidence", "context", None, 100.0),
        *((Header(_named(name), ANSWERABLE), ANSWERABLE, name, "answer", None, 100.0) for name in metrics),
        (Header("F1 locomo", "all"), WEIGHTED, "f1_locomo", "answer", None, 100.0),
        (Header("abstains rightly"), WEIGHTED, "abstention", "answer", None, 100.0),
        (Header("words"), WEIGHTED, "length", "answer", None, 1.0),
        (Header("context tokens"), WEIGHTED, "tokens", "context", None, 1.0),
    ]
    if any(category == AUDITED for _, _, category, *_ in by):
        columns.insert(-3, (Header("F1 locomo", AUDITED), AUDITED, "f1_locomo", "answer", None, 100.0))
    body = []
    for system, variant, protocol in lines:
        found = [by.get((system, variant, category, name, unit, cut)) for _, category, name, unit, cut, _ in columns]
        cells = tuple(_cell(row, column[-1]) for row, column in zip(found, columns, strict=True))
        overall = by.get((system, variant, WEIGHTED, "f1_locomo", "answer", None))
        answerable = by.get((system, variant, ANSWERABLE, "f1_locomo", "answer", None))
        counts = f"{_n(answerable)} / {_n(overall)}"
        body.append(Line((system, _reader(variant), protocol, counts), cells))
    below = (
        "Values x100 with 95 % intervals from resampled conversations, means over questions. n: answerable / all. "
        "Scores by overlap are over the answerable questions; F1 locomo over all counts, where there is no answer, "
        "whether the reader says so. Overlap rewards short answers: mean words stand beside it.",
        *notes,
    )
    headers = tuple(header for header, *_ in columns)
    return Table("Answers", ("system", "reader", "protocol", "n"), headers, tuple(body), below, ("protocol",))


def _categories(rows: Sequence[Row], by: _By, lines: _Lines, headline: str) -> Table:
    names = list(dict.fromkeys(row.category for row in rows if row.metric == headline and row.unit == "answer"))
    counts = {row.category: row.n for row in rows if row.metric == headline and row.unit == "answer"}
    headers = tuple(Header(f"{name} n={counts[name]}") for name in names)
    body = []
    for system, variant, _ in lines:
        found = tuple(_cell(by.get((system, variant, name, headline, "answer", None)), 100.0) for name in names)
        if any(found):
            body.append(Line((system, _reader(variant)), found))
    return Table(f"{_named(headline)} by category", ("system", "reader"), headers, tuple(body))


def _losses(by: _By, lines: _Lines, headline: str, gold: str) -> Table:
    """100 = reached + lost by retrieval + lost by reading, a line a system and reader."""
    body = []
    for system, variant, _ in lines:
        own = by.get((system, variant, ANSWERABLE, headline, "answer", None))
        best = by.get((gold, variant, ANSWERABLE, headline, "answer", None))
        if own is not None and best is not None and system != gold:
            values = (own.value, best.value - own.value, 1.0 - best.value)
            body.append(Line((system, _reader(variant), str(own.n)), tuple(Cell(100 * value) for value in values)))
    headers = tuple(Header(text) for text in ("reached", "lost by retrieval", "lost by reading"))
    note = (
        f"lost by retrieval: what the same reader gains when its context is the evidence alone ({gold}); below 0, it "
        "reads better with more around it. lost by reading: what is missing even then.",
    )
    title = f"Where {_named(headline)} is lost, answerable questions"
    return Table(title, ("system", "reader", "n"), headers, tuple(body), note)


def _tests(graded: Sequence[Graded], headline: str, baseline: str) -> list[Table]:
    found = []
    for system in dict.fromkeys(one.system for one in graded):
        own = [one for one in graded if one.system == system]
        kept = {question.id for question in own[0].questions if question.answerable}
        scored = {one.reader: one.only(kept).scored for one in own}
        if baseline in scored and len(scored) > 1 and kept:
            tests = versus(scored, baseline, [Measure(headline, "answer", NO_K)])
            table = versus_table([_without_k(test) for test in tests], f"the reader {baseline} on {system}, answerable")
            found.append(table)
    return found


def _without_k(test: Versus) -> Versus:
    return replace(test, measure=replace(test.measure, k=None))


def _reader(variant: str) -> str:
    first, _, rest = variant.partition(",")
    return first.removeprefix("reader=") + (f" ({rest})" if rest else "")


def _named(metric: str) -> str:
    return _NAMES.get(metric, metric.replace("_", " "))


def _n(row: Row | None) -> str:
    return MISSING if row is None else str(row.n)


def _cell(row: Row | None, scale: float) -> Cell | None:
    if row is None:
        return None
    lo, hi = (None if end is None else scale * end for end in (row.lo, row.hi))
    return Cell(scale * row.value, lo, hi)
