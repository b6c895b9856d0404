"""Edges as shared sparse blocks, and the factors that make them a query's own.

All queries of a batch walk on the same 0/1 structure. What differs is the weight of an edge, and most weights depend on
one endpoint only: then they are a diagonal scaling, and the batch needs one sparse-dense product a block and iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from memorai.retrieval.pagerank.sparse import Rows, csr, sort_edges, transposable_product
from memorai.retrieval.pagerank.threads import suited_threads

#: sparse products take int32 indices: half the memory traffic, and the only width that CPU builds of MKL know
LARGEST_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Block:
    """The edges of one type between two runs of nodes.

    Sorted structures are built on first use and kept, so one Block should serve all queries of a graph.

    Args:
        source_rows: rows of the source nodes in a stacked [N, Q] array.
        target_rows: rows of the target nodes.
        source: int64 or int32 [E], local index of each edge's source.
        target: int64 or int32 [E], local index of each edge's target.
        weight: [E], the part of an edge's weight that no query changes; finite and >= 0.

    Raises:
        ValueError: shapes that differ, indices outside the rows, more nodes or edges than int32 can count, bad weights.
    """

    source_rows: slice
    target_rows: slice
    source: Tensor
    target: Tensor
    weight: Tensor
    #: what engines derive from the structure, kept as long as the graph lives
    cache: dict[Hashable, Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        with torch.inference_mode(False):  # tensors made under inference mode could serve no gradient later
            for name in ("source", "target", "weight"):
                if getattr(self, name).is_inference():
                    object.__setattr__(self, name, getattr(self, name).clone())
        if not self.source.shape == self.target.shape == self.weight.shape or self.weight.ndim != 1:
            shapes = [tuple(x.shape) for x in (self.source, self.target, self.weight)]
            raise ValueError(f"source, target and weight must have one shape [E], not {shapes}")
        check_weights(self.weight, "weight of an edge")
        for name, local, rows in (("source", self.source, self.source_rows), ("target", self.target, self.target_rows)):
            if local.dtype not in (torch.int64, torch.int32):
                raise ValueError(f"{name} has dtype {local.dtype}; indices are int64 or int32")
            if not (isinstance(rows.start, int) and isinstance(rows.stop, int) and rows.step in (None, 1)):
                raise ValueError(f"{name}_rows={rows} is not a run of rows such as slice(0, 10)")
            size = rows.stop - rows.start
            if rows.start < 0 or size < 0:
                raise ValueError(f"{name}_rows={rows} is not a run of rows")
            if max(size, local.numel()) > LARGEST_INDEX:
                raise ValueError(
                    f"a block with {size} {name} nodes and {local.numel()} edges is beyond int32 indices; "
                    "split it into several blocks"
                )
            if local.numel() and (int(local.min()) < 0 or int(local.max()) >= size):
                raise ValueError(f"an edge's {name} lies outside its {size} nodes")

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle holds: what is derived can be derived again, and knows other blocks by their ids."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over the fields, as a frozen dataclass would not let itself."""
        self.__dict__.update(state, cache={})

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

    @property
    def unit(self) -> bool:
        """Whether every static weight is 1."""
        return bool(self.of_weight("unit", lambda: bool((self.weight == 1).all())))

    def of_weight(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` derives from the static weights; made again when they were changed in place."""
        version = _version(self.weight)
        kept = self.cache.get(key)
        if kept is None or kept[0] != version:
            with torch.inference_mode(False):  # later queries may want gradients
                kept = self.cache[key] = (version, make())
        return kept[1]

    @property
    def peak(self) -> float:
        """The largest static weight."""
        return float(self.of_weight("peak", lambda: check_weights(self.weight, "weight of an edge")))

    @cached_property
    def by_source(self) -> Rows:
        """Edges sorted by (source, target)."""
        with torch.inference_mode(False):
            return sort_edges(self.source, self.target, self.num_sources, self.num_targets)

    @cached_property
    def by_target(self) -> Rows:
        """Edges sorted by (target, source)."""
        with torch.inference_mode(False):
            return sort_edges(self.target, self.source, self.num_targets, self.num_sources)

    @property
    def forward(self) -> Tensor:
        """Static weights as CSR [n_source, n_target]."""
        return self.matrix(False, self.weight.dtype)

    @property
    def backward(self) -> Tensor:
        """Static weights as CSR [n_target, n_source]."""
        return self.matrix(True, self.weight.dtype)

    def matrix(self, to_target: bool, dtype: torch.dtype) -> Tensor:
        """Static weights as CSR: [n_target, n_source] if ``to_target``, else [n_source, n_target]."""

        def make() -> Tensor:
            rows = self.by_target if to_target else self.by_source
            values = self.weight.detach().to(dtype)[rows.edge]
            return csr(rows.pointer, rows.column, values, self.num_sources if to_target else self.num_targets)

        found: Tensor = self.of_weight(("matrix", to_target, dtype), make)
        return found

    def incidence(self, to_target: bool, dtype: torch.dtype) -> Tensor:
        """Static weights as CSR from edges to their ends: [n_target, E] if ``to_target``, else [n_source, E]."""

        def make() -> Tensor:
            rows = self.by_target if to_target else self.by_source
            return csr(rows.pointer, rows.edge, self.weight.detach().to(dtype)[rows.edge], self.num_edges)

        found: Tensor = self.of_weight(("incidence", to_target, dtype), make)
        return found

    def degree(self, to_target: bool, dtype: torch.dtype) -> Tensor:
        """Sum of static weights at each target if ``to_target``, else at each source: [n]."""

        def make() -> Tensor:
            end, size = (self.target, self.num_targets) if to_target else (self.source, self.num_sources)
            total = torch.zeros(size, dtype=torch.float64, device=end.device)
            # beyond the largest float32 it becomes inf, which the engine refuses by name
            return total.index_add_(0, end, self.weight.detach().double()).to(dtype)

        found: Tensor = self.of_weight(("degree", to_target, dtype), make)
        return found


@dataclass(frozen=True, eq=False)
class WeightedBlock:
    """A block with the factors of Q queries.

    w_q(e = (u, v)) = weight[e] * source_scale[u, q] * target_scale[v, q] * value[e, q]; a factor that is
    None is 1 everywhere. ``reverse`` walks the same edges from target to source with the same weights.

    A forward and a reverse block that share their factors (the same tensors: see `reversed`) make the walk reversible,
    which the engines recognise and use (`memorai.retrieval.pagerank.schedule`).

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
    #: largest value of each factor, with the version of the tensor that it was read from
    _peaks: dict[str, tuple[int, float]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        sizes = (self.block.num_sources, self.block.num_targets, self.block.num_edges)
        factors = (self.source_scale, self.target_scale, self.value)
        for name, size, factor in zip(("source_scale", "target_scale", "value"), sizes, factors, strict=True):
            if factor is None:
                continue
            if factor.ndim != 2 or factor.shape[0] != size:
                raise ValueError(f"{name} has shape {tuple(factor.shape)}, expected [{size}, Q]")
            self._peaks[name] = _version(factor), check_weights(factor, name)

    @property
    def peak(self) -> float:
        """The largest product of some factors of an edge, or more: each factor's largest value counts if above 1."""
        product = max(1.0, self.block.peak)
        for name, (version, high) in self._peaks.items():
            factor = getattr(self, name)
            if _version(factor) != version:  # changed in place, by an optimizer say
                high = check_weights(factor, name)
                self._peaks[name] = _version(factor), high
            product *= max(1.0, high)
        return product

    def reversed(self) -> WeightedBlock:
        """Return the block that walks the same edges the other way with the same weights."""
        return self._with(reverse=not self.reverse)

    def _with(self, **changes: Any) -> WeightedBlock:
        some = object.__new__(WeightedBlock)  # unlike one that is constructed it is not checked again
        some.__dict__.update(self.__dict__, **changes)
        return some

    @property
    def from_rows(self) -> slice:
        """Rows that the walk leaves."""
        return self.block.target_rows if self.reverse else self.block.source_rows

    @property
    def to_rows(self) -> slice:
        """Rows that the walk enters."""
        return self.block.source_rows if self.reverse else self.block.target_rows

    @property
    def leaving(self) -> Tensor:
        """Row of the node that the walk leaves by each edge: int64 [E]."""
        return (self.block.target if self.reverse else self.block.source).long() + self.from_rows.start

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
        return _times(self.spread(_times(mass, self.from_scale)), self.to_scale)

    def pull(self, worth: Tensor) -> Tensor:
        """Weighted sum of what lies at the ends of a node's edges, [n_to, Q] -> [n_from, Q]: `push`'s transpose."""
        return _times(self.spread(_times(worth, self.to_scale), back=True), self.from_scale)

    def out_sum(self, num_queries: int, dtype: torch.dtype) -> Tensor:
        """Sum of each leaving node's weights: [n_from, Q]."""
        block, ends = self.block, self.to_scale
        if ends is None and not any(x is not None and x.requires_grad for x in (block.weight, self.value)):
            if self.value is not None:
                return _times(block.incidence(self.reverse, dtype) @ self.value.to(dtype), self.from_scale)
            degree = block.degree(self.reverse, dtype)[:, None]
            return degree.expand(-1, num_queries) if self.from_scale is None else degree * self.from_scale
        if ends is None:
            size = self.to_rows.stop - self.to_rows.start
            ends = torch.ones(size, num_queries, dtype=dtype, device=block.weight.device)
        return _times(self.spread(ends, back=True), self.from_scale)

    def add_out_sum(self, total: Tensor) -> None:
        """Add `out_sum` to total [n_from, Q] in place, without arrays of that size where no gradient is asked for."""
        factors = (total, self.block.weight, self.source_scale, self.target_scale, self.value)
        if self.to_scale is not None or any(x is not None and x.requires_grad for x in factors):
            total += self.out_sum(total.shape[1], total.dtype)
        elif self.value is None:
            degree = self.block.degree(self.reverse, total.dtype)[:, None]
            if self.from_scale is None:
                total += degree
            else:
                total.addcmul_(degree, self.from_scale)
        elif self.from_scale is None:
            value = self.value.to(total.dtype)
            torch.addmm(total, self.block.incidence(self.reverse, total.dtype), value, out=total)
        else:
            total += self.out_sum(total.shape[1], total.dtype)

    def edge_weight(self, query: int) -> Tensor:
        """Return the weights of one query multiplied out: float64 [E], in the order of the block's edges."""
        block, weight = self.block, self.block.weight.double()
        for scale, end in ((self.source_scale, block.source), (self.target_scale, block.target)):
            if scale is not None:
                weight = weight * scale[end, query]
        return weight if self.value is None else weight * self.value[:, query]

    def spread(self, x: Tensor, back: bool = False) -> Tensor:
        """Move x along the edges by ``weight * value`` alone, or ``back`` against the walk; differentiable."""
        block, to_target = self.block, self.reverse == back
        start, end, size = block.source, block.target, block.num_targets
        if not to_target:
            start, end, size = end, start, block.num_sources
        if block.weight.requires_grad or (self.value is not None and (x.requires_grad or self.value.requires_grad)):
            weight = block.weight[:, None].to(x.dtype)
            moved = x[start] * (weight if self.value is None else weight * self.value)
            return x.new_zeros(size, x.shape[1]).index_add_(0, end, moved)
        if self.value is not None:
            return block.incidence(to_target, x.dtype) @ x[start].mul_(self.value)
        matrix = block.matrix(to_target, x.dtype)
        return transposable_product(matrix, block.matrix(not to_target, x.dtype), x) if x.requires_grad else matrix @ x

    def columns(self, part: slice, dtype: torch.dtype, memo: dict[int, Tensor]) -> WeightedBlock:
        """Return the block for some of the queries, its factors contiguous and of a dtype.

        ``memo`` keeps what has been cut, so that a factor shared by several blocks stays shared.
        """

        changes = {}
        for name in ("source_scale", "target_scale", "value"):
            factor = getattr(self, name)
            if factor is None:
                continue
            if id(factor) not in memo:
                fits = factor.dtype == dtype and part.start == 0 and part.stop >= factor.shape[1]
                memo[id(factor)] = (factor if fits else factor[:, part].to(dtype)).contiguous()
            if memo[id(factor)] is not factor:
                changes[name] = memo[id(factor)]
        return self._with(**changes) if changes else self


def check_weights(values: Tensor, name: str) -> float:
    """Return the largest value, 0 if there are none.

    Raises:
        ValueError: a value is negative or not finite, and the first such index is named; or they are not real numbers.
    """
    values = values.detach()
    if values.is_complex():
        raise ValueError(f"{name} has dtype {values.dtype}; weights are real numbers")
    if not values.numel():
        return 0.0
    with suited_threads(values.numel()):
        low, high = torch.aminmax(values)  # one pass without temporaries; NaN makes both comparisons false
    if not (float(low) >= 0 and float(high) < float("inf")):
        bad = ~torch.isfinite(values) | (values < 0)
        first = tuple(bad.nonzero()[0].tolist())
        raise ValueError(f"{name} at {list(first)} is {float(values[first])}; it must be finite and >= 0")
    return float(high)


def _version(tensor: Tensor) -> int:
    """Return a number that changes when the tensor is changed in place, as far as torch counts that."""
    return 0 if tensor.is_inference() else tensor._version


def _times(x: Tensor, scale: Tensor | None) -> Tensor:
    return x if scale is None else x * scale
