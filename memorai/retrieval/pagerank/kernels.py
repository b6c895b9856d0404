"""The numba kernels: one pass over the edges makes one step for up to 16 queries at once.

Each row gathers its own sum, so that rows can be cut among threads at will and the result is the same to the last bit.
A kernel releases the interpreter lock (``nogil``) and starts no thread, `compiled` does: numba's own threading layers
abort the process when two threads, or a forked child, enter them. Indices are validated by `Block`; none is here.

Arrays are C-contiguous [rows, Q]. ``lanes`` is a tuple of Q items, so that Q is known when a kernel is compiled.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from memorai.retrieval.pagerank.lanes import absolute, accumulate, fill, load, store

#: in ``totals``: the L1 norm of the change F(y) - y, and the sum of the next y
CHANGE, MASS = range(2)
#: rows summed in the dtype of the arrays before a float64 total takes them over
RUN = 64

# products may be added without rounding in between, here and in `lanes`: one instruction for two in a row's chain
compiled = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})


@compiled
def multiply(lanes: Any, product: Any, out: Any, first: Any, place: Any, ends: Any, factors: Any) -> None:
    """Write the weights of a block's edges at their places in ``product``, and add them to ``out`` where they leave.

    Args:
        lanes: Q items.
        product: [E, Q], written.
        out: float64 [N, Q], added to.
        first: row of the block's first leaving node.
        place: [E_b], an edge's place in ``product``.
        ends: the node that each edge leaves and the one that it enters, [E_b] each.
        factors: of the node that an edge leaves [n_from, Q], of the one that it enters [n_to, Q], of the edge
            [E_b, Q], and its static weight [E_b]; empty for none.
    """
    leaves, enters = ends
    leaving, entering, value, static = factors
    number = product.dtype.type
    for e in range(len(place)):
        weight = fill(number(1), lanes)
        if len(leaving):
            weight = weight * load(leaving, leaves[e], lanes)
        if len(entering):
            weight = weight * load(entering, enters[e], lanes)
        if len(value):
            weight = weight * load(value, e, lanes)
        if len(static):
            weight = weight * fill(static[e], lanes)
        store(product, place[e], weight)
        accumulate(out, first + leaves[e], weight)


@compiled
def divide(lanes: Any, product: Any, out: Any, least: Any, column: Any, inverse: Any) -> None:
    """Divide each weight of ``product`` [E, Q] by ``out`` [N, Q] of the node that it leaves; 0 where below ``least``.

    ``inverse`` [N, Q] is written: 1 / out.
    """
    for v in range(len(out)):
        for q in range(out.shape[1]):
            inverse[v, q] = 1 / out[v, q] if out[v, q] >= least else 0
    for e in range(len(product)):
        store(product, e, load(product, e, lanes) * load(inverse, column[e], lanes))


@compiled
def step(chunks: Any, first: Any, last: Any, omega: Any, fixed: Any, now: Any, following: Any, totals: Any) -> None:
    """Turn ``following`` into the next iterate, for some chunks of rows.

    Args:
        chunks: row at which each chunk starts, and the end.
        first: first chunk to do.
        last: the chunk after the last one.
        omega: mixing factor of the step.
        fixed: Q items; damping d; node [N], pointer [N + 1] and column [E] of `merged.Merged`; weight [E, Q]; restart
            [N, Q]. Indices are unsigned: signed ones cost a test for counting from the end.
        now: iterate k [N, Q].
        following: iterate k - 1, which becomes k + 1.
        totals: float64 [chunks * 2, Q], written: CHANGE and MASS of each chunk.
    """
    lanes, damping, node, pointer, column, weight, restart = fixed
    (y,), (older,) = now, following
    number = y.dtype.type
    zero = fill(number(0), lanes)
    d, back, w = fill(number(damping), lanes), fill(number(1 - damping), lanes), fill(number(omega), lanes)
    for chunk in range(first, last):
        totals[2 * chunk : 2 * chunk + 2] = 0
        change, mass, pending = zero, zero, 0
        start = pointer[chunks[chunk]]
        for i in range(chunks[chunk], chunks[chunk + 1]):
            v, stop, total = node[i], pointer[i + 1], zero
            for e in range(start, stop):
                total = total + load(weight, e, lanes) * load(y, column[e], lanes)
            start = stop
            moved = back * load(restart, v, lanes) + d * total
            change = change + absolute(moved - load(y, v, lanes))
            before = load(older, v, lanes)
            mixed = before + w * (moved - before)
            store(older, v, mixed)
            mass = mass + mixed
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
    """Write the residual [Q] that ``totals`` tell (see `walk`); return whether to stop there."""
    done, broken = True, False
    for q in range(len(residual)):
        change, mass = 0.0, 0.0
        for chunk in range(len(totals) // 2):
            change += totals[2 * chunk + CHANGE, q]
            mass += totals[2 * chunk + MASS, q]
        if dangling and change > 0:
            # Chebyshev's first iterates may sum to nothing or less; no distance between distributions exceeds 2
            change = 2 * change / min(mass, 1.0) if mass > 0 else max(2.0, change)
        residual[q] = change * damping if omega == 1 else change
        done &= residual[q] <= tol
        broken |= not residual[q] < lost
    return done or broken
