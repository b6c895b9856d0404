"""PageRank on a small graph that was made for one query, and the way by which a node got its mass.

The equation is that of `memorai.retrieval.pagerank.pagerank`, which serves batches on one graph and is checked against
this; here a graph serves one query, and what counts is how fast it is put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Walk:
    """Scores [N] that sum to 1, the restart [N] and the transposed transition matrix."""

    scores: Floats
    restart: Floats
    transposed: csr_matrix
    damping: float
    iterations: int

    def path(self, node: int, longest: int = 4) -> list[int]:
        """The nodes by which most of a node's mass came, from where the walk restarted to the node itself."""
        found = [node]
        while len(found) <= longest:
            at = found[0]
            row = slice(self.transposed.indptr[at], self.transposed.indptr[at + 1])
            sources = self.transposed.indices[row]
            flow = self.damping * self.transposed.data[row] * self.scores[sources]
            flow[np.isin(sources, found)] = 0.0
            if not flow.size or flow.max() <= (1 - self.damping) * self.restart[at]:
                break
            found.insert(0, int(sources[np.argmax(flow)]))
        return found


def walk(
    num_nodes: int, source: Ints, target: Ints, weight: Floats, restart: Floats, damping: float, tol: float = 1e-6
) -> Walk:
    """Solve p = (1 - d) s + d (P^T p + (dangling mass of p) s) by power iteration.

    Args:
        num_nodes: N.
        source, target, weight: edges [E], each walked both ways; weights >= 0.
        restart: mass [N] >= 0, scaled here to sum 1; all zero counts as equal parts.
        damping: d in [0, 1).
        tol: L1 change at which it stops.

    Raises:
        ValueError: damping out of range.
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping={damping} is not in [0, 1)")
    total = restart.sum()
    s = restart / total if total > 0 else np.full(num_nodes, 1 / max(1, num_nodes))
    there, back = np.concatenate([source, target]), np.concatenate([target, source])
    weights = np.concatenate([weight, weight])
    outgoing = np.bincount(there, weights=weights, minlength=num_nodes)
    inverse = np.divide(1.0, outgoing, out=np.zeros(num_nodes), where=outgoing > 0)
    transposed = csr_matrix((weights * inverse[there], (back, there)), shape=(num_nodes, num_nodes))
    dangling = outgoing <= 0
    p, iterations, change = s.copy(), 0, np.inf
    # the error shrinks by d each time, so this many steps are enough for any tol
    most = 2 + int(np.log(tol / 2) / np.log(damping)) if damping > 0 else 1
    while change > tol and iterations < most:
        new = (1 - damping) * s + damping * (transposed @ p + p[dangling].sum() * s)
        change = float(np.abs(new - p).sum())
        p, iterations = new, iterations + 1
    return Walk(p, s, transposed, damping, iterations)
