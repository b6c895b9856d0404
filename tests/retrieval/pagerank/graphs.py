"""Random heterogeneous graphs for the tests of the PageRank engines."""

from __future__ import annotations

import torch

from memorai.retrieval.pagerank import Block, WeightedBlock


def random_blocks(seed: int, sizes: tuple[int, int, int], edges: int, queries: int) -> tuple[list[WeightedBlock], int]:
    """Blocks like a memory graph's: scaled mentions both ways, relations with per-query values, plain neighbours.

    About a third of all factors are 0, so that dangling nodes and zero rows occur; edges may repeat or be loops.
    """
    generator = torch.Generator().manual_seed(seed)
    starts = [0, sizes[0], sizes[0] + sizes[1]]
    rows = [slice(start, start + size) for start, size in zip(starts, sizes, strict=True)]

    def block(source: int, target: int) -> Block:
        count = edges if sizes[source] and sizes[target] else 0
        return Block(
            rows[source],
            rows[target],
            torch.randint(max(sizes[source], 1), (count,), generator=generator),
            torch.randint(max(sizes[target], 1), (count,), generator=generator),
            torch.rand(count, generator=generator, dtype=torch.float64),
        )

    def factor(size: int) -> torch.Tensor:
        drawn = torch.rand(size, queries, generator=generator, dtype=torch.float64)
        return drawn * (torch.rand(size, queries, generator=generator) > 0.3)

    mentions, parts, relations, neighbours = block(0, 1), block(1, 2), block(0, 0), block(1, 1)
    mention = (factor(sizes[0]), factor(sizes[1]))
    part, value = factor(sizes[1]), factor(relations.num_edges)
    return [
        WeightedBlock(mentions, *mention),
        WeightedBlock(mentions, *mention, reverse=True),
        WeightedBlock(parts, source_scale=part),
        WeightedBlock(parts, source_scale=part, reverse=True),
        WeightedBlock(relations, value=value),
        WeightedBlock(relations, value=value, target_scale=factor(sizes[0]), reverse=True),
        WeightedBlock(neighbours),
    ], sum(sizes)
