"""Which language a text is in, as far as index and embedder need to know: by its script."""

from __future__ import annotations

import re

from memorai.write.sentences import CJK

_CJK = re.compile(f"[{CJK}]")
_KANA = re.compile("[\u3040-\u30ff]")
_SAMPLE = 2000  # characters: a language does not need more to be told
_SHARE = 0.3


def language_of(text: str, default: str) -> str:
    """Return ``zh`` or ``ja`` for text of which three letters in ten are such characters, else ``default``."""
    letters = [char for char in text[:_SAMPLE] if char.isalpha()]
    characters = _CJK.findall("".join(letters))
    if not letters or len(characters) < _SHARE * len(letters):
        return default
    return "ja" if _KANA.search("".join(characters)) else "zh"
