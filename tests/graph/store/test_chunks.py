from __future__ import annotations

from memorai.graph.store.chunks import chunks


def test_all_values_come_in_order():
    for count in (0, 1, 400, 401, 1000):
        parts = list(chunks(list(range(count))))
        assert [value for part in parts for value in part] == list(range(count))
        assert all(0 < len(part) <= 400 for part in parts)
