from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.learn.ablation import dropped

NAMES = ("match/bm25", "walk/all", "walk/next", "walk/bm25")


def test_patterns_leave_out_features_but_never_the_candidates_own():
    found = dropped(NAMES, {"no walk": ["walk/*"], "no bm25": ["*/bm25"]})
    assert found == {"no walk": ("match/bm25", "walk/all"), "no bm25": ("walk/all", "walk/next")}
    with pytest.raises(InputError, match=r"no typo: no feature is called wolk/\*; there are match/\*, walk/\*"):
        dropped(NAMES, {"no typo": ["wolk/*"]})
