from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.report.explain.walk import Walk


def made(edges, restart, damping=0.5, **schemes) -> Walk:
    """Edges as (source, target, weight), the weights of other schemes as lists."""
    source, target, weight = zip(*edges, strict=True) if edges else ((), (), ())
    restart = np.array(restart, float)
    weights = {"query": np.array(weight, float)} | {name: np.array(w, float) for name, w in schemes.items()}
    ends = np.array(source, int), np.array(target, int)
    return Walk(
        *ends, np.zeros(len(edges), int), ("x",), weights, restart / restart.sum(), damping, "query", restart * 0 + 1
    )


def test_a_walk_of_one_edge_by_hand():
    # node 1 is a dead end, so its mass goes back: p0 = 1/2 + p1/2 and p1 = p0/2
    solved = made([(0, 1, 3.0)], [1, 0]).solve()
    assert solved.scores == pytest.approx([2 / 3, 1 / 3], abs=1e-12)
    assert solved.dangling == pytest.approx(1 / 3, abs=1e-12)
    first, second = solved.terms(0), solved.terms(1)
    assert (first.restart, first.inflow) == (0.5, ())
    assert first.dangling == pytest.approx(1 / 6, abs=1e-12) and first.total == pytest.approx(2 / 3, abs=1e-12)
    assert (second.restart, second.dangling) == (0, 0)
    assert [n for n, _ in second.inflow] == [0] and second.inflow[0][1] == pytest.approx(1 / 3, abs=1e-12)
    path = solved.paths((0, 1))
    assert path[0].nodes == (0,) and path[0].mass == pytest.approx(0.5)
    assert path[1].nodes == (0, 1) and path[1].mass == pytest.approx(0.25)


def test_the_strongest_path_by_hand():
    # from 0: 1/2 * 0.9 * 1/2 * 1/10 = 0.0225; from 1: 1/2 * 0.1 * 1/2 * 1 = 0.025
    edges = [(0, 2, 1.0), (0, 3, 9.0), (1, 2, 1.0)]
    walk = made(edges, [0.9, 0.1, 0, 0], uniform=[1, 1, 1])
    assert walk.solve().paths((2,))[2].nodes == (1, 2)
    assert walk.solve().paths((2,))[2].mass == pytest.approx(0.025)
    # of two equal edges from 0 one leads to 2: 1/2 * 0.9 * 1/2 * 1/2 = 0.1125
    assert walk.solve(scheme="uniform").paths((2,))[2].nodes == (0, 2)
    assert walk.solve(scheme="uniform").paths((2,))[2].mass == pytest.approx(0.1125)


def test_parallel_edges_are_one_step():
    # 0 -> 1 has 1 + 1 of 3: 1/2 * 1/2 * 2/3
    path = made([(0, 1, 1.0), (0, 1, 1.0), (0, 2, 1.0)], [1, 0, 0]).solve().paths((1,))[1]
    assert path.mass == pytest.approx(1 / 6)


def test_equal_paths_go_by_the_smaller_number_and_start_where_they_can():
    edges = [(2, 0, 1.0), (1, 0, 1.0)]
    assert made(edges, [0, 1, 1]).solve().paths((0,))[0].nodes == (1, 0)
    # 1/2 * 1/3 at the node itself is as much as 1/2 * 2/3 * 1/2 by the edge
    assert made([(1, 0, 1.0)], [1, 2]).solve().paths((0,))[0].nodes == (0,)


def test_what_no_walk_reaches_has_no_path():
    solved = made([(1, 0, 1.0), (0, 2, 0.0)], [1, 0, 0]).solve()
    assert solved.paths((0, 1, 2)).keys() == {0}
    assert made([], [1]).solve().paths((0,))[0].nodes == (0,)


def test_without_damping_the_scores_are_the_restart():
    solved = made([(0, 1, 1.0)], [3, 1], damping=0.85).solve(damping=0.0)
    assert solved.scores == pytest.approx([0.75, 0.25])
    assert solved.paths((1,))[1].nodes == (1,)


@pytest.mark.parametrize(("damping", "scheme"), [(1.0, "query"), (-0.1, "query"), (float("nan"), "query"), (0.5, "x")])
def test_values_out_of_range_are_refused(damping, scheme):
    with pytest.raises(ValueError, match=r"damping|scheme"):
        made([(0, 1, 1.0)], [1, 0]).solve(damping, scheme)


@st.composite
def walks(draw) -> Walk:
    n = draw(st.integers(1, 5))
    node, weight = st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0, 3.0])
    edges = draw(st.lists(st.tuples(node, node, weight), max_size=12))
    restart = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=n, max_size=n).filter(any))
    return made(edges, restart, draw(st.sampled_from([0.0, 0.3, 0.85, 0.99])))


@given(walks())
def test_scores_and_paths_are_those_of_a_dense_reference(walk):
    n, d = len(walk.restart), walk.damping
    matrix = np.zeros((n, n))
    np.add.at(matrix, (walk.source, walk.target), walk.weights["query"])
    out = matrix.sum(1)
    step = np.divide(matrix, out[:, None], out=np.zeros_like(matrix), where=out[:, None] > 0)
    full = step.T + np.outer(walk.restart, out <= 0)
    exact = np.linalg.solve(np.eye(n) - d * full, (1 - d) * walk.restart)
    solved = walk.solve()
    assert solved.scores == pytest.approx(exact, abs=1e-9)
    for node in range(n):
        assert solved.terms(node).total == pytest.approx(exact[node], abs=1e-9)
    masses = dict.fromkeys(range(n), 0.0)
    for length in range(1, n + 1):
        for nodes in permutations(range(n), length):
            mass = (1 - d) * walk.restart[nodes[0]]
            for a, b in pairwise(nodes):
                mass *= d * step[a, b]
            masses[nodes[-1]] = max(masses[nodes[-1]], mass)
    found = solved.paths(tuple(range(n)))
    assert {node: path.mass for node, path in found.items()} == pytest.approx({n: m for n, m in masses.items() if m})
    for path in found.values():
        mass = (1 - d) * walk.restart[path.nodes[0]]
        for a, b in zip(path.nodes, path.nodes[1:], strict=False):
            mass *= d * step[a, b]
        assert mass == pytest.approx(path.mass)
