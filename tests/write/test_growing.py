import numpy as np

from memorai.types import Turn
from memorai.write.extraction import Mention
from memorai.write.growing import MentionColumns, MentionTable


def test_columns_number_entities_and_say_what_changed():
    columns = MentionColumns()
    columns.put(0, ["tea", "cat"])
    columns.put(1, ["cat"])
    assert columns.keys == ["tea", "cat"]
    assert [array.tolist() for array in columns.flat()] == [[0, 1, 1], [0, 0, 1]]
    assert columns.take_changed() == [0, 1]
    columns.put(2, ["tea", "dog"])
    assert columns.take_changed() == [2, 0]
    assert columns.turn_counts().tolist() == [2, 2, 1]
    columns.put(0, ["cat", "dog"])  # an earlier turn: tea goes, dog comes, cat stays
    assert columns.take_changed() == [0, 2]
    assert [array.tolist() for array in columns.flat()] == [[1, 2, 1, 0, 2], [0, 0, 1, 2, 2]]
    assert columns.row(0) == [1, 2]
    columns.touch(1)
    assert columns.take_changed() == [1] and columns.take_changed() == []


def test_no_turn_and_an_empty_turn():
    columns = MentionColumns()
    assert columns.flat()[0].tolist() == [] and columns.turn_counts().tolist() == []
    columns.put(0, [])
    columns.put(1, ["tea"])
    assert [array.tolist() for array in columns.flat()] == [[0], [1]]


def test_a_table_written_out():
    turns = [Turn("a", "s", "Ann", "tea"), Turn("b", "s", "Ann", "cat")]
    table = MentionTable(["tea", "cat"], ["Tea", "cat"], np.array([1, 0]), np.array([0, 1]), np.array([1.0, 0.5]), [])
    assert table.extraction(turns).mentions == (Mention("cat", "cat", "a"), Mention("tea", "Tea", "b", 0.5))
    assert table.ends.shape == (2, 0)
