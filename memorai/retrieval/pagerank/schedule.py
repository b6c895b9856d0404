"""How each new iterate is mixed from the last two: plain power steps, or Chebyshev's where the walk is reversible.

If every edge is walked both ways with one weight, the weight matrix W is symmetric, and P^T = W D^-1 is similar to the
symmetric D^-1/2 W D^-1/2: its eigenvalues are real and lie in [-1, 1]. Then the Chebyshev semi-iteration

    y_{k+1} = y_{k-1} + omega_{k+1} (F(y_k) - y_{k-1}),   omega_1 = 1, omega_2 = 2 / (2 - d^2),
    omega_{k+1} = 1 / (1 - d^2 omega_k / 4)

reduces the error of y = F(y) by d / (1 + sqrt(1 - d^2)) a step where power iteration reduces it by d: 0.27 instead of
0.5, and 0.56 instead of 0.85, for the same product and two arrays (Golub and Varga, Numer. Math. 3, 1961).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import torch

from memorai.retrieval.pagerank.blocks import WeightedBlock


def is_reversible(blocks: Sequence[WeightedBlock]) -> bool:
    """Whether each block has a partner that walks the same edges back with the very same factors."""
    ways: tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]] = (Counter(), Counter())
    for b in blocks:
        ways[b.reverse][id(b.block), id(b.source_scale), id(b.target_scale), id(b.value)] += 1
    return ways[0] == ways[1]


#: a residual beyond this has been blown up by rounding; a probability vector's is at most 2
LOST = 1e3


class Schedule:
    """The mixing factors omega of a run.

    In exact arithmetic Chebyshev's steps need no supervision. In floating point, and with weights many orders of
    magnitude apart, they may stall; power steps never do, because they contract the L1 distance whatever they start
    from. So the run changes to omega = 1 after twice the steps that theory asks for.

    Args:
        damping: d in [0, 1).
        accelerate: whether the walk is reversible.
        tol: the residual that is aimed at.
        dtype: below its precision no more steps are planned.
    """

    def __init__(self, damping: float, accelerate: bool, tol: float, dtype: torch.dtype) -> None:
        self._quarter = damping**2 / 4
        rate = damping / (1 + math.sqrt(1 - damping**2))
        aim = max(tol, torch.finfo(dtype).eps)
        planned = 1 + (math.log(aim / 4) / math.log(rate) if rate > 0 and aim < 1 else 1)
        self._accelerated = 2 * math.ceil(planned) + 10 if accelerate else 0
        self._step, self._omega = 0, 1.0

    def next(self) -> float:
        """Return the omega of the next step."""
        if self._step >= self._accelerated:
            self._omega = 1.0
        elif self._step == 1:
            self._omega = 1 / (1 - 2 * self._quarter)
        elif self._step > 1:
            self._omega = 1 / (1 - self._quarter * self._omega)
        self._step += 1
        return self._omega

    def give_up(self, dtype: torch.dtype) -> None:
        """Take power steps from now on, after a start from the beginning.

        Raises:
            ValueError: it was power steps that failed.
        """
        if not self._accelerated:
            raise ValueError(f"the weights of the edges at a node differ by more than {dtype} can hold")
        self._accelerated = 0
