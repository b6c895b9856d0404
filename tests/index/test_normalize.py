from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.index.normalize import normalize


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Cafe\u0301", "caf\u00e9"),
        ("ＡＢＣ ﬁne ①", "abc fine 1"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("Mel’s Don‘t", "mel's don't"),
        ("می\u200cخواهم", "میخواهم"),
        ("so\u00adft كـتـب", "soft كتب"),
        ("❤\ufe0f 👍🏽 1\ufe0f\u20e3", "❤ 👍 1"),
        ("1,000,000 or 1,00 or 2021,2022", "1000000 or 1,00 or 2021,2022"),
    ],
)
def test_by_hand(text: str, folded: str) -> None:
    assert normalize(text) == folded


@given(st.text(st.characters()))
def test_canonical_twins_fold_alike(text: str) -> None:
    assert normalize(unicodedata.normalize("NFC", text)) == normalize(unicodedata.normalize("NFD", text))
