"""Turns the one config value ``device=cpu|cuda|auto`` into a torch device."""

from __future__ import annotations

import torch

from memorai.errors import InputError


def resolve_device(name: str = "auto") -> torch.device:
    """Return the torch device for ``name``.

    Args:
        name: ``auto`` (CUDA where there is one, else CPU), ``cpu``, ``cuda``, or what else torch knows, as ``cuda:1``.

    Raises:
        InputError: torch does not know the name, or the machine has no such device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise InputError(f"device={name}: unknown device; use cpu, cuda or auto") from error
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(f"device={name}: this machine has no such CUDA device; use device=cpu or device=auto")
    return device
