from memorai.report.costs import cost_table
from memorai.report.render import to_markdown
from memorai.report.results import Cost, Results
from memorai.report.tables import tables


def test_a_line_a_stage_and_a_sum_for_systems_of_several_stages():
    costs = [
        Cost("a", "extract", 5, 100, 20, 2, 1.25, 1),
        Cost("a", "gate", 2, 10, 4, 0, 0.5, 0),
        Cost("b", "gate", 1, 7, 3, 1, 0.0, 0),
    ]
    table = cost_table(costs)
    assert table is not None
    assert table.labels[2:5] == ("calls", "from cache", "failed")
    assert [line.labels for line in table.lines] == [
        ("a", "extract", "5", "2", "1", "100", "20", "1.2"),
        ("a", "gate", "2", "0", "0", "10", "4", "0.5"),
        ("a", "all", "7", "2", "1", "110", "24", "1.8"),
        ("b", "gate", "1", "1", "0", "7", "3", "0.0"),
    ]
    assert "| a | all | 7 | 2 | 1 | 110 | 24 | 1.8 |" in to_markdown(table)
    assert tables(Results(costs=costs)) == [table]


def test_no_table_where_nothing_was_asked():
    assert cost_table([]) is None
    assert tables(Results()) == []
