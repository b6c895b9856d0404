from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue

FOLDER = Path(__file__).parents[2] / "conf" / "dataset"


def load(name):
    return OmegaConf.load(FOLDER / f"{name}.yaml")


@pytest.mark.parametrize("name", ["locomo", "locomo_lmeb", "longmemeval_oracle", "longmemeval_s", "jsonl"])
def test_the_config_builds_the_data_set_of_its_name(name, write, locomo_records, longmemeval_records):
    text = '{"conversation": "c", "speaker": "Ann", "text": "Hi."}'
    value = locomo_records if "locomo" in name else longmemeval_records if "longmem" in name else text
    assert instantiate(load(name), path=str(write(value, "data.jsonl"))).name == name


def test_demo_takes_a_part():
    assert instantiate(load("demo"), part="zh").name == "demo_zh"


def test_each_file_opens_with_its_command():
    files = sorted(FOLDER.glob("*.yaml"))
    assert [file.stem for file in files] == [
        "demo", "jsonl", "locomo", "locomo_lmeb", "longmemeval_oracle", "longmemeval_pooled", "longmemeval_s",
    ]  # fmt: skip
    for file in files:
        first = file.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith(f"# python -m memorai.eval +experiment=demo dataset={file.stem}")


def test_jsonl_needs_a_path():
    with pytest.raises(MissingMandatoryValue):
        _ = load("jsonl").path
