"""What the machine can do: bytes a second of a copy, to hold the engines' against."""

from __future__ import annotations

import os
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from .measure import Row

_BYTES = 2**28
PACKAGES = ("numpy", "scipy", "torch", "numba", "igraph", "networkx", "scikit-network")


def copy_bandwidth(threads: int) -> float:
    """Bytes read and written a second by copying arrays that fit no cache of one core, one a thread; best of 5."""
    pairs = [(np.ones(_BYTES // 8), np.zeros(_BYTES // 8)) for _ in range(threads)]
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), pairs))
            best = min(best, time.perf_counter() - start)
    return 2 * _BYTES * threads / best


def bytes_of_power(row: Row) -> float:
    """Bytes that a float32 power iteration to 1e-6 must move for a row's batch, a lower bound to set its time against.

    Steps: ln(1e-6) / ln(d). Each reads every edge's index once, gathers a value an edge and query and writes one a node
    and query; whatever stays in a cache is counted all the same.
    """
    steps = np.ceil(np.log(1e-6) / np.log(row.damping))
    return float(steps * (4 * row.edges + 4 * row.batch * (row.edges + 2 * row.nodes)))


def machine() -> str:
    """One line: processor, cores, versions."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1] for line in info.read_text(encoding="utf-8").splitlines() if "model name" in line
        ]
        model = names[0].strip() if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, " + ", ".join(
        f"{name} {_version(name)}" for name in PACKAGES
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
