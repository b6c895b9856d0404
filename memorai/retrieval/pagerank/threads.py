"""As many threads as the work is worth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

#: elements of an [N, Q] array below which waking a second thread costs more than it saves (docs/pagerank.md)
WORTH_THREADS = 1 << 18


@contextmanager
def suited_threads(elements: int) -> Iterator[int]:
    """Use one torch thread for small arrays, and restore the setting afterwards; yields the number in use."""
    before = torch.get_num_threads()
    if elements >= WORTH_THREADS or before == 1:
        yield before
        return
    torch.set_num_threads(1)
    try:
        yield 1
    finally:
        torch.set_num_threads(before)
