from __future__ import annotations

from memorai.report.render import to_latex, to_markdown
from memorai.report.write_path import write_path_rows
from memorai.report.write_path_tables import write_path_tables
from tests.report.test_write_path import ALL, DATASET, LESS, run


def tables(*runs):
    return list(map(to_markdown, write_path_tables(write_path_rows(DATASET, runs, 10, n_resamples=0), ["A note."])))


def test_a_line_a_cell_in_both_tables():
    found, built = tables(run("keep_all", ALL, 0), run("rules", LESS, 1))
    assert "turn R@10 delta" in found and "A note." in found
    line = "| toy | session | rules | stems | untrained | 75.0 | 33.3 | 87.5 | -12.5 | "
    assert [row for row in found.splitlines() if row.startswith(line)]
    assert (
        "| toy | session | rules | stems | untrained | 10 | 0 | 0 | 0 | 0 | 0 | 0 | 0.25 | 0.50 | 0.75 | 0.50 | 2.00 |"
        in built
    )
    assert "repetitions" not in found


def test_repetitions_are_shown_with_their_spread():
    runs = [run("llm", ALL, 0, 0), run("llm", LESS, 1, 1)]
    found, _ = tables(run("keep_all", ALL, 0), *runs)
    # 100 and 87.5: mean 93.75, standard deviation 12.5 / sqrt 2
    assert "| 93.8 ± 8.8 |" in found
    assert "over 2 repetitions" in found
    assert sum("| llm |" in line for line in found.splitlines()) == 1


def test_latex_holds_the_spread():
    rows = write_path_rows(DATASET, [run("llm", ALL, 0, 0), run("llm", LESS, 1, 1)], 10, n_resamples=0)
    assert "93.8 ± 8.8" in to_latex(write_path_tables(rows)[0])
