from __future__ import annotations

import csv
import json

import pytest

from memorai.eval import main as eval_main
from memorai.train import main as train_main
from tests.offline_run import OfflineRun

SMALL = ("embedder=hashing", "evidence=minilm", "bootstrap=5", "learning.seeds=[0, 1]", "published=[]")
GRID = "learning.grid=[{hidden: 0, epochs: 2}, {hidden: 2, epochs: 2}]"
LOCO = ("+experiment=learning_loco", "dataset=jsonl", "text_format=default", *SMALL, GRID)


def test_loco_trains_tests_and_can_be_evaluated_again(command, chats, tmp_path):
    data = f"dataset.path={chats}"
    ablation = "learning.ablation=[{name: no walk, without: [walk/*]}]"
    run = command(train_main, *LOCO, data, ablation, "tracking.mode=offline")
    assert run.code == 0, run.err
    rows = run.results["rows"]
    assert {(r["system"], r["protocol"], r["variant"], r["seed"]) for r in rows} == {
        ("memorai_plus", "untrained", "", None),
        ("memorai_plus", "loco", "evidence=minilm", None),
        ("memorai_plus", "loco", "evidence=minilm", 0),
        ("memorai_plus", "loco", "evidence=minilm", 1),
        ("memorai_plus", "loco", "evidence=minilm,no walk", None),
    }
    made = {path.name for path in run.folder.iterdir()}
    assert {"table.md", "tests.md", "curves.csv", "curves.png", "seeds.csv", "evidence.yaml"} <= made
    kept = OfflineRun(run.folder)
    with (run.folder / "curves.csv").open(encoding="utf-8") as file:
        curves = [(line["training"], float(line["loss"])) for line in csv.DictReader(file)]
    logged = [
        (name.removesuffix("/loss"), v) for line in kept.history for name, v in line.items() if name.endswith("/loss")
    ]
    assert curves and logged == [(name, pytest.approx(loss, abs=1e-6)) for name, loss in curves]
    assert kept.image("plots/curves") == (run.folder / "curves.png").read_bytes()
    assert len(kept.table("rows")["data"]) == len(rows)
    for variant in ("evidence=minilm", "evidence=minilm,no walk"):
        (mean,) = [
            row["value"]
            for row in rows
            if (row["variant"], row["seed"], row["unit"]) == (variant, None, "turn")
            and (row["metric"], row["k"], row["category"]) == ("ndcg", 10, "macro")
        ]
        assert kept.summary[f"memorai_plus loco {variant}/turn_ndcg@10_macro"] == pytest.approx(mean, abs=1e-6)
    card = json.loads((run.folder / "checkpoints" / "full" / "seed0" / "c1.json").read_text(encoding="utf-8"))
    assert [list(source["conversations"]) for source in card["trained_on"]] == [["c2"]]
    folds = run.folder / "checkpoints" / "full" / "seed0"
    (tmp_path / "kept").mkdir()
    folds = folds.rename(tmp_path / "kept" / "seed0")

    # the folder of folds gives the same figures again; a single fold is refused on what it saw
    learned = ("dataset=jsonl", data, "+system@systems.learned=memorai_plus_learned", "embedder=hashing", "bootstrap=5")
    evidence = "evidence@systems.learned.retriever.evidence=minilm"
    again = command(eval_main, *learned, evidence, f"systems.learned.retriever.checkpoint={folds}")
    assert again.code == 0, again.err
    before = {(r["metric"], r["k"], r["category"], r["unit"]): r["value"] for r in rows if r["seed"] == 0}
    after = {(r["metric"], r["k"], r["category"], r["unit"]): r["value"] for r in again.results["rows"]}
    assert before and all(after[key] == value for key, value in before.items())
    assert {row["protocol"] for row in again.results["rows"]} == {"loco"}
    refused = command(eval_main, *learned, evidence, f"systems.learned.retriever.checkpoint={folds / 'c1'}")
    assert refused.code == 2 and "was trained on conversation c2" in refused.err


def test_resuming_takes_over_equal_trainings_only(command, chats, tmp_path):
    first = command(train_main, *LOCO, f"dataset.path={chats}")
    earlier = first.folder.rename(tmp_path / "earlier")
    again = command(train_main, *LOCO, f"dataset.path={chats}", f"learning.resume={earlier}")
    assert again.code == 0, again.err
    assert len((again.folder / "curves.csv").read_text(encoding="utf-8").splitlines()) == 1
    assert again.results["rows"] == json.loads((earlier / "results.json").read_text(encoding="utf-8"))["rows"]
    other = command(
        train_main, *LOCO[:-1], "learning.grid=[{hidden: 1}]", f"dataset.path={chats}", f"learning.resume={earlier}"
    )
    assert len((other.folder / "curves.csv").read_text(encoding="utf-8").splitlines()) > 1


@pytest.mark.parametrize("experiment", ["learning_zero_shot", "learning_longmemeval", "learning_loco"])
def test_every_experiment_runs_on_the_demo(command, experiment, chats):
    extra = ["~learning.training.longmemeval"] if experiment == "learning_zero_shot" else []
    test = ["dataset=jsonl", f"dataset.path={chats}"] if extra else ["dataset=demo"]
    run = command(train_main, f"+experiment={experiment}", *test, "text_format=default", *SMALL, GRID, *extra)
    assert run.code == 0, run.err
    # the values of the untrained systems were chosen on the demo, and say so
    found = {"learning_zero_shot": {"untrained", "zero_shot"}, "learning_longmemeval": {"within"}}
    expected = found.get(experiment, {"within", "loco"})
    assert {row["protocol"] for row in run.results["rows"]} == expected


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("learning.protocol=nested", "learning.protocol=nested"),
        ("learning.seeds=[]", "learning.seeds=[]"),
        ("learning.seeds=[x]", "learning.seeds=['x']"),
        ("learning.grid=[]", "grid is empty"),
        ("learning.grid=[{loss: hinge}]", "loss=hinge"),
        ("learning.system=other", "learning.system=other"),
        ("learning.ablation=[{name: a, without: [b/*]}]", "no feature is called b/*"),
        ("learning.without=[b/*]", "learning.without: no feature is called b/*"),
        ("learning.without=walk", "learning.without='walk' is not a list"),
    ],
)
def test_bad_requests_end_in_one_line(command, chats, argument, says):
    run = command(train_main, *LOCO, f"dataset.path={chats}", argument)
    assert (run.code, "Traceback" in run.err) == (2, False), run.err
    assert says in run.err
