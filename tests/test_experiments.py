"""Every file of conf/experiment runs on the bundled demo, with models and sweeps made small."""

from __future__ import annotations

import pytest

from memorai.eval import main as eval_main
from memorai.harness.load import conf_dir
from memorai.train import main as train_main

QUICK = ("dataset=demo", "dataset.part=en", "embedder=hashing", "text_format=default", "bootstrap=20")
SMALL_GRID = (
    "write_path.grid=[{system: memorai, segmenters: [session], gates: [keep_all, rules], extractors: [lexical]}]"
)
SMALL_SCORER = (
    *("evidence=minilm", "learning.seeds=[0]", "learning.grid=[{hidden: 0, epochs: 2}]"),
    "learning.ablation=[{name: no walks, without: [walk/*]}]",
)
#: what makes an experiment small: a model that has to be served or installed is left out, a grid is cut
SMALL: dict[str, tuple[str, ...]] = {
    "demo_llm": ("~systems.memorai_llm",),
    "demo_write_path_llm": (SMALL_GRID,),
    "locomo_write_path": (SMALL_GRID,),
    "rerank": ("~systems.memorai_plus_ce", "published=[]"),
    "paper_ablations": ("gate@systems.learned_gate_10.gate=rules",),
    "gate": (
        *("~gate_task.training.longmemeval", "gate_task.trainer.penalties=[10.0]"),
        *("gate_task.trainer.vector_scales=[0.3]", "dataset.part=all"),
    ),
    "learning_ablation": SMALL_SCORER,
    "learning_loco": SMALL_SCORER,
    "learning_loco_ce": (*SMALL_SCORER, "~systems.memorai_plus_ce"),
    "learning_longmemeval": (
        *SMALL_SCORER,
        *("~systems.memorai_plus_user", "+system@systems.memorai_plus=memorai_plus", "learning.system=memorai_plus"),
        "learning.folds=2",
    ),
    "learning_zero_shot": (*SMALL_SCORER, "~learning.training.longmemeval", "dataset.part=zh"),
    "tune": ("tune.max_trials=2", "tune.train=0.5", "dataset.part=all"),
    "ablation_damping": ("-m", "systems.memorai.retriever.damping=0.3,0.85"),
    "ablation_seeds": ("-m", "restart@systems.memorai.retriever.restart=cosine,bm25"),
    "ablation_weights": (
        *("-m", "weights@systems.memorai.retriever.weights=uniform,cosine"),
        "systems.memorai.retriever.weights.reverse=none",
    ),
    "paper_grid": (
        *("-m", "systems.memorai.retriever.damping=0.3,0.85", "restart@systems.memorai.retriever.restart=cosine,bm25"),
        "weights@systems.memorai.retriever.weights=uniform",
    ),
}
TRAINED = (
    "tune",
    "learning_ablation",
    "learning_loco",
    "learning_loco_ce",
    "learning_longmemeval",
    "learning_zero_shot",
)
EXPERIMENTS = sorted(path.stem for path in (conf_dir() / "experiment").glob("*.yaml"))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_runs_on_the_demo(command, experiment):
    main = train_main if experiment in TRAINED else eval_main
    small = SMALL.get(experiment, ())
    arguments = [f"+experiment={experiment}", *QUICK, *small]
    if "-m" in small:
        arguments = ["-m", *(argument for argument in arguments if argument != "-m")]
    run = command(main, *arguments)
    assert run.code == 0, run.err
    assert (run.folder / "table.md").is_file()
    if experiment == "paper_ablations":
        assert (run.folder / "paper.md").is_file()
    if experiment == "paper_grid":
        assert (run.folder / "grid_damping_restart.svg").is_file()
