from __future__ import annotations

from memorai.entry import conf_dir, one_line
from memorai.errors import InputError


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
