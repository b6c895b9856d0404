from __future__ import annotations

from tests.toys import toy_graph


def test_rows_stack_entities_turns_and_snippets():
    graph = toy_graph()
    assert graph.rows("entity") == slice(0, 3)
    assert graph.rows("turn") == slice(3, 8)
    assert graph.rows("snippet") == slice(8, 10)
    assert graph.num_nodes == 10
