from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from memorai.errors import InputError
from memorai.learn.fit import Settings, choose_and_fit
from memorai.learn.protocols import clusters_of, grouped_folds, make_folds
from tests.learn.groups import group

GROUPS = [group(name) for name in "abcde"]
GRID = [Settings(hidden=h, epochs=3, candidates=8, batch=16) for h in (0, 3)]


def names(groups):
    return [g.conversation for g in groups]


def test_every_group_is_tested_once_and_never_trained_on():
    for protocol in ("loco", "within"):
        folds = make_folds(protocol, GROUPS, (), folds=3)
        assert sorted(n for fold in folds for n in names(fold.test)) == list("abcde")
        for fold in folds:
            assert sorted(names(fold.train) + names(fold.test)) == list("abcde")
    assert [fold.name for fold in make_folds("loco", GROUPS, ())] == list("abcde")


def test_zero_shot_trains_on_other_data_and_drops_what_is_tested():
    other = group("x")
    renamed = replace(GROUPS[0], conversation="copy", dataset="elsewhere")
    (fold,) = make_folds("zero_shot", GROUPS, [other, renamed])
    assert (names(fold.train), names(fold.test)) == (["x"], list("abcde"))
    longer = replace(other, digest="longer haystack", questions=(*other.questions[1:], GROUPS[1].questions[0]))
    for seen in (renamed, longer):
        with pytest.raises(InputError, match="other data"):
            make_folds("zero_shot", GROUPS, [seen])


def test_questions_that_share_an_answer_session_stay_together():
    single = [
        group(str(i), questions=1, sessions=s) for i, s in enumerate([("a",), ("b",), ("c", "a"), ("d",), ("b",)])
    ]
    assert [names(part) for part in clusters_of(single)] == [["0", "2"], ["1", "4"], ["3"]]
    folds = grouped_folds(single, 2, seed=0)
    assert sorted(len(fold) for fold in folds) == [2, 3]
    for fold in folds:
        assert ("0" in names(fold)) == ("2" in names(fold)) and ("1" in names(fold)) == ("4" in names(fold))


def test_bad_protocols():
    for protocol, groups, says in (
        ("nested", GROUPS, "protocol=nested"),
        ("loco", GROUPS[:1], "at least two"),
        ("within", GROUPS[:1], "two clusters"),
    ):
        with pytest.raises(InputError, match=says):
            make_folds(protocol, groups, ())


@pytest.mark.parametrize("protocol", ["loco", "within", "zero_shot"])
def test_no_label_of_a_test_question_reaches_what_is_trained(protocol):
    """Poison questions, gold and evidence of one fold's test groups: its checkpoint must not change by a bit."""
    others = [group("x"), group("y")]
    clean = make_folds(protocol, GROUPS, others, folds=3)
    for number, fold in enumerate(clean):
        tested = set(names(fold.test))
        poisoned = [_poisoned(g) if g.conversation in tested else g for g in GROUPS]
        again = make_folds(protocol, poisoned, others, folds=3)[number]
        assert set(names(again.test)) == tested
        one, two = (choose_and_fit(f.train, GRID, seed=1) for f in (fold, again))
        assert one.settings == two.settings and one.epoch == two.epoch and one.curve == two.curve
        for before, after in zip(one.model.state_dict().values(), two.model.state_dict().values(), strict=True):
            assert torch.equal(before, after)


def test_the_poison_works():
    """Were test groups in the training, the same poison would show."""
    fold = make_folds("loco", GROUPS, ())[0]
    one = choose_and_fit([*fold.train, *fold.test], GRID, seed=1)
    two = choose_and_fit([*fold.train, *map(_poisoned, fold.test)], GRID, seed=1)
    assert not torch.equal(one.model.linear.weight, two.model.linear.weight)


def _poisoned(g):
    gold = np.roll(g.gold, 1, axis=1)
    turn = np.array(g.turn_ids)
    questions = tuple(
        replace(q, text="poison", answer="poison", evidence=tuple(turn[row].tolist()))
        for q, row in zip(g.questions, gold, strict=True)
    )
    values = g.features.values * -7 + 3  # the evidence of a test question may not shift the normalisation either
    return replace(g, questions=questions, gold=gold, features=replace(g.features, values=values))
