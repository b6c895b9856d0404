from __future__ import annotations

import csv

from omegaconf import OmegaConf

from memorai.train import main

SPACE = (
    "tune.space=[{path: retriever.damping, values: [0.2, 0.6]}]",
    "embedder=hashing",
    "bootstrap=20",
)


def test_tunes_on_one_part_and_reports_on_the_other(command, chats):
    run = command(main, "+experiment=tune", "dataset=jsonl", f"dataset.path={chats}", "tune.train=[c1]", *SPACE)
    assert run.code == 0, run.err
    with (run.folder / "trials.csv").open(encoding="utf-8", newline="") as file:
        trials = list(csv.DictReader(file))
    assert [trial["retriever.damping"] for trial in trials] == ["0.2", "0.6"]
    best = max(trials, key=lambda trial: float(trial["objective"]))
    tuned = OmegaConf.load(run.folder / "tuned_system.yaml")
    assert tuned.retriever.damping == float(best["retriever.damping"])
    rows = run.results["rows"]
    assert {row["system"] for row in rows} == {"bm25", "memorai_plus", "memorai_plus_tuned"}
    assert {row["protocol"] for row in rows} == {"within"}
    # only the question of the other conversation is reported
    assert {row["n"] for row in rows if row["category"] == "weighted"} == {1}
    predictions = (run.folder / "predictions.jsonl").read_text(encoding="utf-8")
    assert '"c2:q0"' in predictions and '"c1:q0"' not in predictions


def test_bad_requests_end_in_one_line(command, chats):
    base = ["+experiment=tune", "dataset=jsonl", f"dataset.path={chats}", *SPACE]
    for argument, says in (
        ("tune.train=2", "train=2"),
        ("tune.train=[nobody]", "no conversation nobody"),
        ("tune.system=unknown", "tune.system=unknown"),
        ("tune.space=[{path: retriever.nothing, values: [1]}]", "no value retriever.nothing"),
        ("tune.space=[]", "space is empty"),
        ("tune.space=[damping]", "not of the form"),
        ("tune.max_trials=0", "max_trials=0"),
        ("tune.objective.metric=f1", "no turn f1@10"),
        ("tune=null", "tune=None"),
        ("tune.space=null", "space=None"),
        ("tune.space=5", "space=5"),
        ("tune.space=[{path: null, values: [1]}]", "path None"),
        ("tune.max_trials=abc", "max_trials=abc"),
        ("tune.max_trials=1.5", "max_trials=1.5"),
        ("tune.max_trials=null", "max_trials=None"),
        ("tune.objective=null", "tune.objective=None"),
        ("tune.objective.k=abc", "objective.k=abc"),
        ("tune.train=null", "train=None"),
        ("seed=null", "seed=None"),
        ("protocol=published", "protocol=published"),
        ("+system@systems.memorai_plus_tuned=bm25", "memorai_plus_tuned"),
    ):
        run = command(main, *base, argument)
        assert (run.code, "Traceback" in run.err) == (2, False), run.err
        assert says in run.err
        # all but the metric, which only scores can tell, are found before anything is loaded
        assert ("conversations 2" in run.err) == argument.startswith(("tune.train=[", "tune.objective.m"))
