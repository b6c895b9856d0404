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
