"""Random heterogeneous graphs for the tests of the PageRank engines, and a plain reference."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from memorai.retrieval.pagerank import Block, WeightedBlock

#: engines that iterate, each of which must give the dense solution
ITERATIVE = ["power", "batched", *(["compiled"] if importlib.util.find_spec("numba") else [])]


def chain(*edges: tuple[int, int], nodes: int, weights: list[float] | None = None) -> list[WeightedBlock]:
    """Edges among ``nodes``, of weight 1 or as given."""
    pairs = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2)
    weight = torch.tensor(weights if weights is not None else [1.0] * len(edges), dtype=torch.float64)
    whole = slice(0, nodes)
    return [WeightedBlock(Block(whole, whole, pairs[:, 0], pairs[:, 1], weight))]


def both_ways(blocks: list[WeightedBlock]) -> list[WeightedBlock]:
    """The blocks, and the same edges back."""
    return blocks + [WeightedBlock(b.block, b.source_scale, b.target_scale, b.value, True) for b in blocks]


def random_blocks(
    seed: int, sizes: tuple[int, int, int], edges: int, queries: int, reversible: bool = False, unit: bool = False
) -> tuple[list[WeightedBlock], int]:
    """Blocks like a memory graph's: scaled mentions both ways, relations with per-query values, plain neighbours.

    About a third of all factors are 0, so that dangling nodes and zero rows occur; edges may repeat or be loops. With
    ``reversible`` every block is walked both ways with the same factors; with ``unit`` static weights are 1.
    """
    generator = torch.Generator().manual_seed(seed)
    starts = [0, sizes[0], sizes[0] + sizes[1]]
    rows = [slice(start, start + size) for start, size in zip(starts, sizes, strict=True)]

    def block(source: int, target: int) -> Block:
        count = edges if sizes[source] and sizes[target] else 0
        drawn = torch.rand(count, generator=generator, dtype=torch.float64)
        return Block(
            rows[source],
            rows[target],
            torch.randint(max(sizes[source], 1), (count,), generator=generator),
            torch.randint(max(sizes[target], 1), (count,), generator=generator),
            torch.ones_like(drawn) if unit else drawn,
        )

    def factor(size: int) -> Tensor:
        drawn = torch.rand(size, queries, generator=generator, dtype=torch.float64)
        return drawn * (torch.rand(size, queries, generator=generator) > 0.3)

    mentions, parts, relations, neighbours = block(0, 1), block(1, 2), block(0, 0), block(1, 1)
    mention = (factor(sizes[0]), factor(sizes[1]))
    part, value = factor(sizes[1]), factor(relations.num_edges)
    blocks = [
        WeightedBlock(mentions, *mention),
        WeightedBlock(mentions, *mention, reverse=True),
        WeightedBlock(parts, source_scale=part),
        WeightedBlock(parts, source_scale=part, reverse=True),
        WeightedBlock(relations, value=value),
        WeightedBlock(relations, value=value, target_scale=None if reversible else factor(sizes[0]), reverse=True),
        WeightedBlock(neighbours),
    ]
    return [*blocks, WeightedBlock(neighbours, reverse=True)] if reversible else blocks, sum(sizes)


def convert(blocks: Sequence[WeightedBlock], change: Callable[[Tensor], Tensor]) -> list[WeightedBlock]:
    """The same blocks with every factor changed; factors that were shared stay shared."""
    memo: dict[int, Tensor] = {}

    def cut(factor: Tensor | None) -> Tensor | None:
        return None if factor is None else memo.setdefault(id(factor), change(factor))

    return [WeightedBlock(b.block, cut(b.source_scale), cut(b.target_scale), cut(b.value), b.reverse) for b in blocks]


def random_restart(seed: int, nodes: int, queries: int) -> Tensor:
    """Positive mass on about half of the nodes, and on the first one at least: [N, Q]."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(nodes, queries, generator=generator, dtype=torch.float64)
    mass = drawn * (torch.rand(nodes, queries, generator=generator) > 0.5)
    mass[:1] += 0.1
    return mass


def plain_power(blocks: Sequence[WeightedBlock], restart: Tensor, damping: float, steps: int) -> Tensor:
    """The definition, iterated: p <- (1 - d) s + d (P^T p + (dangling mass) s), with nothing clever about it."""
    s = restart / restart.sum(0)
    out = torch.zeros_like(s)
    for block in blocks:
        out[block.from_rows] += block.out_sum(s.shape[1], s.dtype)
    dangling = out <= 0
    p = s
    for _ in range(steps):
        leaving = p / torch.where(dangling, 1, out)
        leaving[dangling] = 0
        moved = torch.zeros_like(p)
        for block in blocks:
            moved[block.to_rows] += block.push(leaving[block.from_rows])
        p = (1 - damping + damping * (p * dangling).sum(0)) * s + damping * moved
    return p
