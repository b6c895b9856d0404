from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.harness.load import conf_dir, load_dataset, load_system, one_line


def test_the_configuration_is_found():
    assert (conf_dir() / "eval.yaml").is_file()


def test_the_innermost_cause_is_shown_on_one_line():
    try:
        try:
            raise ValueError("damping=2\nis too much")
        except ValueError as cause:
            raise RuntimeError("Error in call to target") from cause
    except RuntimeError as error:
        assert one_line(error) == "damping=2 is too much"
    assert one_line(InputError("file: what to do")) == "file: what to do"
    assert one_line(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_a_data_set_and_a_system_by_name():
    dataset = load_dataset("demo", "dataset.part=en")
    conversation = dataset.conversations[0]
    index = load_system("bm25", "embedder=hashing").index(conversation)
    assert len(index.search([conversation.questions[0].query], k=3)[0].ids) == 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: load_dataset("nothing"), "nothing"),
        (lambda: load_dataset("jsonl", "dataset.path=missing.jsonl"), "missing.jsonl"),
        (lambda: load_system("nothing"), "nothing"),
        (lambda: load_system("memorai", "systems.memorai.retriever.damping=2"), "damping=2"),
    ],
)
def test_what_is_wrong_is_an_input_error_of_one_line(call, says):
    with pytest.raises(InputError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_cause_that_names_no_place_gets_the_one_hydra_knows():
    with pytest.raises(InputError, match=r"^systems\.memorai\.retriever: damping=abc is outside"):
        load_system("memorai", "systems.memorai.retriever.damping=abc")
    with pytest.raises(InputError, match=r"^systems\.memorai\.retriever\.dumping: Key 'dumping' is not in struct$"):
        load_system("memorai", "systems.memorai.retriever.dumping=1")


def test_a_value_that_is_not_given_is_asked_for():
    with pytest.raises(InputError, match=r"^dataset\.path: no value is given; add dataset\.path=\.\.\.$"):
        load_dataset("jsonl")


def test_a_value_that_needs_quotes_says_so():
    with pytest.raises(InputError, match=r"quote the value.*\"dataset\.path='a\(b\)\.jsonl'\"$"):
        load_dataset("jsonl", "dataset.path=a(b).jsonl")
    with pytest.raises(InputError, match=r"^'' has no key and value .*; write key=value$"):
        load_dataset("demo", "")


def test_a_file_that_cannot_be_read_is_named_with_a_remedy():
    error = PermissionError(13, "Permission denied", "data.json")
    assert one_line(error) == "data.json: Permission denied (PermissionError); check the path and its permissions"
