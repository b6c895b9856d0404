"""Weights whose factors are far from 1, turned into transition probabilities before any engine multiplies them.

A weight is the product of up to four factors. Each engine multiplies them in an order of its own, and where some are
huge and others tiny a partial product may leave the range of the dtype although the weight itself does not. No order
suits all such weights, so they are multiplied here, significands and exponents apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from memorai.retrieval.pagerank.blocks import Block, WeightedBlock
from memorai.retrieval.pagerank.walk import check_out, least_out

#: up to here no product of some factors exceeds a weight by more than `least_out` leaves room for
MODEST = 2.0**16


def within_range(blocks: Sequence[WeightedBlock], restart: Tensor) -> Sequence[WeightedBlock]:
    """Return blocks of the same walk whose weights any engine may multiply in any order.

    These are the given ones, unless the factors of one may exceed `MODEST` together: then all edges get their
    transition probabilities as values, float64 [E, Q]. Differentiable.

    Args:
        blocks: weighted edges with factors of Q queries.
        restart: [N, Q], whose dtype the engine computes in.

    Raises:
        ValueError: the weights that leave a node overflow that dtype.
    """
    if all(block.peak <= MODEST for block in blocks):
        return blocks
    weights = [_weights(block, restart.shape[1]) for block in blocks]
    out = torch.zeros(restart.shape, dtype=torch.float64, device=restart.device)
    for block, weight in zip(blocks, weights, strict=True):
        out = out.index_add(0, block.leaving, weight)
    check_out(out, restart.dtype)
    dangling = out < least_out(restart.dtype)
    safe = torch.where(dangling, math.inf, out)
    return [
        WeightedBlock(_plain(block.block), value=weight / safe[block.leaving], reverse=block.reverse)
        for block, weight in zip(blocks, weights, strict=True)
    ]


def _weights(weighted: WeightedBlock, num_queries: int) -> Tensor:
    """Multiply a block's factors out: float64 [E, Q]; what leaves even that range becomes 0 or infinite."""
    block = weighted.block
    factors = [block.weight.double()[:, None].expand(-1, num_queries)]
    for scale, end in ((weighted.source_scale, block.source), (weighted.target_scale, block.target)):
        if scale is not None:
            factors.append(scale.double()[end])
    if weighted.value is not None:
        factors.append(weighted.value.double())
    product, exponent = torch.ones_like(factors[0]), torch.zeros_like(factors[0], dtype=torch.int32)
    for factor in factors:
        power = torch.frexp(factor.detach()).exponent
        product = product * _shift(factor, -power)  # in [1/2, 1), or 0
        exponent = exponent + power
    return _shift(product, exponent)


def _shift(x: Tensor, exponent: Tensor) -> Tensor:
    """Return x 2^exponent, for float64 and any exponent that sums of four can reach."""
    for part in range(4):  # a quarter at a time, so that the powers of two themselves stay in range
        x = x * torch.exp2(((exponent + part) // 4).double())
    return x


def _plain(block: Block) -> Block:
    """The same edges with static weights of 1; kept, for engines sort a block once."""
    if "plain" not in block.cache:
        ones = torch.ones(block.num_edges, dtype=torch.float64, device=block.weight.device)
        block.cache["plain"] = Block(block.source_rows, block.target_rows, block.source, block.target, ones)
    found: Block = block.cache["plain"]
    return found
