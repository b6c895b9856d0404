import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memorai.metrics.statistics import aggregate, holm, paired_permutation


def _by_name(estimates):
    return {estimate.category: estimate for estimate in estimates}


def test_means_by_hand():
    got = aggregate([1, 0, 0.5, 0.5, 1], ["a", "a", "a", "b", "b"], ["x", "y", "x", "y", "x"], n_resamples=0)
    assert [(e.category, e.n) for e in got] == [("a", 3), ("b", 2), ("macro", 5), ("weighted", 5)]
    assert [e.value for e in got] == pytest.approx([0.5, 0.75, 0.625, 0.6])
    assert all(e.lo is None and e.hi is None for e in got)


def test_categories_come_in_the_order_asked_for():
    got = aggregate([1, 1, 1], ["a", "b", "c"], ["x", "y", "z"], order=["c", "unused", "b"], n_resamples=0)
    assert [e.category for e in got] == ["c", "b", "a", "macro", "weighted"]


def test_one_question_a_cluster_is_the_ordinary_bootstrap_of_scipy():
    values = np.random.default_rng(1).random(80)
    clusters = [f"c{i}" for i in range(80)]
    got = _by_name(aggregate(values, ["a"] * 80, clusters, n_resamples=20_000))
    ours = got["weighted"]
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert (ours.lo, ours.hi) == pytest.approx((theirs.low, theirs.high), abs=0.003)
    assert (got["macro"].lo, got["a"].hi) == pytest.approx((ours.lo, ours.hi))


def test_one_conversation_resamples_its_questions():
    values = np.random.default_rng(1).random(80)
    one = _by_name(aggregate(values, ["a"] * 80, ["only"] * 80))["weighted"]
    many = _by_name(aggregate(values, ["a"] * 80, [f"c{i:02}" for i in range(80)]))["weighted"]
    assert one == many


def test_conversations_are_drawn_whole():
    # two conversations, all ones and all zeros: a draw gives 0, 1/2 or 1, so the interval is all of [0, 1]
    values = [1.0] * 50 + [0.0] * 50
    got = _by_name(aggregate(values, ["a"] * 100, ["x"] * 50 + ["y"] * 50))
    assert (got["weighted"].lo, got["weighted"].hi) == (0.0, 1.0)


def test_clustered_interval_equals_a_plain_loop():
    rng = np.random.default_rng(3)
    values, kinds, clusters = rng.random(60), rng.choice(["a", "b", "c"], 60), rng.choice(list("uvwxyz"), 60)
    got = _by_name(aggregate(values, list(kinds), list(clusters), n_resamples=4000, seed=5))
    names = sorted(set(clusters))
    macros, weighteds = [], []
    for _ in range(4000):
        index = np.concatenate([np.flatnonzero(clusters == name) for name in rng.choice(names, len(names))])
        means = [values[index][kinds[index] == kind].mean() for kind in sorted(set(kinds[index]))]
        macros.append(np.mean(means))
        weighteds.append(values[index].mean())
    assert (got["macro"].lo, got["macro"].hi) == pytest.approx(np.percentile(macros, [2.5, 97.5]), abs=0.01)
    assert (got["weighted"].lo, got["weighted"].hi) == pytest.approx(np.percentile(weighteds, [2.5, 97.5]), abs=0.01)


