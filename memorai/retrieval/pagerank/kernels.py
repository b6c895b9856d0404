"""The numba kernels: one pass over the edges makes one step for up to 16 queries at once.

Each row gathers its own sum, so that rows can be cut among threads at will and the result is the same to the last bit.
A kernel releases the interpreter lock (``nogil``) and starts no thread, `compiled` does: numba's own threading layers
abort the process when two threads, or a forked child, enter them. Indices are validated by `Block`; none is here.

Arrays are C-contiguous [rows, Q]. ``lanes`` is a tuple of Q items, so that Q is known when a kernel is compiled.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from memorai.retrieval.pagerank.lanes import absolute, accumulate, fill, load, prefetch, store

#: columns of ``flows``: shift from a row to its entry in the pointers; what an edge carries (see below), and the shift
#: from the edge's place among the columns to its place among ``edge`` or ``weight``; whether rows are scaled, and the
#: shift to their factors
POINTER, KIND, ASIDE, SCALED, SCALE = range(5)
#: an edge carries nothing, a static weight, or a value of each query
PLAIN, WEIGHTED, VALUED = range(3)
#: in ``totals``: the L1 norm of the change F(y) - y, and the sum of the next y
CHANGE, MASS = range(2)
#: rows summed in the dtype of the arrays before a float64 total takes them over
RUN = 64
#: edges between asking for a row and loading it; columns and edge numbers are padded by as many
AHEAD = 16

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def step(
    chunks: Any,
    first: Any,
    last: Any,
    omega: Any,
    fixed: Any,
    now: Any,
    following: Any,
    totals: Any,
) -> None:
    """Turn ``following`` into the next iterate and what it sends along its edges, for some chunks of rows.

    Args:
        chunks: row at which each chunk starts, and the end.
        first: first chunk to do.
        last: the chunk after the last one.
        omega: mixing factor of the step.
        fixed: Q items; damping d; arrays of `plan.Plan`; restart [N, Q], gain [V, Q], scales [., Q], values [., Q].
        now: iterate k [N, Q], and gain * it, by slot [V, Q].
        following: iterate k - 1, which becomes k + 1; and gain * (iterate k + 1), written.
        totals: float64 [chunks * 2, Q], written: CHANGE and MASS of each chunk.
    """
    lanes, damping, graph, factors = fixed
    (y, x), (older, x_next) = now, following
    cuts, in_pointer, in_flow, out_pointer, out_shift, flows, pointer, column, edge, weight = graph
    restart, gain, scales, values = factors
    number = y.dtype.type
    zero = fill(number(0), lanes)
    d, back, w = fill(number(damping), lanes), fill(number(1 - damping), lanes), fill(number(omega), lanes)
    for chunk in range(first, last):
        totals[2 * chunk : 2 * chunk + 2] = 0
        change, mass, pending = zero, zero, 0
        for i in range(len(cuts) - 1):
            for v in range(max(cuts[i], chunks[chunk]), min(cuts[i + 1], chunks[chunk + 1])):
                total = zero
                for k in range(in_pointer[i], in_pointer[i + 1]):
                    f = in_flow[k]
                    place = flows[f, POINTER] + v
                    start, stop = pointer[place], pointer[place + 1]
                    entered = zero
                    if flows[f, KIND] == PLAIN:
                        for e in range(start, stop):
                            prefetch(x, column[e + AHEAD], lanes)
                            entered = entered + load(x, column[e], lanes)
                    elif flows[f, KIND] == WEIGHTED:
                        shift = flows[f, ASIDE]
                        for e in range(start, stop):
                            prefetch(x, column[e + AHEAD], lanes)
                            entered = entered + load(x, column[e], lanes) * fill(weight[e + shift], lanes)
                    else:
                        shift = flows[f, ASIDE]
                        for e in range(start, stop):
                            prefetch(x, column[e + AHEAD], lanes)
                            prefetch(values, edge[e + shift + AHEAD], lanes)
                            entered = entered + load(x, column[e], lanes) * load(values, edge[e + shift], lanes)
                    if flows[f, SCALED]:
                        entered = entered * load(scales, flows[f, SCALE] + v, lanes)
                    total = total + entered
                moved = back * load(restart, v, lanes) + d * total
                change = change + absolute(moved - load(y, v, lanes))
                before = load(older, v, lanes)
                mixed = before + w * (moved - before)
                store(older, v, mixed)
                mass = mass + mixed
                for k in range(out_pointer[i], out_pointer[i + 1]):
                    row = out_shift[k] + v
                    store(x_next, row, mixed * load(gain, row, lanes))
                pending += 1
                if pending == RUN:
                    accumulate(totals, 2 * chunk + CHANGE, change)
                    accumulate(totals, 2 * chunk + MASS, mass)
                    change, mass, pending = zero, zero, 0
        accumulate(totals, 2 * chunk + CHANGE, change)
        accumulate(totals, 2 * chunk + MASS, mass)


@compiled
def run(
    omegas: Any,
    tol: Any,
    lost: Any,
    damping: Any,
    dangling: Any,
    chunks: Any,
    fixed: Any,
    now: Any,
    following: Any,
    totals: Any,
    residual: Any,
) -> int:
    """Take steps with the given omegas until every ``residual`` [Q] is at most ``tol`` or one is ``lost``.

    For graphs on which the interpreter would take longer than the steps. The roles of ``now`` and ``following`` change
    after every step but the last. Returns the number of steps.
    """
    count = 0
    for omega in omegas:
        step(chunks, 0, len(chunks) - 1, omega, fixed, now, following, totals)
        count += 1
        if judge(totals, omega, damping, dangling, tol, lost, residual) or count == len(omegas):
            break
        now, following = following, now
    return count


@compiled
def judge(totals: Any, omega: Any, damping: Any, dangling: Any, tol: Any, lost: Any, residual: Any) -> bool:
    """Write the residual [Q] that ``totals`` tell (see `compiled.iterate`); return whether to stop there."""
    done, broken = True, False
    for q in range(len(residual)):
        change, mass = 0.0, 0.0
        for chunk in range(len(totals) // 2):
            change += totals[2 * chunk + CHANGE, q]
            mass += totals[2 * chunk + MASS, q]
        if dangling and mass != 0:
            change *= 2 / mass
        residual[q] = change * damping if omega == 1 else change
        done &= residual[q] <= tol
        broken |= not residual[q] < lost
    return done or broken
