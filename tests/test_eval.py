from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import astuple, fields
from pathlib import Path

import pytest

from memorai.entry import run_main
from memorai.eval import main
from memorai.harness.load import conf_dir
from memorai.report.results import Results, Row
from tests.offline_run import OfflineRun

ROOT = Path(__file__).resolve().parents[1]
QUICK = ("embedder=hashing", "bootstrap=20")
#: of the systems that are compared, all but three
LEFT_OUT = [
    *("random", "full_context", "recency", "dense", "hybrid_rrf", "hybrid_zscore", "mem0", "mem0_graph", "zep"),
    *("memory_os", "membrain", "memory_graph", "memgas", "hipporag", "fast_graphrag", "ppr_static", "memorai"),
]
LATER = ("memorai_llm", "gold_context")


@pytest.fixture
def evaluate(command, chats):
    def run(*arguments: str):
        chosen = () if any(a.startswith("+experiment=") for a in arguments) else ("+experiment=demo",)
        return command(main, *chosen, "dataset=jsonl", f"dataset.path={chats}", *QUICK, *arguments)

    return run


def test_a_run_writes_everything_it_promises(evaluate):
    run = evaluate("+experiment=compare")
    assert run.code == 0, run.err
    files = {path.name for path in run.folder.iterdir()}
    # all but those that need a language model, an optional model or a checkpoint, and the context of readers
    systems = [path.stem for path in (conf_dir() / "system").glob("*.yaml")]
    systems = [name for name in systems if name not in LATER and not name.startswith("memorai_plus_")]
    assert {"results.json", "table.md", "table.tex", "table.csv", "predictions.jsonl", "qrels.trec"} <= files
    assert {"comparison.md", "comparison.json", "failures.md", "systems.png", "systems.svg", "categories.svg"} <= files
    assert {f"{name}.trec" for name in systems} <= files
    results = run.results
    assert {row["system"] for row in results["rows"]} == set(systems)
    assert {row["metric"] for row in results["rows"]} == {
        *("ndcg", "recall", "recall_any", "recall_all", "mrr", "ndcg_longmemeval")
    }
    assert {row["unit"] for row in results["rows"]} == {"turn", "session"}
    assert {row["k"] for row in results["rows"]} == {1, 3, 5, 10, 50}
    assert {row["category"] for row in results["rows"]} == {"macro", "weighted", "single", "multi"}
    assert all(0 <= row["lo"] <= row["value"] <= row["hi"] <= 1 for row in results["rows"])
    # the question without evidence is not scored, and that is said
    assert {row["n"] for row in results["rows"] if row["category"] == "weighted"} == {3}
    assert "3 of 4 questions name evidence" in run.out
    assert "c1:q2" in run.err


def test_the_manifest_says_how_to_run_it_again(evaluate):
    manifest = evaluate("seed=7").results["manifest"]
    assert manifest["command"].startswith("python -m memorai.eval +experiment=demo dataset=jsonl")
    assert manifest["seed"] == 7
    assert manifest["config"]["systems"]["memorai"]["retriever"]["damping"] == 0.85
    assert len(manifest["data"]["sha256"]) == 64
    assert {"config", "git_sha", "packages", "hardware", "started", "seconds"} <= set(manifest)
    assert manifest["graphs"]["memorai"]["nodes_turn"] == 6
    labels = {entry["system"]: entry for entry in manifest["systems"]}
    assert labels["memorai"] == {"system": "memorai", "embedder": "hashing", "extractor": "lexical", "gate": "none"}
    assert str(Path.cwd()) not in json.dumps(manifest)


def test_known_scores(evaluate):
    rows = {
        (row["system"], row["category"], row["metric"], row["unit"], row["k"]): row["value"]
        for row in evaluate().results["rows"]
    }
    # three questions with 1, 2 and 1 gold turns: the oracle's recall@1 is (1 + 1/2 + 1) / 3, macro (1 + 1/2) / 2
    assert rows["oracle", "weighted", "recall", "turn", 1] == pytest.approx(2.5 / 3, abs=1e-6)
    assert rows["oracle", "macro", "recall", "turn", 1] == pytest.approx(0.75)
    assert rows["oracle", "macro", "ndcg", "turn", 10] == 1
    # BM25 finds "cello" and "puppy"; "move" has the stem of "moved"
    assert rows["bm25", "weighted", "recall_any", "turn", 1] == 1


