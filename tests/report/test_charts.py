from __future__ import annotations

import pytest

from memorai.report.charts import HEADLINE, category_bars, heat_maps, quality_and_latency, system_bars
from memorai.report.results import Row


def row(system: str, category: str, value: float, variant: str = "", lo: float | None = 0.1) -> Row:
    return Row("m$x$", "untrained", system, variant, 0, category, "ndcg", "turn", 10, value, lo, 0.9, 5)


ROWS = [row(s, c, v) for s, v in (("bm25", 0.4), ("dense", 0.5), ("oracle", 1.0)) for c in ("weighted", "easy", "hard")]


def test_charts_are_written_twice_and_are_the_same_bytes_each_time(tmp_path):
    for folder in (tmp_path / "a", tmp_path / "b"):
        system_bars(ROWS, HEADLINE, folder)
        category_bars(ROWS, HEADLINE, folder)
        quality_and_latency(ROWS, HEADLINE, {"bm25": 0.5, "dense": 2.0}, folder)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == [f"{name}.{kind}" for name in ("categories", "latency", "systems") for kind in ("png", "svg")]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_heat_map_needs_two_parameters(tmp_path):
    one = [row("memorai", "weighted", 0.1 * i, f"damping=0.{i}") for i in (1, 2)]
    assert heat_maps(one, HEADLINE, tmp_path) == []
    grid = [
        row("memorai", "weighted", 0.1 * i + 0.01 * j, f"damping=0.{i},restart={name},weights={w}")
        for i in (1, 2, 3)
        for j, name in enumerate(("cosine", "dense"))
        for w in ("static", "uniform")
    ]
    assert [path.name for path in heat_maps(grid, HEADLINE, tmp_path)] == [
        f"grid_damping_restart.{kind}" for kind in ("png", "svg")
    ]
    svg = (tmp_path / "grid_damping_restart.svg").read_text(encoding="utf-8")
    assert "weights=static" in svg or "<path" in svg


@pytest.mark.parametrize("rows", [[], [row("bm25", "easy", 0.4)]])
def test_nothing_to_draw_draws_nothing(tmp_path, rows):
    assert system_bars(rows, HEADLINE, tmp_path) == []
    assert quality_and_latency(rows, HEADLINE, {}, tmp_path) == []


def test_a_row_without_an_interval_has_a_bar(tmp_path):
    assert system_bars([row("bm25", "weighted", 0.4, lo=None)], HEADLINE, tmp_path)
