from __future__ import annotations

import csv

from memorai.report.curves import write_curves


def test_table_and_figure(tmp_path):
    rows = [("a", 1, 2.0, 0.5), ("a", 2, 1.5, 0.625), ("b", 1, 3.0, None)]
    assert [path.name for path in write_curves(rows, tmp_path)] == ["curves.csv", "curves.png"]
    with (tmp_path / "curves.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["validation_ndcg@10"] for row in read] == ["0.500000", "0.625000", ""]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_was_trained(tmp_path):
    assert [path.name for path in write_curves([], tmp_path)] == ["curves.csv"]
