from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memorai.models.encoder import token_batches


def test_batches_by_hand() -> None:
    assert list(token_batches([3, 9, 3, 4, 1], batch_size=2, token_budget=10)) == [[1], [3, 0], [2, 4]]


@given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 8), st.integers(1, 2000))
def test_every_text_once_within_both_limits(lengths: list[int], batch_size: int, budget: int) -> None:
    batches = list(token_batches(lengths, batch_size, budget))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= batch_size
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget
