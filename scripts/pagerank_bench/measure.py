"""Time, memory and agreement of one engine on one problem, in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .engines import Engine, Solve
from .problem import Problem

RESIDUAL = 1e-6
#: tolerances are tried in these steps, from the one that sufficed for the last graph
_LADDER = [RESIDUAL * 2.0**k for k in range(8, -9, -1)]


class Effort(NamedTuple):
    """How long an engine is timed: at least so many calls, and at least so many seconds."""

    calls: int
    seconds: float


@dataclass
class Row:
    """One line of the table; ``residual`` is the largest measured one and stays out of the JSON."""

    engine: str
    damping: float
    nodes: int
    edges: int
    batch: int
    ms_per_query: float
    ratio_to_ours: float
    top20_agreement: float
    peak_mb: float
    residual: float

    def record(self) -> dict[str, float | str]:
        """The JSON's fields."""
        return {key: value for key, value in asdict(self).items() if key != "residual"}


@dataclass
class Reference:
    """Exact scores of the first columns, by damping: their top 20 turns [columns, 20]."""

    top: dict[float, np.ndarray]

    @staticmethod
    def of(problem: Problem, dampings: list[float], columns: int) -> Reference:
        """Solve by plain power iteration in float64."""
        return Reference(
            {d: np.stack([problem.top_turns(problem.step(q, d).solve(1e-8)) for q in range(columns)]) for d in dampings}
        )


def measure(
    problem: Problem, engine: Engine, reference: Reference, effort: Effort, hints: dict[tuple[str, float], int]
) -> list[Row]:
    """Run an engine in a forked process and return a row for each damping; an engine that fails returns none."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(problem, engine, reference, effort, hints, sender))
    child.start()
    sender.close()
    rows = []
    try:
        while True:
            row, step = receiver.recv()
            rows.append(row)
            hints[engine.name, row.damping] = step
    except EOFError:
        child.join()
    return rows


def together(rows: list[Row]) -> list[Row]:
    """One row an engine, graph and damping: the median time of its turns, otherwise the worst."""
    turns: dict[tuple[str, int, float], list[Row]] = {}
    for row in rows:
        turns.setdefault((row.engine, row.nodes, row.damping), []).append(row)
    return [
        replace(
            same[0],
            ms_per_query=statistics.median(row.ms_per_query for row in same),
            top20_agreement=min(row.top20_agreement for row in same),
            peak_mb=max(row.peak_mb for row in same),
            residual=max(row.residual for row in same),
        )
        for same in turns.values()
    ]


def _child(
    problem: Problem,
    engine: Engine,
    reference: Reference,
    effort: Effort,
    hints: dict[tuple[str, float], int],
    sender: Connection,
) -> None:
    before = _resident()
    solve = engine.make(problem)
    for damping in reference.top:
        step = hints.get((engine.name, damping))
        step = _calibrate(problem, engine, solve, damping, step) if engine.calibrated else 0
        tol = _LADDER[step]
        seconds, found = _time(problem, engine, solve, damping, tol, effort, len(reference.top[damping]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
        residual, agreement = _check(problem, engine, solve, damping, tol, reference.top[damping], found)
        ms = 1000 * statistics.median(seconds) / engine.batch
        row = Row(
            *(engine.name, damping, problem.num_nodes, problem.graph.num_edges, engine.batch, ms),
            *(float("nan"), agreement, peak, residual),
        )
        sender.send((row, step))
    sender.close()


def _columns(problem: Problem, batch: int, call: int) -> list[int]:
    total = problem.similarity.shape[1]
    return [(call * batch + k) % total for k in range(batch)]


def _calibrate(problem: Problem, engine: Engine, solve: Solve, damping: float, hint: int | None) -> int:
    """The coarsest tolerance with a measured residual of at most 1e-6; the last of the ladder if none.

    What sufficed for a smaller graph is kept if it suffices here, without looking for a coarser one.
    """
    columns = _columns(problem, engine.batch, 0)
    checks = [problem.step(column, damping) for column in columns[:3]]

    def fits(k: int) -> bool:
        found = solve(columns, damping, _LADDER[k])
        return all(check.residual(found[:, c].astype(np.float64)) <= RESIDUAL for c, check in enumerate(checks))

    step = len(_LADDER) // 2 if hint is None else hint
    if fits(step):
        while hint is None and step > 0 and fits(step - 1):
            step -= 1
        return step
    while step + 1 < len(_LADDER):
        step += 1
        if fits(step):
            break
    return step


def _time(
    problem: Problem, engine: Engine, solve: Solve, damping: float, tol: float, effort: Effort, keep: int
) -> tuple[list[float], list[np.ndarray]]:
    """Seconds of each call, as many as the effort asks for; and what the calls of the first ``keep`` columns gave."""
    if not engine.calibrated:  # the search for its tolerance has warmed up any other
        solve(_columns(problem, engine.batch, 0), damping, tol)
    seconds: list[float] = []
    kept: list[np.ndarray] = []
    while len(seconds) < effort.calls or (sum(seconds) < effort.seconds and len(seconds) < 1000):
        columns = _columns(problem, engine.batch, len(seconds))
        start = time.perf_counter()
        found = solve(columns, damping, tol)
        seconds.append(time.perf_counter() - start)
        if len(kept) * engine.batch < keep:
            kept.append(found)
    return seconds, kept


def _check(
    problem: Problem,
    engine: Engine,
    solve: Solve,
    damping: float,
    tol: float,
    top: np.ndarray,
    found: list[np.ndarray],
) -> tuple[float, float]:
    residuals, shared = [], []
    for column, scores in _solutions(problem, engine, solve, damping, tol, len(top), found):
        if len(residuals) < 3:
            residuals.append(problem.step(column, damping).residual(scores))
        shared.append(len(np.intersect1d(problem.top_turns(scores), top[column])) / top.shape[1])
    return max(residuals), statistics.fmean(shared)


def _solutions(
    problem: Problem, engine: Engine, solve: Solve, damping: float, tol: float, count: int, found: list[np.ndarray]
) -> Iterator[tuple[int, np.ndarray]]:
    """Scores of the reference's columns; those of the calls that were timed are there already."""
    for column in range(count):
        call, place = divmod(column, engine.batch)
        if call == len(found):
            found.append(solve(_columns(problem, engine.batch, call), damping, tol))
        batch = found[call]
        scores = batch[place] if isinstance(batch, list) else batch[:, place]
        yield column, scores if isinstance(scores, np.ndarray) else scores.dense(problem.num_nodes)


def _resident() -> float:
    """Resident MiB of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 2**20


def fill_ratios(rows: list[Row]) -> None:
    """ratio_to_ours = a row's ms / those of our fastest exact path at batch 16, same graph and damping."""
    for row in rows:
        same = [
            other.ms_per_query
            for other in rows
            if other.engine.startswith(("memorai torch", "memorai compiled"))
            and (other.nodes, other.damping, other.batch) == (row.nodes, row.damping, 16)
        ]
        row.ratio_to_ours = row.ms_per_query / min(same) if same else float("nan")
