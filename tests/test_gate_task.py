from __future__ import annotations

import pytest

from memorai.eval import main as eval_main
from memorai.train import main as train_main
from memorai.write.gate_model import GateModel

QUICK = (
    "+experiment=gate",
    "dataset=demo",
    "embedder=hashing",
    "~gate_task.training.longmemeval",
    "gate_task.trainer.penalties=[10.0]",
    "gate_task.trainer.vector_scales=[0.3]",
    "bootstrap=5",
)


def test_training_writes_a_model_that_the_gate_reads(command):
    run = command(train_main, *QUICK)
    assert run.code == 0, run.err
    model = GateModel.read(run.folder / "gate_model.npz")
    assert (model.embedder, model.trained_on) == ("hashing", ("demo",))
    assert "of them evidence" in run.err


def test_evaluation_reports_what_is_lost(command):
    run = command(eval_main, *QUICK)
    assert run.code == 0, run.err
    rows = run.results["rows"]
    assert {(row["system"], row["protocol"]) for row in rows} == {
        *(("rules", "untrained"), ("learned", "loco"), ("learned", "within"))
    }
    assert {row["k"] for row in rows if row["metric"] == "evidence_fnr"} == {10, 20, 30, 40, 50}
    assert {"auc_evidence", "keep_rate", "precision", "recall", "f1", "ece", "brier"} < {row["metric"] for row in rows}
    assert {"table.md", "table.csv"} <= {path.name for path in run.folder.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["task=gates"], "task=gates"),
        (["gate_task.trainer.inner_folds=x", "gate_task.training.demo.part=zz"], "part='zz'"),
    ],
)
def test_bad_requests_end_in_one_line(command, arguments, says):
    run = command(train_main, *QUICK, *arguments)
    assert (run.code, "Traceback" in run.err) == (2, False), run.err
    assert says in run.err
