"""Folding of what is written differently but reads the same."""

from __future__ import annotations

import re
import unicodedata

# Invisible or merely decorative: soft hyphen, tatweel, joiners, marks of direction, variation selectors, the keycap
# box, skin tones, tags. Without the joiner a family emoji falls into its members, which match one by one.
_DROPPED = dict.fromkeys(
    code
    for first, last in [
        (0xAD, 0xAD),
        (0x640, 0x640),
        (0x200C, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2069),
        (0x20E3, 0x20E3),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0x1F3FB, 0x1F3FF),
        (0xE0020, 0xE007F),
    ]
    for code in range(first, last + 1)
)
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ`´"), "'")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def normalize(text: str) -> str:
    """Fold compatibility forms (NFKC), case, apostrophes, invisible characters and the comma in 1,000."""
    # NFC first: canonical twins of an apostrophe become it, and NFKC would make some of them a blank
    composed = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    folded = unicodedata.normalize("NFKC", composed).translate(_DROPPED).casefold()
    # a Turkish capital İ folds to i and a dot above; folding can also undo the composition
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", folded.replace("i\u0307", "i")))
