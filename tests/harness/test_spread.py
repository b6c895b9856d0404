from __future__ import annotations

import copy
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.utils import instantiate

from memorai.errors import InputError
from memorai.harness.build import build_systems, plain
from memorai.harness.load import conf_dir
from memorai.harness.run import run_systems
from memorai.harness.spread import Processes, Ray, run_spread
from memorai.models.llm import Accounting, Reply

NEEDS_RAY = pytest.mark.skipif(not find_spec("ray"), reason="pip install 'memorai[ray]'")
SPREADS = [pytest.param(Processes(2), id="processes"), pytest.param(Ray(2), id="ray", marks=NEEDS_RAY)]
#: fails on the Chinese conversation alone: its embedder may not see any text of it
BROKEN = "tests.harness.broken.OnlyLatin"


@pytest.fixture(scope="module")
def config():
    chosen = ["+experiment=demo", "embedder=hashing", "share_indexes=false", "+systems.broken=${systems.bm25}"]
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        composed = compose("eval", chosen)
    composed.systems = {name: composed.systems[name] for name in ("bm25", "memorai", "oracle", "broken")}
    composed.systems.broken.retriever = {"_target_": BROKEN}
    return composed


@pytest.fixture(scope="module")
def dataset(config):
    whole = instantiate(config.dataset)
    return replace(whole, conversations=tuple(replace(c, questions=c.questions[:6]) for c in whole.conversations))


@pytest.mark.parametrize("spread", SPREADS)
def test_spread_over_processes_a_run_is_the_same(config, dataset, spread):
    assert len(dataset.conversations) > 1
    here = run_systems(dataset, build_systems(config), 5, progress=False)
    there = run_spread(dataset, plain(config), 5, spread, progress=False)
    assert [outcome.system for outcome in there] == [outcome.system for outcome in here]
    for ours, theirs in zip(here, there, strict=True):
        assert list(theirs.rankings) == list(ours.rankings)
        assert [(r.ids, r.scores) for r in theirs.rankings.values()] == [
            (r.ids, r.scores) for r in ours.rankings.values()
        ]
        assert (theirs.failures, theirs.statistics, theirs.labels) == (ours.failures, ours.statistics, ours.labels)
        assert theirs.memory == ours.memory
        assert {name: len(ms) for name, ms in theirs.stages.items()} == {n: len(ms) for n, ms in ours.stages.items()}
    assert [failure.conversation for failure in there[-1].failures] == [
        c.id for c in dataset.conversations if c.language == "zh"
    ]


@pytest.mark.parametrize("spread", SPREADS)
def test_what_the_user_has_to_mend_is_raised_as_it_is(config, dataset, spread):
    wrong = plain(config) | {"systems": {"bm25": plain(config)["systems"]["bm25"] | {"batch_size": -1}}}
    with pytest.raises(HydraException, match="batch_size=-1 is not a whole number"):
        run_spread(dataset, wrong, 5, spread, progress=False)
    bare = replace(dataset, conversations=tuple(replace(c, questions=()) for c in dataset.conversations))
    with pytest.raises(InputError, match="nothing to score"):
        run_spread(bare, plain(config), 5, spread, progress=False)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two"])
def test_numbers_of_workers_are_checked(workers):
    for kind in (Processes, Ray):
        with pytest.raises(InputError, match=r"spread\.workers"):
            kind(workers)


def test_costs_go_to_other_processes():
    costs = Accounting()
    costs.add("gate", [Reply("yes", prompt_tokens=7)], 0.5)
    assert copy.deepcopy(costs).uses() == costs.uses() != []
