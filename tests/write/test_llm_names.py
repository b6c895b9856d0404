from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.write.llm_names import EntityNames
from tests.toys import TURNS

ANN, BOB = [TURNS[0]], [TURNS[1]]


@pytest.mark.parametrize(
    ("name", "cited", "key"),
    [
        ("I", ANN, "ann"),
        ("my", BOB, "bob"),
        ("We", ANN, "ann"),
        ("我", BOB, "bob"),
        ("The speaker", ANN, "ann"),
        ("user", ANN, "ann"),
        ("I", [*ANN, *BOB], None),  # whose "I"?
        ("she", ANN, None),
        ("他", ANN, None),
        ("", ANN, None),
        (" . ", ANN, None),
        (None, ANN, None),
        (["Ann"], ANN, None),
        ("word " * 13, ANN, None),
        ("Ann", BOB, "ann"),
        ("ANN's", BOB, "ann"),
        ("Rex", ANN, "rex"),
        ("'Rex'", ANN, "rex"),
        ("the puppies", ANN, "puppi"),
        ("布偶猫", ANN, "布偶猫"),
    ],
)
def test_a_name_means(name: object, cited: list, key: str | None) -> None:
    assert EntityNames(TURNS, "en").resolve(name, cited) == key


def test_forms_of_a_name_are_one_entity_shown_as_first_seen() -> None:
    names = EntityNames(TURNS, "en")
    assert names.resolve("Puppies", ANN) == names.resolve("the puppy", ANN) == names.resolve("puppy", BOB)
    assert names.display("puppi") == "Puppies"
    assert names.display("ann") == "Ann"


def test_what_only_looks_alike_stays_apart() -> None:
    names = EntityNames(TURNS, "en")
    assert names.resolve("IT", ANN) is None
    assert len({names.resolve(name, ANN) for name in ("apple", "pear", "苹果", "香蕉", "Ann Arbor", "Anna")}) == 6


def test_roles_are_speakers_of_that_role() -> None:
    turns = [replace(TURNS[0], role="user"), replace(TURNS[1], role="assistant")]
    names = EntityNames(turns, "en")
    assert names.resolve("the user", turns) == "ann"
    assert names.resolve("assistant", turns) == "bob"


def test_a_key_of_another_extractor_is_taken_unless_the_name_is_known() -> None:
    names = EntityNames(TURNS, "en")
    assert names.resolve("Rex", ANN) == "rex"
    assert names.add("rex", "another key") == "rex"
    assert names.add("Rome", "roma") == "roma" == names.resolve("Rome", ANN)
    assert names.add("Bob", "b") == "bob"
