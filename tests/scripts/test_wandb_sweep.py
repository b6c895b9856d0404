"""Every command that an agent of Weights & Biases would run composes, and sets what the sweep asked for."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir

from memorai.harness.load import conf_dir
from memorai.report.results import Row
from memorai.report.tracking import summary_of

ROOT = Path(__file__).resolve().parents[2]
SWEEPS = sorted((ROOT / "scripts").glob("wandb_*.yaml"))
utils = pytest.importorskip("wandb.sdk.launch.sweeps.utils")


def given(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert utils.load_sweep_config(str(path)) == found  # as `wandb sweep` reads it
    return found


def commands(sweep: dict[str, Any]) -> list[tuple[dict[str, Any], list[str]]]:
    """(values, words) of each point of the grid, filled in as an agent does."""
    assert sweep["method"] == "grid"
    names, found = list(sweep["parameters"]), []
    for values in itertools.product(*(entry["values"] for entry in sweep["parameters"].values())):
        chosen = dict(zip(names, values, strict=True))
        arguments = utils.create_sweep_command_args({"args": {name: {"value": v} for name, v in chosen.items()}})
        macros = {"${env}": ["/usr/bin/env"], "${interpreter}": ["python"], "${program}": [sweep["program"]]}
        macros["${args_no_hyphens}"] = arguments["args_no_hyphens"]
        words = [w for word in utils.create_sweep_command(list(sweep["command"])) for w in macros.get(word, [word])]
        found.append((chosen, words))
    return found


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.name)
def test_every_command_composes_to_what_was_asked(path, monkeypatch):
    monkeypatch.setenv("WANDB_RUN_ID", "abc123")
    sweep = given(path)
    seen = []
    for chosen, words in commands(sweep):
        assert words[:4] == ["/usr/bin/env", "python", "-m", "memorai.eval"]
        assert len(words) == len(sweep["command"]) - 1 + len(chosen)
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            config = compose("eval", words[4:], return_hydra_config=True)
            plain = compose("eval", words[4 : -len(chosen)])
        assert config.tracking.mode == "online" and config.hydra.run.dir == "outputs/wandb/abc123"
        assert set(config.systems) == set(plain.systems)
        for name, value in chosen.items():
            place = config
            for part in name.split("@")[-1].split("."):
                place = place[part]
            if "@" in name:
                assert config.hydra.runtime.choices[name] == value
            else:
                assert place == value
        seen.append(repr(config.systems))
    points = 1
    for entry in sweep["parameters"].values():
        points *= len(entry["values"])
    assert len(set(seen)) == len(seen) == points


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.name)
def test_the_metric_is_one_that_a_run_logs(path):
    row = Row("locomo", "untrained", "memorai", "", 0, "weighted", "ndcg", "turn", 10, 0.5, None, None, 1)
    assert given(path)["metric"]["name"] in summary_of([row])


def test_the_sweep_tries_what_the_experiment_does():
    experiment = yaml.safe_load((conf_dir() / "experiment" / "ablation_damping.yaml").read_text(encoding="utf-8"))
    name = "systems.memorai.retriever.damping"
    values = given(ROOT / "scripts" / "wandb_damping.yaml")["parameters"][name]["values"]
    assert values == [float(v) for v in experiment["hydra"]["sweeper"]["params"][name].split(",")]
