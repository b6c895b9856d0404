"""Edges as shared sparse blocks, and the factors that make them a query's own.

All queries of a batch walk on the same 0/1 structure. What differs is the weight of an edge, and most weights depend on
one endpoint only: then they are a diagonal scaling, and the batch needs one sparse-dense product a block and iteration.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class Block:
    """The edges of one type between two runs of nodes.

    Args:
        source_rows: rows of the source nodes in a stacked [N, Q] array.
        target_rows: rows of the target nodes.
        source: int64 [E], local index of each edge's source.
        target: int64 [E], local index of each edge's target.
        weight: [E], the part of an edge's weight that no query changes; finite and >= 0.
    """

    source_rows: slice
    target_rows: slice
    source: Tensor
    target: Tensor
    weight: Tensor
    forward: Tensor = field(init=False, repr=False)  # CSR [n_source, n_target]
    backward: Tensor = field(init=False, repr=False)  # CSR [n_target, n_source]

    def __post_init__(self) -> None:
        check_weights(self.weight, "weight of an edge")
        for name, local, rows in (("source", self.source, self.source_rows), ("target", self.target, self.target_rows)):
            size = rows.stop - rows.start
            if local.numel() and (int(local.min()) < 0 or int(local.max()) >= size):
                raise ValueError(f"an edge's {name} lies outside its {size} nodes")
        shape = (self.num_sources, self.num_targets)
        object.__setattr__(self, "forward", _csr(self.source, self.target, self.weight, shape))
        object.__setattr__(self, "backward", _csr(self.target, self.source, self.weight, shape[::-1]))

    @property
    def num_sources(self) -> int:
        """Number of source nodes."""
        return self.source_rows.stop - self.source_rows.start

    @property
    def num_targets(self) -> int:
        """Number of target nodes."""
        return self.target_rows.stop - self.target_rows.start

    @property
    def num_edges(self) -> int:
        """E, parallel edges counted each."""
        return self.weight.numel()


@dataclass(frozen=True)
class WeightedBlock:
    """A block with the factors of Q queries.

    w_q(e = (u, v)) = weight[e] * source_scale[u, q] * target_scale[v, q] * value[e, q]; a factor that is
    None is 1 everywhere. ``reverse`` walks the same edges from target to source with the same weights.

    Args:
        block: the shared structure.
        source_scale: [n_source, Q] >= 0 or None.
        target_scale: [n_target, Q] >= 0 or None.
        value: [E, Q] >= 0 or None; only for weights that no endpoint determines, such as relation texts.
        reverse: walk against the edges' direction.
    """

    block: Block
    source_scale: Tensor | None = None
    target_scale: Tensor | None = None
    value: Tensor | None = None
    reverse: bool = False

    def __post_init__(self) -> None:
        sizes = (self.block.num_sources, self.block.num_targets, self.block.num_edges)
        factors = (self.source_scale, self.target_scale, self.value)
        for name, size, factor in zip(("source_scale", "target_scale", "value"), sizes, factors, strict=True):
            if factor is None:
                continue
            if factor.ndim != 2 or factor.shape[0] != size:
                raise ValueError(f"{name} has shape {tuple(factor.shape)}, expected [{size}, Q]")
            check_weights(factor, name)

    @property
    def from_rows(self) -> slice:
        """Rows that the walk leaves."""
        return self.block.target_rows if self.reverse else self.block.source_rows

    @property
    def to_rows(self) -> slice:
        """Rows that the walk enters."""
        return self.block.source_rows if self.reverse else self.block.target_rows

    @property
    def from_scale(self) -> Tensor | None:
        """Factor of the node that the walk leaves."""
        return self.target_scale if self.reverse else self.source_scale

    @property
    def to_scale(self) -> Tensor | None:
        """Factor of the node that the walk enters."""
        return self.source_scale if self.reverse else self.target_scale

    def push(self, mass: Tensor) -> Tensor:
        """Move mass [n_from, Q] along the edges, each edge multiplying by its weight: [n_to, Q]."""
        moved = self._spread(_times(mass, self.from_scale), along=True)
        return _times(moved, self.to_scale)

    def out_sum(self, num_queries: int, dtype: torch.dtype) -> Tensor:
        """Sum of each leaving node's weights: [n_from, Q]."""
        ones = self.to_scale
        if ones is None:
            size = self.to_rows.stop - self.to_rows.start
            ones = torch.ones(size, num_queries, dtype=dtype, device=self.block.weight.device)
        return _times(self._spread(ones, along=False), self.from_scale)

    def _spread(self, x: Tensor, along: bool) -> Tensor:
        block = self.block
        if self.value is None:
            return (block.backward if along != self.reverse else block.forward) @ x
        start, end, size = block.source, block.target, block.num_targets
        if along == self.reverse:
            start, end, size = end, start, block.num_sources
        weighted = x[start] * (block.weight[:, None] * self.value)
        return x.new_zeros(size, x.shape[1]).index_add_(0, end, weighted)


def check_weights(values: Tensor, name: str) -> None:
    """Raise ValueError, naming the first index, unless all values are finite and >= 0."""
    bad = ~torch.isfinite(values) | (values < 0)
    if bool(bad.any()):
        first = tuple(bad.nonzero()[0].tolist())
        raise ValueError(f"{name} at {list(first)} is {float(values[first])}; it must be finite and >= 0")


def _times(x: Tensor, scale: Tensor | None) -> Tensor:
    return x if scale is None else x * scale


def _csr(rows: Tensor, cols: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    # the indices were checked by Block, which names what is wrong; torch need not check them again
    with warnings.catch_warnings(), torch.sparse.check_sparse_tensor_invariants(enable=False):
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        indices = torch.stack([rows, cols])
        return torch.sparse_coo_tensor(indices, values, shape).coalesce().to_sparse_csr()
