"""Singular and plural of a common English name: "two cats" are of the kind of "my cat"."""

from __future__ import annotations

from collections.abc import Iterable

from memorai.write.gate import words
from memorai.write.lexicon_en import PLURALS

#: their singular is another thing, or they have none
_APART = words(
    """
    glasses news customs goods arms works clothes means contents manners minutes spirits waters woods forces looks
    politics economics physics mathematics species series savings pants shorts trousers scissors headquarters blues
    letters papers irons airs pains grounds quarters terms times states games greens sweets thanks
    """
)


def singulars(word: str) -> tuple[str, ...]:
    """Return what a word may be the plural of, in lower case, the likelier first; empty if it is no plural."""
    if word in PLURALS:
        return (PLURALS[word],)
    if word in _APART or len(word) < 4 or not (word.isascii() and word.isalpha()):
        return ()
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return ()
    if word.endswith("ies") and len(word) > 4:
        return (word[:-3] + "y", word[:-1])
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return (word[:-1], word[:-2])
    return (word[:-1],)


def plural_groups(names: Iterable[str]) -> list[list[str]]:
    """Return groups of names that differ only in the number of their last word, in order of appearance.

    Names with a capital stay out: Parks is no plural of Park.
    """
    words = {name: name.split(" ") for name in dict.fromkeys(names) if name == name.lower()}
    groups: dict[str, list[str]] = {}
    for name, parts in words.items():
        found = (" ".join((*parts[:-1], one)) for one in singulars(parts[-1]))
        groups.setdefault(next((one for one in found if one in words), name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
