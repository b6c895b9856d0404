from __future__ import annotations

import subprocess
import sys

import pytest

import memorai


@pytest.mark.parametrize("name", memorai.__all__)
def test_every_public_name_is_there(name):
    assert getattr(memorai, name) is not None
    assert name in dir(memorai)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        memorai.nothing  # noqa: B018


def test_import_is_cheap():
    code = "import sys, memorai; print([m for m in ('torch', 'hydra', 'transformers') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
