"""The numba kernel: one pass over the edges makes one step for up to 16 queries at once.

Each row gathers its own sum, so that rows can be cut among threads at will and the result is the same to the last bit.
The kernel releases the interpreter lock (``nogil``) and starts no thread, `compiled` does: numba's own threading layers
abort the process when two threads, or a forked child, enter them. Indices are validated by `Block`; none is here.

Arrays are [rows, Q]. ``lanes`` is a tuple of Q items, so that Q is known when the kernel is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

#: columns of ``flows``: shift from a row to its entry in the pointers; what an edge carries (see below), and the shift
#: from the edge's place among the columns to its place among ``aside``; whether rows are scaled, and their shift
POINTER, KIND, ASIDE, SCALED, SCALE = range(5)
#: an edge carries nothing, a static weight, or a value of each query
PLAIN, WEIGHTED, VALUED = range(3)
#: rows of ``totals``: the L1 norm of the change F(y) - y, and the sum of the next y
CHANGE, MASS = range(2)

_compile = njit(nogil=True, cache=True, error_model="numpy")


@_compile
def gather(start: Any, stop: Any, column: Any, x: Any, total: Any, lanes: Any) -> None:
    """Set total[q] to the sum of x[column[e], q] over start <= e < stop."""
    if len(lanes) == 1:
        single = x.dtype.type(0)
        for e in range(start, stop):
            single += x[column[e], 0]
        total[0] = single
        return
    for q in range(len(lanes)):
        total[q] = 0
    e = start
    while e + 1 < stop:  # by twos: half the loads and stores of the total
        a, b = column[e], column[e + 1]
        for q in range(len(lanes)):
            total[q] += x[a, q] + x[b, q]
        e += 2
    if e < stop:
        a = column[e]
        for q in range(len(lanes)):
            total[q] += x[a, q]


@_compile
def gather_weighted(start: Any, stop: Any, column: Any, x: Any, total: Any, lanes: Any, shift: Any, weight: Any) -> None:
    """The same with a weight for each edge."""
    for q in range(len(lanes)):
        total[q] = 0
    for e in range(start, stop):
        a, w = column[e], weight[e + shift]
        for q in range(len(lanes)):
            total[q] += x[a, q] * w


@_compile
def gather_valued(
    start: Any, stop: Any, column: Any, x: Any, total: Any, lanes: Any, shift: Any, edge: Any, value: Any
) -> None:
    """The same with a value for each edge and query; ``edge`` leads from a column's place to the value's row."""
    for q in range(len(lanes)):
        total[q] = 0
    for e in range(start, stop):
        a, b = column[e], edge[e + shift]
        for q in range(len(lanes)):
            total[q] += x[a, q] * value[b, q]


@_compile
def step(
    chunks: Any,
    first: Any,
    last: Any,
    lanes: Any,
    omega: Any,
    damping: Any,
    graph: Any,
    factors: Any,
    y: Any,
    older: Any,
    x: Any,
    x_next: Any,
    totals: Any,
) -> None:
    """Turn ``older`` into the next iterate, and ``x_next`` into what it sends along its edges, for some chunks of rows.

    Args:
        chunks: row at which each chunk starts, and the end.
        first: first chunk to do.
        last: the chunk after the last one.
        lanes: Q items.
        omega: mixing factor of the step.
        damping: d.
        graph: arrays of `compiled.Plan`.
        factors: restart [N, Q], gain [V, Q], scales [., Q], values [., Q].
        y: iterate k [N, Q].
        older: iterate k - 1, which becomes k + 1.
        x: gain * y, by slot [V, Q].
        x_next: gain * (iterate k + 1), written.
        totals: float64 [chunks, 2, Q], written.
    """
    cuts, in_pointer, in_flow, out_pointer, out_shift, flows, pointer, column, edge, weight = graph
    restart, gain, scales, values = factors
    kind = y.dtype.type
    d, w = kind(damping), kind(omega)
    back = kind(1) - d
    entered, total = np.empty(len(lanes), y.dtype), np.empty(len(lanes), y.dtype)
    change, mass = np.empty(len(lanes), y.dtype), np.empty(len(lanes), y.dtype)
    for chunk in range(first, last):
        for q in range(len(lanes)):
            totals[chunk, CHANGE, q] = 0
            totals[chunk, MASS, q] = 0
            change[q] = 0
            mass[q] = 0
        pending = 0
        for i in range(len(cuts) - 1):
            for v in range(max(cuts[i], chunks[chunk]), min(cuts[i + 1], chunks[chunk + 1])):
                for q in range(len(lanes)):
                    total[q] = 0
                for k in range(in_pointer[i], in_pointer[i + 1]):
                    f = in_flow[k]
                    place = flows[f, POINTER] + v
                    start, stop = pointer[place], pointer[place + 1]
                    if start == stop:
                        continue
                    if flows[f, KIND] == PLAIN:
                        gather(start, stop, column, x, entered, lanes)
                    elif flows[f, KIND] == WEIGHTED:
                        gather_weighted(start, stop, column, x, entered, lanes, flows[f, ASIDE], weight)
                    else:
                        gather_valued(start, stop, column, x, entered, lanes, flows[f, ASIDE], edge, values)
                    if flows[f, SCALED]:
                        row = flows[f, SCALE] + v
                        for q in range(len(lanes)):
                            total[q] += entered[q] * scales[row, q]
                    else:
                        for q in range(len(lanes)):
                            total[q] += entered[q]
                for q in range(len(lanes)):
                    moved = back * restart[v, q] + d * total[q]
                    change[q] += abs(moved - y[v, q])
                    following = older[v, q] + w * (moved - older[v, q])
                    older[v, q] = following
                    mass[q] += following
                    total[q] = following
                for k in range(out_pointer[i], out_pointer[i + 1]):
                    row = out_shift[k] + v
                    for q in range(len(lanes)):
                        x_next[row, q] = total[q] * gain[row, q]
                pending += 1
                if pending == 64:  # float32 sums stay short, float64 ones are rarely touched
                    pending = 0
                    for q in range(len(lanes)):
                        totals[chunk, CHANGE, q] += change[q]
                        totals[chunk, MASS, q] += mass[q]
                        change[q] = 0
                        mass[q] = 0
        for q in range(len(lanes)):
            totals[chunk, CHANGE, q] += change[q]
            totals[chunk, MASS, q] += mass[q]
