from __future__ import annotations

from memorai.report.write_path import write_path_rows
from memorai.report.write_path_plot import write_path_plot
from tests.report.test_write_path import ALL, DATASET, LESS, run


def test_the_same_rows_give_the_same_picture_with_every_gate_named(tmp_path):
    rows = write_path_rows(DATASET, [run("keep_all", ALL, 0), run("some_$gate$", LESS, 1)], 10, n_resamples=20)
    one, two = (write_path_plot(rows, tmp_path / name) for name in "ab")
    assert [path.name for path in one] == ["write_path.png", "write_path.svg"]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    text = one[1].read_text(encoding="utf-8")
    assert "some_$gate$" in text and "toy, session, stems" in text