def test_a_category_missing_from_a_resample_leaves_its_macro():
    # "b" lives in y alone: draws without y have a macro of 1 (only "a"), draws with y of 0.5
    got = _by_name(aggregate([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"], ["x", "y", "y", "y"]))
    assert (got["macro"].lo, got["macro"].hi) == (0.5, 1.0)
    assert (got["b"].lo, got["b"].hi) == (0.0, 0.0)


def test_a_category_of_one_conversation_gets_a_width():
    got = _by_name(aggregate([1.0, 1.0, 0.0, 1.0], ["a", "b", "b", "a"], ["x", "y", "y", "z"]))
    assert (got["b"].lo, got["b"].hi) == (0.0, 1.0)


def test_a_category_that_no_resample_held_has_no_interval():
    clusters = ["y", "y", *(f"c{i}" for i in range(40)), "z"]
    kinds = ["a"] * 42 + ["b"]
    several = [aggregate([0.5] * 43, kinds, clusters, n_resamples=1, seed=seed) for seed in range(5)]
    assert all(e.lo is None or np.isfinite(e.lo) for got in several for e in got)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1), st.randoms())
def test_order_of_questions_does_not_matter_and_bounds_hold(questions, random):
    first = _by_name(aggregate(*zip(*questions, strict=True), n_resamples=50))
    shuffled = list(questions)
    random.shuffle(shuffled)
    second = _by_name(aggregate(*zip(*shuffled, strict=True), n_resamples=50))
    assert list(first) == list(second)
    for name, estimate in first.items():
        assert estimate.value == pytest.approx(second[name].value)
        assert -1e-9 <= estimate.lo <= estimate.hi <= 1 + 1e-9
    if len({cluster for _, _, cluster in questions}) > 1:
        assert first["weighted"].lo == pytest.approx(second["weighted"].lo)


def test_the_same_seed_gives_the_same_interval():
    arguments = ([0.1, 0.9, 0.4], ["a"] * 3, ["x", "y", "z"])
    assert aggregate(*arguments, seed=1) == aggregate(*arguments, seed=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], []), "no value"),
        (([1.0], ["a"], []), "lengths differ"),
        (([float("nan")], ["a"], ["x"]), "finite"),
        (([1.0], ["macro"], ["x"]), "averages"),
    ],
)
def test_bad_values_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        aggregate(*arguments)


def test_exact_permutation_equals_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.random(9), rng.random(9)
    ours = paired_permutation(a, b, [str(i) for i in range(9)])
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", vectorized=False, n_resamples=10_000
    )
    assert ours.exact and ours.units == 9
    assert ours.difference == pytest.approx(np.mean(a - b))
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_sampled_permutation_is_near_scipy():
    rng = np.random.default_rng(0)
    a = rng.random(40)
    b = a + rng.normal(0.05, 0.2, 40)
    ours = paired_permutation(a, b, [str(i) for i in range(40)], n=20_000)
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=20_000, rng=1
    )
    assert not ours.exact
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.02)


def test_whole_conversations_are_flipped():
    a, b = [1.0] * 30, [0.0] * 30
    assert paired_permutation(a, b, [f"c{i // 3}" for i in range(30)]).p_value == pytest.approx(2 / 1024)
    assert paired_permutation(a, b, ["x"] * 15 + ["y"] * 15).p_value == pytest.approx(0.5)  # ++, -- of four
    assert paired_permutation(a[:5], b[:5], ["x"] * 5).p_value == pytest.approx(2 / 32)  # one: its questions


def test_macro_difference_equals_a_plain_enumeration():
    rng = np.random.default_rng(4)
    a, b = rng.random(12), rng.random(12)
    kinds, clusters = np.array(list("aaaaaaabbbcc")), np.array([str(i % 4) for i in range(12)])

    def macro(difference):
        return np.mean([difference[kinds == kind].mean() for kind in "abc"])

    flips = [dict(zip("0123", signs, strict=True)) for signs in itertools.product([1, -1], repeat=4)]
    values = [macro((a - b) * np.array([flip[c] for c in clusters])) for flip in flips]
    got = paired_permutation(a, b, list(clusters), categories=list(kinds))
    assert got.difference == pytest.approx(values[0])
    assert got.p_value == pytest.approx(np.mean(np.abs(values) >= abs(values[0]) - 1e-12))


def test_equal_systems_do_not_differ():
    values = [0.1, 0.7, 0.3]
    assert paired_permutation(values, values, ["x", "y", "z"]).p_value == 1.0


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(ValueError, match="p-values"):
        holm([1.5])


@given(st.lists(st.floats(0, 1), min_size=1), st.randoms())
def test_holm_follows_a_permutation_of_its_input(p_values, random):
    order = list(range(len(p_values)))
    random.shuffle(order)
    adjusted = holm(p_values)
    assert holm([p_values[i] for i in order]) == [adjusted[i] for i in order]
    assert all(p <= q <= 1.0 for p, q in zip(p_values, adjusted, strict=True))
