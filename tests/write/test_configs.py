from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

CONF = Path(__file__).parents[2] / "conf"


@pytest.mark.parametrize("name", ["segmenter/session", "segmenter/window", "segmenter/shift", "extractor/lexical"])
def test_config_builds_its_part(name):
    path = CONF / f"{name}.yaml"
    config = OmegaConf.load(path)
    part = instantiate(config)
    assert f"{type(part).__module__}.{type(part).__name__}" == config._target_
    assert all(getattr(part, key) == value for key, value in config.items() if key != "_target_")
    assert path.read_text(encoding="utf-8").startswith(f"# python -m memorai.eval {name.replace('/', '=')}\n")


def test_stems_config():
    pytest.importorskip("memorai.index.tokenize")
    assert instantiate(OmegaConf.load(CONF / "extractor/stems.yaml")).max_df == 30
