from __future__ import annotations

from dataclasses import replace

from memorai.metrics.overlap import overlaps
from memorai.report.compare import scored_rows
from memorai.report.splits import difficulty_split, overlap_split
from memorai.report.tables import Measure
from tests.report.comparing import DATASET, GOOD, POOR

SCORED = {o.system: scored_rows(DATASET, o, [1]) for o in (GOOD, POOR)}
R1 = Measure("recall", "turn", 1)


def test_thirds_of_overlap():
    # "Does Ann like tea?" stands whole in its evidence, "What town is home?" not at all
    table = overlap_split(SCORED, overlaps(DATASET), R1, 20)
    assert [str(header) for header in table.headers] == ["low overlap n=2", "high overlap n=2", "all"]
    assert [[cell.value for cell in line.cells] for line in table.lines] == [[100, 100, 100], [50, 0, 25]]
    assert [cell.best for cell in table.lines[0].cells] == [True] * 3


def test_difficulty_where_it_is_stated():
    table = difficulty_split(DATASET, SCORED, R1, 0)
    assert table is not None and [str(header) for header in table.headers] == ["easy n=2", "hard n=2", "all"]
    bare = tuple(
        replace(c, questions=tuple(replace(q, difficulty=None) for q in c.questions)) for c in DATASET.conversations
    )
    assert difficulty_split(replace(DATASET, conversations=bare), SCORED, R1, 0) is None
