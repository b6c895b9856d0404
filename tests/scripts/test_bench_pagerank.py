from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from pagerank_bench import engines, measure, probe, problem, report  # noqa: E402

FIELDS = {
    *("engine", "damping", "nodes", "edges", "batch"),
    *("ms_per_query", "ratio_to_ours", "top20_agreement", "peak_mb"),
}


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> problem.Problem:
    return problem.make(400, 4, tmp_path_factory.mktemp("vectors"), long_range=0.1)


def test_the_task_has_seeds_that_sum_to_one_and_a_solution(task: problem.Problem) -> None:
    np.testing.assert_allclose(task.mass.sum(1), 1)
    for q in range(4):
        best = np.argsort(-task.similarity[: task.num_entities, q])[: problem.SEEDS]
        assert set(best.tolist()) == set(task.seeds[q].tolist())
    step = task.step(0, 0.85)
    exact = step.solve(1e-12)
    assert exact.sum() == pytest.approx(1)
    assert step.residual(exact) <= 1e-12 < step.residual(task.restart(0))


def test_an_edge_weighs_what_its_item_says(task: problem.Problem) -> None:
    weights, graph = task.edge_weights(1), task.graph
    cosine = np.maximum(task.similarity[:, 1], 0)
    for edge in range(0, graph.num_edges, 37):
        item = graph.item[edge]
        if item < graph.num_items:
            assert weights[edge] == pytest.approx(cosine[item])
        else:
            group = slice(*graph.group_indptr[item - graph.num_items :][:2])
            assert weights[edge] == pytest.approx(cosine[graph.group_item[group]].mean(), abs=1e-6)


def test_turns_become_one_row_of_their_median_time_and_worst_agreement() -> None:
    turns = [
        measure.Row("a", 0.5, 9, 20, 1, ms, 1.0, agreement, 7.0 + ms, 1e-7 * ms)
        for ms, agreement in ((3.0, 1.0), (1.0, 0.9), (2.0, 1.0))
    ]
    other = measure.Row("a", 0.85, 9, 20, 1, 5.0, 1.0, 1.0, 7.0, 1e-7)
    found = measure.together([turns[0], other, *turns[1:]])
    assert found == [measure.Row("a", 0.5, 9, 20, 1, 2.0, 1.0, 0.9, 10.0, 3e-7), other]


@pytest.mark.parametrize("engine", engines.ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_every_engine_solves_the_same_equation(task: problem.Problem, engine: engines.Engine, damping: float) -> None:
    for word, package in {"igraph": "igraph", "scikit-network": "sknetwork", "compiled": "numba"}.items():
        if word in engine.name:
            pytest.importorskip(package)
    found = engine.make(task)([0], damping, 1e-8 if engine.batch == 1 else 1e-6)
    scores = found[0].dense(task.num_nodes) if isinstance(found, list) else found[:, 0]
    exact = task.step(0, damping).solve(1e-11)
    allowed = 1e-4 + (found[0].error if isinstance(found, list) else 0)
    assert np.abs(scores - exact).sum() < allowed
    assert len(np.intersect1d(task.top_turns(scores), task.top_turns(exact))) >= 19


def test_ratios_are_to_our_fastest_exact_path_at_batch_16() -> None:
    def row(engine: str, batch: int, ms: float, nodes: int = 10) -> measure.Row:
        return measure.Row(engine, 0.5, nodes, 30, batch, ms, float("nan"), 1.0, 1.0, 1e-7)

    rows = [row("memorai torch x16", 16, 2.0), row("memorai compiled x16", 16, 1.0), row("memorai compiled x1", 1, 0.5)]
    rows += [row("igraph prpack", 1, 30.0), row("igraph prpack", 1, 90.0, nodes=20)]
    measure.fill_ratios(rows)
    assert [r.ratio_to_ours for r in rows[:4]] == [2.0, 1.0, 0.5, 30.0]
    assert np.isnan(rows[4].ratio_to_ours)
    assert set(rows[0].record()) == FIELDS
    assert probe.bytes_of_power(rows[1]) == 20 * (4 * 30 + 4 * 16 * (30 + 20))
    assert "| 10 | 30 | 0.5 | igraph prpack | 30.000 | 30.00 |" in report.markdown(rows, [], [], 1e9)


def test_the_script_records_and_merges(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "bench_pagerank.py")]
    small = ["--engines", "scipy", "torch x16", "--queries", "4", "--repeats", "1", "--reference", "2"]
    first = tmp_path / "first"
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS.parent)}
    ran = subprocess.run(
        [*command, *small, "--nodes", "300", "--json", str(tmp_path / "rows.json"), "--record", str(first)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    assert ran.returncode == 0, ran.stderr
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert {(row["engine"], row["damping"]) for row in rows} == {
        (name, d) for name in ("scipy CSR power", "memorai torch x16") for d in (0.5, 0.85)
    }
    assert all(set(row) == FIELDS and row["ms_per_query"] > 0 and row["top20_agreement"] == 1 for row in rows)
    again = tmp_path / "all"
    subprocess.run([*command, "--merge", str(first), "--record", str(again)], check=True, env=environment)
    assert json.loads((tmp_path / "all" / "results.json").read_text(encoding="utf-8")) == rows
    assert (tmp_path / "all" / "table.md").read_text(encoding="utf-8") == (first / "table.md").read_text(
        encoding="utf-8"
    )
    assert {p.name for p in first.iterdir()} == {"results.json", "details.json", "table.md", "cost.png", "cost.svg"}
