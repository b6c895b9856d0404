from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.report.answer_tables import answer_tables
from memorai.report.answers import answer_rows
from tests.report.test_answers import ANSWERS, DATASET, graded

WORSE = {**ANSWERS, "c:q0": replace(ANSWERS["c:q0"], text="Oslo")}


def made(**options):
    parts = [
        replace(graded(answers), system=system, reader=reader)
        for system, reader, answers in (
            ("sys", "r", WORSE),
            ("sys", "base", {**WORSE, "c:q1": replace(ANSWERS["c:q1"], text="x")}),
            ("gold", "r", ANSWERS),
        )
    ]
    rows = [row for part in parts for row in answer_rows(part, DATASET, n_resamples=0, **options)]
    settings = {"headline": "f1_locomo", "baselines": ["base"], "gold": "gold"}
    return answer_tables(rows, parts, 10, **settings, notes=["a note"])


def column(table, header: str) -> list[float | None]:
    place = [str(h) for h in table.headers].index(header)
    return [None if line.cells[place] is None else line.cells[place].value for line in table.lines]


def test_the_tables_by_hand() -> None:
    overall, categories, losses, tests = made()
    assert [line.labels for line in overall.lines] == [
        ("sys", "r", "zero_shot", "3 / 4"),
        ("sys", "base", "zero_shot", "3 / 4"),
        ("gold", "r", "zero_shot", "3 / 4"),
    ]
    assert column(overall, "F1 locomo answerable") == pytest.approx([80 / 3, 0, 60], abs=1e-4)
    assert column(overall, "turn R@10") == [100, 100, 100]
    assert column(overall, "context tokens") == [9, 9, 9]
    assert overall.notes[-1] == "a note"
    assert column(categories, "temporal n=2") == pytest.approx([40, 0, 40])
    (lost,) = losses.lines  # the gold system has no reader "base"
    assert lost.labels == ("sys", "r", "3")
    assert [cell.value for cell in lost.cells] == pytest.approx([80 / 3, 100 / 3, 40], abs=1e-4)
    assert tests.title == "Against the reader base on sys, answerable"
    assert [line.labels[1:4] for line in tests.lines] == [
        ("answer f1_locomo", "macro", "+20.0"),  # temporal 40 of two categories
        ("answer f1_locomo", "weighted", "+26.7"),
    ]


def test_an_audit_has_a_column() -> None:
    assert column(made(faulty={"c:q3"})[0], "F1 locomo audited") == pytest.approx([40, 0, 90])


def test_what_was_not_asked_for_is_not_there() -> None:
    rows = answer_rows(graded(), DATASET, n_resamples=0)
    tables = answer_tables(rows, [graded()], 10, headline="f1_locomo", baselines=[], gold=None)
    assert [table.title for table in tables] == ["Answers", "F1 locomo by category"]
