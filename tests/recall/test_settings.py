from __future__ import annotations

from dataclasses import asdict

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from memorai.errors import InputError
from memorai.harness.load import conf_dir
from memorai.recall.settings import Settings


def test_the_configuration_holds_the_defaults():
    config = OmegaConf.load(conf_dir() / "memory" / "default.yaml")
    assert instantiate(config) == Settings()
    assert set(config) - {"_target_"} == set(asdict(Settings()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("damping", 1.0),
        ("damping", float("nan")),
        ("fact_share", 1.0),
        ("stale", 1.5),
        ("temperature", 0.0),
        ("seeds", 0),
        ("max_df", 3.5),
        ("growth", 0.5),
        ("group_ms", -1.0),
        ("busy_seconds", True),
    ],
)
def test_a_value_out_of_range_is_named(name, value):
    with pytest.raises(InputError, match=name):
        Settings(**{name: value})
