from __future__ import annotations

from memorai.report.expense import expense_table, expenses
from memorai.report.render import to_markdown
from tests.report.comparing import GOOD


def test_seconds_to_index_and_milliseconds_a_question():
    (cost,) = expenses([GOOD])
    assert (cost.index, cost.query) == ({"embed_documents": 1.5}, {"retrieve": 2.0})
    assert (cost.index_seconds, cost.query_ms) == (1.5, 2.0)
    assert "| good | 1.50 | embed_documents 1.50 | 2.00 | retrieve 2.00 | 3.0 |" in to_markdown(expense_table([cost]))
