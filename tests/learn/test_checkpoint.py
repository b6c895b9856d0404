from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from memorai.errors import InputError
from memorai.learn.checkpoint import Checkpoint, Source, mean_of
from memorai.learn.fit import Settings, fit
from memorai.types import Dataset, Query
from tests.learn.groups import NAMES, group

DATA = Dataset("toy", "v1", "abc", ())


def checkpoint(settings=Settings(hidden=3, epochs=2)):  # noqa: B008 - frozen
    groups = [group("a"), group("b")]
    fitted = fit(groups, settings, 7)
    return Checkpoint.of(fitted, NAMES, {"dense": "Dense()"}, 7, "loco", [Source.of(DATA, groups)])


def test_comes_back_as_it_was_written(tmp_path):
    before = checkpoint()
    weights = before.write(tmp_path / "deep" / "fold.1")
    assert weights.name == "fold.1.safetensors"
    for path in (weights, tmp_path / "deep" / "fold.1"):
        after = Checkpoint.read(path)
        assert (after.features, after.settings, after.seed) == (before.features, before.settings, 7)
        assert after.trained_on == before.trained_on and after.evidence == before.evidence
        evidence = torch.randn(5, len(NAMES))
        assert after.model(evidence).equal(before.model(evidence))
        assert not after.model.training
    card = json.loads((tmp_path / "deep" / "fold.1.json").read_text(encoding="utf-8"))
    assert card["trained_on"][0]["sha256"] == "abc"
    assert card["trained_on"][0]["conversations"] == {"a": "digest-a", "b": "digest-b"}
    assert len(card["trained_on"][0]["questions"]) == 24


def test_the_mean_of_linear_scorers_scores_by_the_mean():
    linear = Settings(hidden=0, epochs=2)
    groups = [group("a"), group("b")]
    ones = [
        Checkpoint.of(fit(groups, linear, seed), NAMES, {"dense": "Dense()"}, seed, "loco", [Source.of(DATA, groups)])
        for seed in (1, 2)
    ]
    mean, evidence = mean_of(ones), torch.randn(5, len(NAMES))
    expected = (ones[0].model(evidence) + ones[1].model(evidence)) / 2
    assert not torch.equal(ones[0].model(evidence), ones[1].model(evidence))
    torch.testing.assert_close(mean.model(evidence), expected)
    assert mean.notes == ("mean of the weights of seeds 1, 2",) and mean.trained_on == ones[0].trained_on
    assert mean_of([checkpoint(), checkpoint()]) is None  # a hidden layer has no mean
    assert mean_of([ones[0], replace(ones[1], features=NAMES[::-1])]) is None


def test_knows_what_it_saw():
    one = checkpoint()
    assert one.saw("digest-a") and not one.saw("digest-c")
    # the same question over another haystack, but not one that shares its id or its words alone
    assert one.saw("digest-c", [Query("z:q0", "?"), Query("a:q3", "?")])
    assert not one.saw("digest-c", [Query("z:q0", "?"), Query("a:q3", "Another?")])


def test_files_that_are_no_checkpoint(tmp_path):
    with pytest.raises(InputError, match="no such checkpoint"):
        Checkpoint.read(tmp_path / "none")
    place = tmp_path / "x"
    checkpoint().write(place)
    good = place.with_name("x.json").read_text(encoding="utf-8")
    for text in ("{", "[]", good.replace('"hidden": 3', '"hidden": 4'), good.replace('"settings"', '"setting"')):
        place.with_name("x.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="not a checkpoint"):
            Checkpoint.read(place)
    place.with_name("x.json").write_text(good.replace('"match/noise"', '"match/noise", "more"'), encoding="utf-8")
    with pytest.raises(InputError, match="do not fit"):
        Checkpoint.read(place)
    place.with_name("x.json").write_text(good, encoding="utf-8")
    place.with_name("x.safetensors").write_bytes(b"cut")
    with pytest.raises(InputError, match="not a checkpoint"):
        Checkpoint.read(place)
