"""Sorted edges and sparse products, the little that the engines need of sparse algebra."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Rows(NamedTuple):
    """Edges sorted by row, then column: those of row r are ``pointer[r]:pointer[r + 1]``.

    ``pointer`` int64 [n + 1], ``column`` int32 [E], ``edge`` int32 [E], the edge's place in the unsorted arrays.
    """

    pointer: Tensor
    column: Tensor
    edge: Tensor


def sort_edges(row: Tensor, column: Tensor, num_rows: int, num_columns: int) -> Rows:
    """Sort edges, parallel ones in their given order; indices must lie inside the two sizes (both below 2**31)."""
    order = torch.argsort(row.long() * num_columns + column, stable=True)
    pointer = torch.zeros(num_rows + 1, dtype=torch.int64, device=row.device)
    pointer[1:] = torch.bincount(row, minlength=num_rows).cumsum(0)
    return Rows(pointer, column[order].int(), order.int())


def csr(pointer: Tensor, column: Tensor, values: Tensor, num_columns: int) -> Tensor:
    """Return a CSR matrix [n, num_columns] with int32 indices."""
    # the indices were checked by Block, which names what is wrong; torch need not check them again
    with warnings.catch_warnings(), torch.sparse.check_sparse_tensor_invariants(enable=False):
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(pointer.int(), column, values, (pointer.numel() - 1, num_columns))


class _Multiply(torch.autograd.Function):
    """A @ x for a constant sparse A whose transpose is at hand (torch's own backward would build it each time)."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, transpose: Tensor, x: Tensor) -> Tensor:
        ctx.matrix, ctx.transpose = matrix, transpose
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, Tensor]:
        return None, None, _Multiply.apply(ctx.transpose, ctx.matrix, gradient.contiguous())


def transposable_product(matrix: Tensor, transpose: Tensor, x: Tensor) -> Tensor:
    """Return matrix @ x, differentiable in x as often as wanted."""
    product: Tensor = _Multiply.apply(matrix, transpose, x)
    return product
