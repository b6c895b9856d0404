"""Chinese names of endearment, 小明 or 老王 or 阿强, which no list can hold and no capital gives away."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memorai.write.lexicon_people import NOT_NAMES_ZH, PEOPLE
from memorai.write.lexicon_zh import WORDS
from memorai.write.tags import Tag
from memorai.write.traditional import simplified

_PREFIXED = re.compile(r"[小老阿][\u4e00-\u9fff]")
_LONGEST = max(map(len, WORDS))
#: in front of a name: the run's start, or one of these; 的朋友小明, 和小明
_BEFORE = (Tag.CONJUNCTION, Tag.PREPOSITION, Tag.VERB)
_AFTER = (Tag.VERB, Tag.AUXILIARY, Tag.ADVERB, Tag.PREPOSITION, Tag.CONJUNCTION, Tag.NEGATION)


def find_names(runs: Iterable[str]) -> tuple[str, ...]:
    """Return the names of this kind in runs of Chinese characters, in order of appearance and in simplified characters.

    A name stands at the start of a run or after a conjunction, preposition, verb or role (朋友小明), and before a word
    that can follow a subject, or the run's end.
    """
    found: dict[str, None] = {}
    for run in map(simplified, runs):
        for match in _PREFIXED.finditer(run):
            name = match.group()
            if name not in NOT_NAMES_ZH and name not in WORDS and _bounded(run, match.start(), match.end()):
                found[name] = None
    return tuple(found)


def _bounded(run: str, start: int, end: int) -> bool:
    sizes = range(1, _LONGEST + 1)
    before = start == 0 or any(
        run[start - size : start] in PEOPLE or WORDS.get(run[start - size : start]) in _BEFORE
        for size in sizes
        if size <= start
    )
    # 小红书 begins with 小红 and is no person: what follows has to be a whole word
    return before and (end == len(run) or any(WORDS.get(run[end : end + size]) in _AFTER for size in sizes))
