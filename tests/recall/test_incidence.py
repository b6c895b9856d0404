from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memorai.recall.incidence import Incidence

ROWS = st.lists(st.lists(st.integers(0, 9), unique=True, max_size=6), max_size=30)


def fill(rows: list[list[int]], settle_every: int) -> Incidence:
    made = Incidence()
    for i, row in enumerate(rows, 1):
        flat = np.array(row, dtype=np.int64)
        made.append(np.array([len(row)]), flat, flat + 1, 10)
        if i % settle_every == 0:
            made.settle()
    made.settle()
    return made


@given(rows=ROWS, settle_every=st.integers(1, 9), wanted=st.lists(st.integers(0, 9), unique=True))
def test_both_directions_say_what_was_appended(rows, settle_every, wanted):
    made = fill(rows, settle_every)
    owner, found, counts = made.rows_of(np.array(sorted(wanted), dtype=np.int64))
    got = sorted((sorted(wanted)[o], int(r), float(c)) for o, r, c in zip(owner, found, counts, strict=True))
    assert got == sorted((item, r, item + 1.0) for r, row in enumerate(rows) for item in row if item in wanted)
    _, items, _ = made.items_of(np.arange(len(rows)))
    assert items.tolist() == [item for row in rows for item in row]
    if rows:
        assert made.df.tolist() == [sum(item in row for row in rows) for item in range(10)]


@given(rows=ROWS.filter(len), settle_every=st.integers(1, 9))
def test_a_dump_gives_the_same_incidence(rows, settle_every):
    made = fill(rows, settle_every)
    again = Incidence.restore({name: array.copy() for name, array in made.arrays().items()})
    assert again.df.tolist() == made.df.tolist()
    every = np.arange(10)
    assert [a.tolist() for a in again.rows_of(every)] == [a.tolist() for a in made.rows_of(every)]
    again.append(np.array([1]), np.array([3]), np.array([1.0]), 10)
    again.settle()
    assert len(rows) in again.rows_of(np.array([3]))[1].tolist()


def test_segments_stay_few():
    made = fill([[i % 10] for i in range(3000)], 1)
    assert len(made.segments) < 20


def test_rows_leave_and_come_back():
    made = fill([[1, 2], [2]], 1)
    made.drop(np.array([0]))
    assert made.df.tolist()[:3] == [0, 0, 1]
    made.take(np.array([0]))
    assert made.df.tolist()[:3] == [0, 1, 2]
