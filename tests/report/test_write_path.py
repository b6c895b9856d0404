from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memorai.harness.grid import Cell
from memorai.harness.write_path import STAGES, CellRun, Written
from memorai.report.write_path import COUNTS, compared_with, write_path_rows
from memorai.types import Conversation, Dataset, Question, Ranking, Session, Turn

CATEGORIES = ("single", "multi")


def conversation(name: str) -> Conversation:
    turns = tuple(Turn(f"t{i}", "s", "Ann", f"text {i}") for i in range(4))
    questions = (
        Question(f"{name}:q0", "?", ("t0",), category="single"),
        Question(f"{name}:q1", "?", ("t1", "t2"), category="multi"),
    )
    return Conversation(name, (Session("s", turns),), questions)


DATASET = Dataset("toy", "1", "0" * 64, (conversation("a"), conversation("b")), CATEGORIES)
SECONDS = dict(zip(STAGES, (0.001, 0.002, 0.003, 0.002), strict=True))


def run(gate: str, found: dict[str, tuple[str, ...]], lost: int, seed: int | None = None, entities: int = 5) -> CellRun:
    """Every conversation loses so many of its three gold turns and no other."""
    counts = dict.fromkeys(COUNTS, 0) | {"nodes_entity": entities}
    written = [Written(4, 4 - lost, 3, lost, counts, SECONDS) for _ in DATASET.conversations]
    done = CellRun(Cell("toy", "session", gate, "stems"), "untrained", seed, written)
    for c in DATASET.conversations:
        for q in c.questions:
            ids = found.get(q.id, ())
            done.rankings[q.id] = Ranking(q.id, ids, tuple(float(-i) for i in range(len(ids))))
    return done


#: everything found at once; the second lacks one of the two gold turns of a:q1
ALL = {f"{c}:q0": ("t0",) for c in "ab"} | {f"{c}:q1": ("t1", "t2") for c in "ab"}
LESS = ALL | {"a:q1": ("t1", "t3")}


def by(rows, variant, seed=None):
    return {(r.metric, r.category): r for r in rows if (r.variant, r.seed) == (variant, seed)}


KEEP, RULES = (f"segmenter=session,gate={gate},extractor=stems" for gate in ("keep_all", "rules"))


def test_values_by_hand():
    rows = write_path_rows(DATASET, [run("keep_all", ALL, 0), run("rules", LESS, 1)], 10, n_resamples=50)
    found = by(rows, RULES)
    assert found["keep_rate", "weighted"].value == pytest.approx(6 / 8)
    assert found["evidence_fnr", "weighted"].value == pytest.approx(2 / 6, abs=1e-6)
    assert (found["keep_rate", "weighted"].n, found["evidence_fnr", "weighted"].n) == (8, 6)
    assert found["nodes_entity", "weighted"].value == 10
    # 1 ms of four turns, 8 ms in all
    assert found["ms_segment", "weighted"].value == pytest.approx(0.25)
    assert found["ms_per_turn", "weighted"].value == pytest.approx(2.0)
    assert found["recall", "weighted"].value == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert found["recall", "macro"].value == pytest.approx((1 + 0.75) / 2)
    assert found["recall", "multi"].n == 2
    assert by(rows, KEEP)["recall", "weighted"].value == 1
    assert all(row.seed is None for row in rows)


def test_deltas_are_paired_with_the_first_cell_and_resample_conversations():
    rows = write_path_rows(DATASET, [run("keep_all", ALL, 0), run("rules", LESS, 1)], 10, n_resamples=400)
    found = by(rows, RULES)["recall_delta", "weighted"]
    # conversation a loses 1/4 of its recall, b nothing: a resample holds a twice, once or never
    assert (found.value, found.lo, found.hi, found.n) == (pytest.approx(-0.125), -0.25, 0.0, 4)
    base = by(rows, KEEP)["recall_delta", "weighted"]
    assert (base.value, base.lo, base.hi) == (0, 0, 0)


def test_a_gate_is_compared_with_the_same_cell_without_it():
    first = Cell("toy", "session", "keep_all", "stems")
    window, gated = replace(first, segmenter="window"), replace(first, segmenter="window", gate="rules", drop_share=0.3)
    alone = replace(gated, extractor="spacy")
    cells = [first, window, gated, alone, replace(first, system="other")]
    assert [compared_with(cell, cells) for cell in cells] == [first, first, window, first, cells[4]]


def test_repetitions_give_rows_of_their_own_their_mean_and_their_spread():
    repeated = [run("llm", ALL, 0, 0, 5), run("llm", LESS, 1, 1, 6), run("llm", ALL, 0, 2, 10)]
    rows = write_path_rows(DATASET, [run("keep_all", ALL, 0), *repeated], 10, n_resamples=20)
    variant = "segmenter=session,gate=llm,extractor=stems"
    assert [by(rows, variant, s)["recall", "weighted"].value for s in (0, 1, 2)] == [1, 0.875, 1]
    mean = by(rows, variant)
    assert mean["recall", "weighted"].value == pytest.approx((1 + 0.875 + 1) / 3, abs=1e-6)
    assert mean["recall_sd", "weighted"].value == pytest.approx(np.std([1, 0.875, 1], ddof=1), abs=1e-6)
    assert mean["recall_sd", "weighted"].n == 3
    assert mean["keep_rate", "weighted"].value == pytest.approx((1 + 0.75 + 1) / 3, abs=1e-6)
    assert mean["evidence_fnr", "weighted"].n == 6
    assert mean["nodes_entity", "weighted"].value == 14
    assert mean["nodes_entity_sd", "weighted"].value == pytest.approx(np.std([10, 12, 20], ddof=1), abs=1e-6)


def test_without_resamples_there_are_no_intervals():
    rows = write_path_rows(DATASET, [run("keep_all", ALL, 0)], 10, n_resamples=0)
    assert all(row.lo is None and row.hi is None for row in rows)
