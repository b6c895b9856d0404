from __future__ import annotations

import pytest
import torch

from memorai.retrieval.pagerank import pagerank
from memorai.retrieval.transforms import Floor, Shift, Softmax
from memorai.retrieval.weights import CosineWeights, StaticWeights, UniformWeights
from tests.toys import TableEmbedder, toy_view

VECTORS = {
    "puppy": [1.0, 0.0],
    "Rex": [0.6, 0.8],
    "Rome": [0.0, 1.0],
    "Rex loves Rome": [0.8, 0.6],
    "a": [1.0, 0.0],
    "b": [0.0, 1.0],
    "c": [-1.0, 0.0],
}
PAPER = {"relation": 1.0, "mentioned_in": 1.0, "part_of": 1.0}


def view(*texts: str):
    return toy_view(TableEmbedder(VECTORS), texts=texts or ("a", "b", "c"))


def matrix(weighter, v, q: int = 0, mask=None) -> torch.Tensor:
    """All edge weights of one query as a dense [N, N] matrix, edge by edge."""
    dense = torch.zeros(v.graph.num_nodes, v.graph.num_nodes, dtype=torch.float64)
    for block in weighter.weights(v, v.everything() if mask is None else mask):
        b = block.block
        for e in range(b.num_edges):
            i, j = int(b.source[e]), int(b.target[e])
            weight = b.weight[e]
            for factor, row in ((block.source_scale, i), (block.target_scale, j), (block.value, e)):
                if factor is not None:
                    weight = weight * factor[row, q if factor.shape[1] > 1 else 0]
            u, w = b.source_rows.start + i, b.target_rows.start + j
            dense[(w, u) if block.reverse else (u, w)] += weight
    return dense


def test_equation_1_by_hand():
    w = matrix(CosineWeights(PAPER, reverse="none"), view())
    # nodes: 0 puppy, 1 rex, 2 rome; turns 3..7; snippets 8, 9; query a = (1, 0)
    assert w[0, 3] == pytest.approx(1.0)
    assert w[1, 5] == pytest.approx(0.6) and w[1, 7] == pytest.approx(0.6)
    assert w[2, 6] == pytest.approx(0.0, abs=1e-7)
    assert w[1, 2] == pytest.approx(0.8)
    # t5 mentions rex (0.6) and rome (0): mean 0.3; t2 mentions nothing
    assert w[7, 9] == pytest.approx(0.3)
    assert w[4, 8] == 0
    assert int((w != 0).sum()) == int(sum(w[i, j] != 0 for i in range(10) for j in range(10) if i < j))


def test_reverse_edges_carry_the_forward_weight():
    v = view()
    forward = matrix(CosineWeights(PAPER, reverse="none"), v)
    both = matrix(CosineWeights(PAPER, reverse="forward_weight"), v)
    assert torch.allclose(both, forward + forward.T)
    uniform = matrix(CosineWeights(PAPER, reverse="uniform"), v)
    structure = matrix(UniformWeights(PAPER, reverse="none"), v)
    assert torch.allclose(uniform, forward + structure.T)


def test_static_weights_are_the_graphs_and_uniform_ones_are_one():
    v = view()
    assert matrix(StaticWeights(PAPER, "none"), v)[0, 3] == 2.0
    assert matrix(UniformWeights(PAPER, "none"), v)[0, 3] == 1.0
    assert matrix(CosineWeights(PAPER, "none", static=True), v)[0, 3] == pytest.approx(2.0)


def test_types_scale_and_switch_off():
    w = matrix(UniformWeights({"mentioned_in": 3.0, "next": 0.5}, "none"), view())
    assert w[0, 3] == 3.0 and w[3, 4] == 0.5
    assert w[1, 2] == 0 and w[3, 8] == 0


def test_negative_cosines_clip_floor_shift_or_stay_in_order():
    v = view()
    assert matrix(CosineWeights(PAPER, "none"), v, q=2)[0, 3] == 0
    assert matrix(CosineWeights(PAPER, "none", Floor(0.05)), v, q=2)[0, 3] == pytest.approx(0.05)
    assert matrix(CosineWeights(PAPER, "none", Shift()), v, q=2)[1, 5] == pytest.approx(0.2)
    soft = matrix(CosineWeights(PAPER, "none", Softmax(0.5)), v, q=2)
    assert soft[0, 3] < soft[1, 5] < soft[2, 6]


def test_an_edge_with_an_end_outside_the_mask_weighs_nothing():
    v = view()
    mask = v.everything()
    mask[7] = False
    w = matrix(UniformWeights(PAPER), v, mask=mask)
    assert w[7].sum() == 0 and w[:, 7].sum() == 0 and w[1, 5] == 1


def scores(weighter, v):
    restart = torch.ones(v.graph.num_nodes, len(v), dtype=torch.float64)
    return pagerank(weighter.weights(v, v.everything()), restart, 0.85, tol=1e-12, max_iter=500).scores


def test_source_weights_cancel_without_reverse_edges_and_relations():
    """The cancellation of docs/design.md: Eq. 1's entity -> turn weight depends on the source alone."""
    v = view("a", "b")
    mentions = {"mentioned_in": 1.0}
    positive = Shift()  # so that no entity's weight is 0, where it would become dangling
    conditioned = scores(CosineWeights(mentions, "none", positive), v)
    assert torch.allclose(conditioned, scores(UniformWeights(mentions, "none"), v), atol=1e-11)
    assert torch.allclose(conditioned[:, 0], conditioned[:, 1], atol=1e-11)


def test_reverse_edges_make_the_walk_adaptive():
    v = view("a", "b")
    adaptive = scores(CosineWeights({"mentioned_in": 1.0}, "forward_weight", Shift()), v)
    assert (adaptive[:, 0] - adaptive[:, 1]).abs().sum() > 0.01
    # t5 mentions rex and rome; a likes rex, b likes rome: rome's own turn t4 gains under b
    assert adaptive[6, 1] > adaptive[6, 0]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="unknown edge type 'likes'"):
        UniformWeights({"likes": 1.0})
    with pytest.raises(ValueError, match="factor -1"):
        UniformWeights({"next": -1})
    with pytest.raises(ValueError, match="reverse='both'"):
        UniformWeights({"next": 1}, reverse="both")
