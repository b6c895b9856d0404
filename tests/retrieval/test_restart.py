from __future__ import annotations

import pytest
import torch

from memorai.retrieval.restart import (
    CosineRestart,
    FacetRestart,
    FactRestart,
    RestartSum,
    TurnRestart,
    UniformRestart,
)
from memorai.retrieval.scores import Dense
from memorai.retrieval.subgraph import FacetSeeds
from memorai.retrieval.transforms import Clip
from tests.toys import TURNS, TableEmbedder, toy_view

VECTORS = {
    "puppy": [0.6, 0.8],
    "Rex": [-1.0, 0.0],
    "Rome": [1.0, 0.0],
    "Rex loves Rome": [1.0, 0.0],
    "\n".join(t.text for t in TURNS[:3]): [0.0, 1.0],
    "\n".join(t.text for t in TURNS[3:]): [0.8, 0.6],
    **{t.text: [0.0, 1.0] for t in TURNS},
    TURNS[3].text: [1.0, 0.0],
    TURNS[4].text: [0.6, 0.8],
    "q": [1.0, 0.0],
}


def view():
    return toy_view(TableEmbedder(VECTORS), texts=["q"])


def mass(restart, mask=None):
    v = view()
    return restart.mass(v, v.everything() if mask is None else mask)[:, 0].tolist()


def test_cosine_restart_is_each_nodes_own_clipped_cosine_inside_the_mask():
    assert mass(CosineRestart()) == pytest.approx([0.6, 0, 1, 0, 0, 0, 1, 0.6, 0, 0.8], abs=1e-7)
    mask = torch.zeros(10, 1, dtype=torch.bool)
    mask[[0, 6]] = True
    assert mass(CosineRestart(), mask) == pytest.approx([0.6, 0, 0, 0, 0, 0, 1, 0, 0, 0], abs=1e-7)
    assert mass(CosineRestart(node_types=["snippet"])) == pytest.approx([0] * 9 + [0.8], abs=1e-7)


def test_facet_restart_is_on_the_seeds_only():
    assert mass(FacetRestart(FacetSeeds(1, 1, 0))) == pytest.approx([0, 0, 1, 0, 0, 0, 0, 0, 0, 0.8], abs=1e-7)


def test_turn_restart_is_on_turns_only():
    assert mass(TurnRestart(Dense(), Clip())) == pytest.approx([0, 0, 0, 0, 0, 0, 1, 0.6, 0, 0], abs=1e-7)


def test_uniform_restart_is_the_mask():
    assert mass(UniformRestart()) == [1.0] * 10


def test_fact_restart_by_hand():
    # one fact: its score scales to 1; rex and rome are mentioned in two turns each, so each gets 1 / 2;
    # passages: min-max of the cosines (0, 0, 0, 1, 0.6) times 0.05
    expected = [0, 0.5, 0.5, 0, 0, 0, 0.05, 0.03, 0, 0]
    assert mass(FactRestart(k_facts=5, passage_weight=0.05)) == pytest.approx(expected, abs=1e-7)


def test_restart_sum_mixes_distributions():
    mixed = mass(RestartSum([UniformRestart(), TurnRestart(Dense(), Clip())], [0.5, 0.5]))
    assert sum(mixed) == pytest.approx(1)
    assert mixed[6] == pytest.approx(0.05 + 0.5 * 1 / 1.6)
    with pytest.raises(ValueError, match="1 weights for 2 restarts"):
        RestartSum([UniformRestart(), UniformRestart()], [1.0])


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="known are entity, turn, snippet"):
        CosineRestart(node_types=["foo"])
    with pytest.raises(ValueError, match="k_relation="):
        FactRestart(k_facts=1.5)
    for bad in (-1, float("nan"), "0.05"):
        with pytest.raises(ValueError, match="passage_weight"):
            FactRestart(passage_weight=bad)
    for bad in (-0.5, float("nan")):
        with pytest.raises(ValueError, match="weight"):
            RestartSum([UniformRestart()], [bad])
