from __future__ import annotations

import pytest

from memorai.recall.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hello", "en"),
        ("我住在北京。", "zh"),
        ("I said 你好 to everybody at the party", "en"),
        ("我在 Google 工作", "zh"),
        ("東京に住んでいます", "ja"),
        ("", "en"),
        ("123 !?", "en"),
    ],
)
def test_the_script_tells(text, language):
    assert language_of(text, "en") == language
