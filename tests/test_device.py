from __future__ import annotations

import pytest
import torch

from memorai.device import resolve_device
from memorai.errors import InputError


def test_auto_takes_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto") == torch.device("cuda")


def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert resolve_device("cuda:0") == torch.device("cuda:0")
    with pytest.raises(InputError, match="no such CUDA device"):
        resolve_device("cuda:1")
    with pytest.raises(InputError, match="unknown device"):
        resolve_device("gpu")
