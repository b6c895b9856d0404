"""The one function: scores of a batch of queries, by the engine that fits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from numbers import Integral
from typing import Literal

import torch
from torch import Tensor

from memorai.retrieval.pagerank import push
from memorai.retrieval.pagerank.adjoint import differentiable
from memorai.retrieval.pagerank.blocks import WeightedBlock
from memorai.retrieval.pagerank.dense import solve
from memorai.retrieval.pagerank.extremes import within_range
from memorai.retrieval.pagerank.power import iterate
from memorai.retrieval.pagerank.schedule import is_reversible
from memorai.retrieval.pagerank.threads import suited_threads
from memorai.retrieval.pagerank.walk import Solution, check_damping, check_limits, normalise_restart, prepare

Engine = Literal["auto", "power", "batched", "compiled", "push", "solve"]

#: queries walked at once: 16 float32 are one cache line, so that an edge costs one read (docs/pagerank.md)
BATCH_SIZE = 16
#: elements of an [N, Q] array beyond which fewer queries are walked at once: 256 MiB of float32, about a dozen arrays
MOST_ELEMENTS = 1 << 26
#: up to these sizes LU takes less time than the calls of torch that an iteration makes (docs/pagerank.md)
TINY_NODES, TINY_QUERIES = 128, 4


@dataclass(frozen=True)
class PageRank:
    """Scores and how they were reached.

    Args:
        scores: [N, Q], each column sums to 1 (an empty graph has none).
        iterations: products with the weights made, the most of any query.
        residual: [Q], upper bound of the L1 distance between the scores and their image under the walk; the scores
            are then within residual / (1 - damping) of the exact ones, in L1.
        converged: [Q] bool, residual <= tol.
        fallback: [Q] bool, the restart had no mass and was replaced by a uniform one.
        engine: what ran: ``power``, ``batched``, ``compiled``, ``push`` or ``solve``.
    """

    scores: Tensor
    iterations: int
    residual: Tensor
    converged: Tensor
    fallback: Tensor
    engine: str


def pagerank(
    blocks: Iterable[WeightedBlock],
    restart: Tensor,
    damping: float | Tensor = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    candidates: Tensor | None = None,
    engine: Engine = "auto",
    dtype: torch.dtype | None = None,
    batch_size: int | None = None,
) -> PageRank:
    """Solve p = (1 - d) s + d (P_q^T p + (dangling mass of p) s) for every query q.

    P_q holds the query's edge weights, normalised over all blocks that leave a node; a node whose weights are all zero
    is dangling and its mass goes back to the restart s. ``damping`` is the probability to follow an edge: NetworkX
    calls it alpha, PyG's APPNP calls 1 - damping so.

    The engines:

    - ``power``: plain power iteration in torch operations, CPU or CUDA.
    - ``batched``: the same products on blocks of queries, with Chebyshev's steps where the walk is reversible.
    - ``compiled``: the same as one numba kernel, on the CPU (``pip install memorai[fast]``). A first call compiles
      for some seconds; later processes load it from numba's cache.
    - ``push``: local pushes from the seeds, on the CPU, one query at a time: few where ``tol`` is coarse, 1e-3 say.
      ``max_iter`` then counts edges, in multiples of all. Large memories use `local.LocalPageRank` itself.
    - ``solve``: LU in float64, for tests and tiny graphs.
    - ``auto``: ``compiled`` on the CPU where numba is installed, at every size; without numba ``solve`` for a few
      queries of a tiny graph; else ``batched``. It never approximates beyond ``tol``.

    Scores are differentiable in every weight, in the restart and in the damping (a 0-dimensional tensor): see
    `memorai.retrieval.pagerank.adjoint`. The same input gives bitwise the same scores on the CPU, whatever the threads.

    Args:
        blocks: weighted edges; reverse directions are blocks of their own.
        restart: [N, Q] >= 0, normalised here to sum 1 a column.
        damping: d in [0, 1).
        tol: stop when the L1 residual of every query is at most this.
        max_iter: most steps; more needed is flagged in ``converged`` and warned of, never silent.
        candidates: bool [N, Q]; a column of zero restart falls back to uniform mass on these (None: all nodes).
        engine: see above.
        dtype: of the computation and the scores; float32 or float64, None = the restart's.
        batch_size: queries walked at once; None = 16, fewer on graphs of
            more than four million nodes.

    Returns:
        PageRank with scores [N, Q] on the restart's device.

    Raises:
        ValueError: damping outside [0, 1), shapes that do not fit, a restart that is negative or not finite (names the
            first index), weights that overflow, or an engine that cannot serve the input.
    """
    blocks = tuple(blocks)
    d = float(damping.detach()) if isinstance(damping, Tensor) else float(damping)
    check_damping(d)
    dtype = dtype or restart.dtype
    _check_input(blocks, restart, dtype, tol, max_iter, batch_size, candidates)
    with suited_threads(len(restart) * min(batch_size or _batch_size(len(restart)), restart.shape[1])):
        s, fallback = normalise_restart(restart.to(dtype), candidates)
        blocks = within_range(blocks, s)
        chosen = _choose(engine, s)
        if s.numel():
            with torch.no_grad():
                scores, steps, residual = _walk(chosen, blocks, s.detach(), d, tol, max_iter, batch_size)
            scores = differentiable(scores, blocks, s, damping, d, tol)
        else:
            scores, steps, residual = s, 0, s.new_zeros(restart.shape[1])
    converged = residual <= tol
    if not bool(converged.all()):
        warnings.warn(
            f"PageRank: {int((~converged).sum())} of {len(converged)} queries did not reach tol={tol} "
            f"in {max_iter} iterations (worst residual {float(residual.max()):.2e})",
            RuntimeWarning,
            stacklevel=2,
        )
    return PageRank(scores, steps, residual, converged, fallback, chosen)


def _walk(
    engine: str,
    blocks: Sequence[WeightedBlock],
    restart: Tensor,
    damping: float,
    tol: float,
    max_iter: int,
    batch_size: int | None,
) -> Solution:
    """Run an engine on blocks of queries; the mass sums to 1 a column."""
    size = batch_size or _batch_size(len(restart))
    if engine == "compiled":
        size = min(size, BATCH_SIZE)  # the widest kernel
    run = _runner(engine, damping, tol, max_iter, accelerate=engine != "power" and is_reversible(blocks))
    parts = []
    for start in range(0, restart.shape[1], size):
        columns = slice(start, start + size)
        memo: dict[int, Tensor] = {}
        some = [block.columns(columns, restart.dtype, memo) for block in blocks]
        mass, steps, residual = run(some, restart[:, columns].contiguous())
        # Chebyshev's steps may leave a node below 0 by less than the tolerance
        mass = mass.clamp_min_(0)
        parts.append(Solution(mass.div_(mass.sum(0)), steps, residual))
    if len(parts) == 1:
        return parts[0]
    mass, residual = torch.cat([part.mass for part in parts], 1), torch.cat([part.residual for part in parts])
    return Solution(mass, max(part.iterations for part in parts), residual)


def _runner(
    engine: str, damping: float, tol: float, max_iter: int, accelerate: bool
) -> Callable[[Sequence[WeightedBlock], Tensor], Solution]:
    """Return the engine as a function of the blocks and the restart [N, Q] of some queries."""
    limits = (damping, tol, max_iter)
    if engine == "solve":
        return lambda blocks, s: Solution(solve(blocks, s, damping).to(s.dtype), 1, s.new_zeros(s.shape[1]))
    if engine == "push":
        return lambda blocks, s: push.solve(blocks, s, *limits)
    if engine == "compiled":
        from memorai.retrieval.pagerank import compiled  # numba takes a second to import

        return lambda blocks, s: compiled.iterate(blocks, s, *limits, accelerate)
    return lambda blocks, s: iterate(prepare(blocks, s), *limits, accelerate)


def _batch_size(num_nodes: int) -> int:
    size = BATCH_SIZE
    while size > 1 and num_nodes * size > MOST_ELEMENTS:
        size //= 2
    return size


def _choose(engine: str, restart: Tensor) -> str:
    on_cpu = restart.device.type == "cpu"
    if engine == "auto":
        if on_cpu and _has_numba():
            return "compiled"
        tiny = restart.shape[0] <= TINY_NODES and restart.shape[1] <= TINY_QUERIES
        return "solve" if on_cpu and tiny else "batched"
    if engine not in ("power", "batched", "compiled", "push", "solve"):
        raise ValueError(f"engine={engine!r}; known: auto, power, batched, compiled, push, solve")
    if engine in ("compiled", "push") and not on_cpu:
        raise ValueError(f"engine={engine!r} runs on the CPU, but the restart is on {restart.device}")
    if engine == "compiled" and not _has_numba():
        raise ValueError("engine='compiled' needs numba: pip install 'memorai[fast]'")
    return engine


@cache
def _has_numba() -> bool:
    return find_spec("numba") is not None


def _check_input(
    blocks: Sequence[WeightedBlock],
    restart: Tensor,
    dtype: torch.dtype,
    tol: float,
    max_iter: int,
    batch_size: int | None,
    candidates: Tensor | None,
) -> None:
    if restart.ndim != 2:
        raise ValueError(f"restart has shape {tuple(restart.shape)}, expected [N, Q]")
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"dtype={dtype}; the engines compute in float32 or float64")
    check_limits(tol, max_iter)
    if batch_size is not None and (
        isinstance(batch_size, bool) or not isinstance(batch_size, Integral) or batch_size < 1
    ):
        raise ValueError(f"batch_size={batch_size} is not a whole number of at least 1")
    if candidates is not None and (candidates.shape != restart.shape or candidates.dtype != torch.bool):
        given = f"{candidates.dtype} {tuple(candidates.shape)}"
        raise ValueError(f"candidates is {given}, expected torch.bool {tuple(restart.shape)}")
    num_nodes, num_queries = restart.shape
    for i, block in enumerate(blocks):
        if max(block.block.source_rows.stop, block.block.target_rows.stop) > num_nodes:
            raise ValueError(f"block {i} has rows beyond the {num_nodes} of the restart")
        for factor in (block.source_scale, block.target_scale, block.value):
            if factor is not None and factor.shape[1] != num_queries:
                raise ValueError(f"block {i} has factors of {factor.shape[1]} queries, the restart has {num_queries}")