def test_predictions_and_trec_run_name_questions_and_turns(evaluate):
    folder = evaluate().folder
    lines = (folder / "bm25.trec").read_text(encoding="utf-8").splitlines()
    assert lines[0].split()[:4] == ["c1:q0", "Q0", "a2", "1"]
    predictions = [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(predictions) == 9 * 3
    assert (folder / "qrels.trec").read_text(encoding="utf-8").splitlines()[0] == "c1:q0 0 a2 1"


def one_line_error(run) -> str:
    assert run.code == 2, run.out + run.err
    assert "Traceback" not in run.err
    errors = [line for line in run.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, run.err
    return errors[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ks=[0]"], "0 is not a whole number of at least 1"),
        (["ks=[]"], "ks is empty"),
        (["ks=ten"], "'ten' is not a whole number"),
        (["ks=[2.5]"], "2.5"),
        (["systems.memorai.retriever.damping=1.0"], "damping=1.0 is outside [0, 1)"),
        (["systems.memorai.retriever.damping=-0.1"], "damping=-0.1"),
        (["systems.memorai.retriever.dumping=0.5"], "dumping"),
        (["systems.memorai.retriever.weights.reverse=both"], "reverse='both'"),
        (["systems.memorai.entity_vectors=mean"], "entity_vectors=mean"),
        (["dataset=nowhere"], "nowhere"),
        (["embedder=unknown"], "unknown"),
        (["dataset.path=missing.jsonl"], "missing.jsonl"),
        (["tracking.mode=sometimes"], "tracking.mode=sometimes"),
        (["device=tpu9"], "tpu9"),
        (["bootstrap=-1"], "bootstrap"),
        (["systems.memorai.retriever.damping=abc"], "systems.memorai.retriever: "),
        (["dataset.path=a(b).jsonl"], "quote the value"),
        (["dataset.path=???"], "add dataset.path=..."),
    ],
)
def test_bad_overrides_end_in_one_line(evaluate, arguments, says):
    assert says in one_line_error(evaluate(*arguments))


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("bootstrap=true", "bootstrap=True is not a whole number"),
        ("bootstrap=1.5", "bootstrap=1.5"),
        ("seed=null", "seed=None is not a whole number"),
        ("seed=1.5", "seed=1.5"),
        ("seed=abc", "seed=abc"),
        ("seed=[1]", "seed=[1]"),
        ("seed=-1", "seed=-1"),
        ("seed=true", "seed=True"),
        ("protocol=published", "protocol=published: unknown; use one of untrained, zero_shot, loco, within"),
        ("protocol=null", "protocol=None"),
        ("published=[nope]", "no model 'nope'"),
        ("published=null", "published=None is not a list"),
        ("published=[5]", "published=[5] is not a list"),
        ("systems=null", "no system to run"),
        ("systems.bm25=null", "systems.bm25=None is not a system"),
        ("+system@systems.qrels=bm25", "'qrels' cannot name a system"),
    ],
)
def test_settings_are_checked_before_anything_is_loaded(evaluate, argument, says):
    run = evaluate(argument)
    assert says in one_line_error(run)
    assert "conversations 2" not in run.err


def test_one_published_model_need_not_stand_in_a_list(evaluate):
    assert evaluate("published=best").code == 0


def test_a_folder_that_cannot_be_made_ends_in_one_line(command, chats, tmp_path):
    (tmp_path / "run").write_text("in the way", encoding="utf-8")
    run = command(main, "+experiment=demo", "dataset=jsonl", f"dataset.path={chats}", *QUICK)
    error = one_line_error(run)
    assert str(tmp_path / "run") in error and "check the path" in error


@pytest.mark.parametrize("wanted", [None, "0", "1"])
def test_a_late_error_is_one_line_and_its_traceback_is_there_for_the_asking(command, monkeypatch, capsys, wanted):
    def late(config):
        raise TypeError("unhashable\ntype")

    if wanted is None:
        monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
    else:
        monkeypatch.setenv("HYDRA_FULL_ERROR", wanted)
    run = command(lambda: run_main(late, "eval"), "dataset=demo")
    assert run.code == 2 and ("Traceback" in run.err) == (wanted == "1")
    assert "error: TypeError: unhashable type (HYDRA_FULL_ERROR=1 shows where)" in run.err.splitlines()
    assert os.environ.get("HYDRA_FULL_ERROR") == wanted


