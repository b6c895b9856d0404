from __future__ import annotations

from typing import ClassVar

import pytest
from omegaconf import OmegaConf

from memorai.errors import InputError
from memorai.learn.tune import Objective, candidates, check_tuning, split, tune, with_values
from memorai.types import Conversation, Dataset, Question, Ranking, Session, Turn


def conversation(name: str) -> Conversation:
    turns = tuple(Turn(f"{name}{i}", "s", "Ann", f"text {i}") for i in range(4))
    questions = (
        Question(f"{name}:q0", "a?", (f"{name}0",), ("s",), "easy"),
        Question(f"{name}:q1", "b?", (f"{name}1",), ("s",), "easy"),
        Question(f"{name}:q2", "c?", (f"{name}3",), ("s",), "hard"),
    )
    return Conversation(name, (Session("s", turns),), questions)


DATASET = Dataset("d", "1", "", tuple(conversation(name) for name in "abcd"))


class Shifted:
    """Ranks the turns in order, starting at the configured one; notes which conversations it saw."""

    seen: ClassVar[list[str]] = []

    def __init__(self, start: int) -> None:
        self.start = start

    def labels(self):
        return {}

    def index(self, conversation):
        self.seen.append(conversation.id)
        self.turns = [turn.id for turn in conversation.turns]
        return self

    def search(self, queries, k):
        order = (self.turns[self.start :] + self.turns)[:k]
        return [Ranking(query.id, tuple(dict.fromkeys(order)), (1.0,) * len(dict.fromkeys(order))) for query in queries]

    def statistics(self):
        return {}

    def seconds(self):
        return {}


def build(config):
    return Shifted(config.start)


def test_objective_by_hand():
    # start 0, k 1: a question is right if its gold is the first turn: 1 of 2 easy, 0 of 1 hard
    one = Dataset("d", "1", "", (conversation("a"),))
    assert Objective("recall", "turn", 1, "weighted")(one, Shifted(0)) == pytest.approx(1 / 3)
    assert Objective("recall", "turn", 1, "macro")(one, Shifted(0)) == pytest.approx(1 / 4)
    with pytest.raises(InputError, match="no turn f1@1"):
        Objective("f1", "turn", 1)(one, Shifted(0))


def test_tuning_finds_the_best_value_and_never_sees_the_test_conversations():
    training, test = split(DATASET, ["b", "d"])
    Shifted.seen.clear()
    objective = Objective("recall", "turn", 1, "weighted")
    default, space = OmegaConf.create({"start": 0}), [{"path": "start", "values": [2, 3, 1]}]
    best, trials = tune(training, default, build, space, objective, progress=False)
    assert [trial.objective for trial in trials] == pytest.approx([0, 1 / 3, 1 / 3])
    # of equals the first of the grid
    assert best.values == {"start": 3}
    assert set(Shifted.seen) == {"b", "d"}
    assert [c.id for c in test.conversations] == ["a", "c"]


def test_split_by_share_is_the_same_for_a_seed_and_disjoint():
    first, rest = split(DATASET, 0.5, seed=3)
    again, _ = split(DATASET, 0.5, seed=3)
    assert first == again
    names = [[c.id for c in part.conversations] for part in (first, rest)]
    assert sorted(names[0] + names[1]) == ["a", "b", "c", "d"] and len(names[0]) == 2
    assert len({tuple(c.id for c in split(DATASET, 0.5, seed)[0].conversations) for seed in range(20)}) > 1


@pytest.mark.parametrize("train", [0, 1, 0.01, ["a", "b", "c", "d"], [], ["x"]])
def test_a_split_that_leaves_nothing_is_refused(train):
    with pytest.raises(InputError):
        split(DATASET, train)


def test_candidates_are_the_grid_or_a_seeded_sample_in_its_order():
    space = [{"path": "a", "values": [1, 2]}, {"path": "b", "values": [[1, 0], [0, 1]]}]
    assert candidates(space, 10) == [
        {"a": 1, "b": [1, 0]},
        {"a": 1, "b": [0, 1]},
        {"a": 2, "b": [1, 0]},
        {"a": 2, "b": [0, 1]},
    ]
    many = [{"path": "a", "values": list(range(100))}]
    sample = candidates(many, 10, seed=1)
    assert sample == candidates(many, 10, seed=1) and len(sample) == 10
    assert [c["a"] for c in sample] == sorted(c["a"] for c in sample)
    with pytest.raises(InputError, match="a needs a list"):
        candidates([{"path": "a", "values": []}], 10)


def test_values_are_set_in_a_copy_and_unknown_paths_refused():
    config = OmegaConf.create({"retriever": {"damping": 0.5}})
    assert with_values(config, {"retriever.damping": 0.9}).retriever.damping == 0.9
    assert config.retriever.damping == 0.5
    with pytest.raises(InputError, match=r"no value retriever\.dumping"):
        with_values(config, {"retriever.dumping": 0.9})


@pytest.mark.parametrize("train", [None, "abc", True, float("nan"), {"a": 1}])
def test_a_share_or_a_list_of_ids_is_needed(train):
    with pytest.raises(InputError, match="train="):
        split(DATASET, train)


@pytest.mark.parametrize("max_trials", ["abc", 1.5, None, True, 0])
def test_trials_are_counted(max_trials):
    with pytest.raises(InputError, match=f"max_trials={max_trials} is not a whole number"):
        candidates([{"path": "a", "values": [1]}], max_trials)


@pytest.mark.parametrize("space", [None, 5, "abc", {"path": "a", "values": [1]}])
def test_a_space_is_a_list(space):
    with pytest.raises(InputError, match="is not a list"):
        candidates(space, 1)


@pytest.mark.parametrize("path", [None, 5, "", " ", ["a"]])
def test_a_path_is_a_name(path):
    with pytest.raises(InputError, match="does not name a value"):
        candidates([{"path": path, "values": [1]}], 1)


def test_a_path_stands_once():
    with pytest.raises(InputError, match="a stands twice"):
        candidates([{"path": "a", "values": [1]}, {"path": "a", "values": [2]}], 9)


@pytest.mark.parametrize(("setting", "value"), [("k", "abc"), ("k", 0), ("k", None), ("k", 1.5), ("average", "mean")])
def test_an_objective_checks_itself(setting, value):
    with pytest.raises(InputError, match=f"objective.{setting}={value}"):
        Objective(**{setting: value})


GOOD = {"system": "s", "train": 0.5, "space": [{"path": "a", "values": [1]}], "max_trials": 1, "objective": {"k": 1}}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (None, "tune=None is not a section"),
        ({"train": 0.5}, "tune has no system, space"),
        ({**GOOD, "train": None}, "train=None"),
        ({**GOOD, "space": None}, "space=None"),
        ({**GOOD, "max_trials": "x"}, "max_trials=x"),
        ({**GOOD, "objective": None}, "tune.objective=None"),
    ],
)
def test_a_section_is_checked_as_a_whole(settings, says):
    check_tuning(GOOD)
    with pytest.raises(InputError, match=says):
        check_tuning(settings)
