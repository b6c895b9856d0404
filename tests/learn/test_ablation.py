from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.learn.ablation import dropped

NAMES = ("match/bm25", "walk/all", "walk/next", "walk/bm25")


def test_patterns_leave_out_features_but_never_the_candidates_own():
    found = dropped(NAMES, [_entry("no walk", "walk/*"), _entry("no bm25", "*/bm25")])
    assert found == {"no walk": ("match/bm25", "walk/all"), "no bm25": ("walk/all", "walk/next")}
    with pytest.raises(InputError, match=r"no typo: no feature is called wolk/\*; there are match/\*, walk/\*"):
        dropped(NAMES, [_entry("no typo", "wolk/*")])
    for entry in ("walk", {"name": "x"}, {"name": "x", "without": "walk/*"}):
        with pytest.raises(InputError, match=r"is not (\{name|a list)"):
            dropped(NAMES, [entry])


def _entry(name, *patterns):
    return {"name": name, "without": list(patterns)}