def test_a_bug_keeps_its_traceback(command):
    def broken(config):
        raise KeyError("bug")

    with pytest.raises(KeyError, match="bug"):
        command(lambda: run_main(broken, "eval"), "dataset=demo")


def test_an_unknown_experiment_or_none_ends_in_one_line(command, chats):
    assert "nothing_like_this" in one_line_error(command(main, "+experiment=nothing_like_this"))
    assert "+experiment=demo" in one_line_error(command(main, "dataset=jsonl", f"dataset.path={chats}"))
    assert "not an override" not in one_line_error(command(main, "+experiment=demo", "just a word"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "chats.jsonl"),
        ("{not json", "chats.jsonl:1"),
        ('{"conversation": "c", "session": "s", "id": "t", "speaker": "A", "text": "x", "time": "soon"}', "soon"),
        (
            '{"conversation": "c", "session": "s", "id": "t", "speaker": "A", "text": "x"}\n'
            '{"conversation": "c", "session": "s", "id": "t", "speaker": "A", "text": "y"}',
            "t",
        ),
        (
            '{"conversation": "c", "session": "s", "id": "t", "speaker": "A", "text": "x"}\n'
            '{"conversation": "c", "question": "  ", "evidence": ["t"]}',
            "chats.jsonl:2",
        ),
        ('{"conversation": "c", "question": "Why?"}', "c"),
    ],
)
def test_bad_files_end_in_one_line_that_names_the_record(evaluate, chats, content, says):
    chats.write_text(content, encoding="utf-8")
    assert says in one_line_error(evaluate())


def test_evidence_that_names_no_turn_is_reported_and_the_run_goes_on(evaluate, chats):
    lines = chats.read_text(encoding="utf-8").splitlines()
    lines.append(json.dumps({"conversation": "c2", "question": "Who paints?", "evidence": ["b2", "b99"]}))
    chats.write_text("\n".join(lines), encoding="utf-8")
    run = evaluate()
    assert run.code == 0
    assert "b99" in run.err or "c2:q1" in run.err
    assert {row["n"] for row in run.results["rows"] if row["category"] == "weighted"} == {4}


