from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

CONF = Path(__file__).resolve().parents[2] / "conf"


@pytest.mark.parametrize(
    "name", ["segmenter/session", "segmenter/window", "segmenter/shift", "extractor/lexical", "extractor/spacy"]
)
def test_config_builds_its_part(name):
    path = CONF / f"{name}.yaml"
    config = OmegaConf.load(path)
    part = instantiate(config)
    assert f"{type(part).__module__}.{type(part).__name__}" == config._target_
    assert all(getattr(part, key) == value for key, value in config.items() if key != "_target_")
    group, option = name.split("/")
    command = f"# python -m memorai.eval +experiment=demo {group}@systems.memorai.{group}={option}\n"
    assert path.read_text(encoding="utf-8").startswith(command)


def test_stems_config():
    pytest.importorskip("memorai.index.tokenize")
    assert instantiate(OmegaConf.load(CONF / "extractor/stems.yaml")).max_df == 30


@pytest.mark.parametrize("name", ["names", "embedding"])
def test_resolver_configs(name):
    pytest.importorskip("rapidfuzz", reason="needs the extra `resolve`")
    with initialize_config_dir(str(CONF), version_base="1.3"):
        resolver = instantiate(compose(f"resolver/{name}").resolver)
    assert resolver.splits and resolver.embedding == (0.95 if name == "embedding" else None)


def test_extractive_summaries():
    assert instantiate(OmegaConf.load(CONF / "summary/extractive.yaml"))([]) == ""