def test_same_rows_and_rankings_under_any_hash_seed(chats, tmp_path):
    written = []
    for seed in ("0", "987654321"):
        folder = tmp_path / f"run{seed}"
        arguments = ["+experiment=demo", "dataset=jsonl", f"dataset.path={chats}", *QUICK, f"hydra.run.dir={folder}"]
        environment = os.environ | {"PYTHONHASHSEED": seed, "MEMORAI_CACHE": str(tmp_path / "cache")}
        subprocess.run(
            [sys.executable, "-m", "memorai.eval", *arguments, "progress=false"],
            env=environment | {"PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
        rows = json.loads((folder / "results.json").read_text(encoding="utf-8"))["rows"]
        written.append((rows, (folder / "predictions.jsonl").read_bytes(), (folder / "memorai.trec").read_bytes()))
    assert written[0] == written[1]


def test_a_multirun_merges_its_jobs_and_plots_a_single_parameter(command, chats):
    run = command(
        main,
        "-m",
        "+experiment=ablation_damping",
        "dataset=jsonl",
        f"dataset.path={chats}",
        *QUICK,
        "systems.memorai.retriever.damping=0.3,0.85",
    )
    assert run.code == 0, run.err
    files = {path.name for path in run.folder.iterdir()}
    assert {"table.md", "table.tex", "table.csv"} <= files
    assert {path.suffix for path in run.folder.iterdir()} >= {".png", ".svg"}
    merged = (run.folder / "table.md").read_text(encoding="utf-8")
    assert "damping=0.3" in merged and "damping=0.85" in merged


def test_a_sweep_over_two_files_says_that_they_share_no_table_and_shows_no_path(command, chats, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(chats.read_text(encoding="utf-8").replace("cello", "viola"), encoding="utf-8")
    arguments = ["-m", "+system@systems.bm25=bm25", "dataset=jsonl", f"dataset.path={chats},{other}", *QUICK]
    run = command(main, *arguments, "dataset.name=/opt/ann/mine")
    assert run.code == 2 and "not merged: " in run.out and "different files" in run.out
    for job, name in (("0", "chats.jsonl"), ("1", "other.jsonl")):
        rows = json.loads((run.folder / job / "results.json").read_text(encoding="utf-8"))["rows"]
        assert {(row["dataset"], row["variant"]) for row in rows} == {("mine", f"path={name}")}


class Run:
    def __init__(self, config):
        self.config, self.summary, self.codes, self.logged = config, {}, [], {}

    def log(self, values):
        self.logged |= values

    def finish(self, exit_code=0):
        self.codes.append(exit_code)


@pytest.fixture
def wandb_runs(monkeypatch):
    import wandb

    runs: list[Run] = []
    monkeypatch.setattr(wandb, "init", lambda **given: runs.append(Run(given["config"])) or runs[-1])
    return runs


def test_every_job_of_a_multirun_is_a_tracked_run_of_its_own(command, chats, wandb_runs):
    arguments = ["-m", "+experiment=ablation_damping", "dataset=jsonl", f"dataset.path={chats}", *QUICK]
    run = command(main, *arguments, "systems.memorai.retriever.damping=0.3,0.5", "tracking.mode=offline")
    assert run.code == 0, run.err
    assert [r.codes for r in wandb_runs] == [[0], [0]]
    assert all(type(r.config) is dict and type(r.config["systems"]) is dict for r in wandb_runs)
    assert 0 <= wandb_runs[0].summary["memorai/turn_ndcg@10_macro"] <= 1
    assert len(wandb_runs[0].logged["rows"].data) == len(Results.read(run.folder / "0").rows)


def test_tracking_is_finished_after_an_exception_too(evaluate, wandb_runs):
    assert evaluate("tracking.mode=offline", "dataset.path=missing.jsonl").code == 2
    assert [r.codes for r in wandb_runs] == [[1]]


def test_an_offline_run_keeps_configuration_tables_and_plots_on_disk(evaluate):
    small = ("+experiment=compare", *(f"~systems.{name}" for name in LEFT_OUT))
    run = evaluate("tracking.mode=offline", *small)
    assert run.code == 0, run.err
    results, kept = Results.read(run.folder), OfflineRun(run.folder)
    assert (
        kept.config["systems"] == results.manifest["config"]["systems"] and kept.config["compare"]["baseline"] == "bm25"
    )
    for name, records in (("rows", results.rows), ("timings", results.timings)):
        table = kept.table(name)
        assert table["columns"] == [field.name for field in fields(records[0])]
        found = sorted(([as_written(v) for v in line] for line in table["data"]), key=repr)
        assert found == sorted(([as_written(v) for v in astuple(record)] for record in records), key=repr) and found
    pictures = sorted(path for path in run.folder.glob("*.png"))
    assert {"systems.png", "categories.png"} <= {path.name for path in pictures}
    for path in pictures:
        assert kept.image(f"plots/{path.stem}") == path.read_bytes()
    means = {row.system: row.value for row in results.rows if told(row) == ("macro", "ndcg", "turn", 10)}
    assert set(means) == {"bm25", "memorai_plus", "oracle"}
    for system, value in means.items():
        assert kept.summary[f"{system}/turn_ndcg@10_macro"] == pytest.approx(value, abs=1e-6)


def as_written(value):
    """As results.json has it."""
    return round(float(value), 6) if isinstance(value, float | int) else value


def told(row: Row) -> tuple:
    return row.category, row.metric, row.unit, row.k


def test_a_tracked_run_tells_no_secret_and_no_path(evaluate, wandb_runs, tmp_path):
    assert evaluate("tracking.mode=offline", "+api_key=sk-1", f"+where={tmp_path}/here").code == 0
    assert wandb_runs[0].config["api_key"] == "***" and str(tmp_path) not in str(wandb_runs[0].config)


def test_tasks_of_an_evaluation_are_tracked_too(evaluate, wandb_runs):
    grid = "write_path.grid=[{system: memorai_plus, segmenters: [session], gates: [keep_all], extractors: [stems]}]"
    run = evaluate("+experiment=locomo_write_path", "text_format=default", "tracking.mode=offline", grid)
    assert run.code == 0, run.err
    assert len(wandb_runs[0].logged["rows"].data) == len(Results.read(run.folder).rows)
    assert wandb_runs[0].codes == [0]
