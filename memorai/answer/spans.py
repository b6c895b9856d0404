"""Stretches of a sentence that could be an answer, and what speaks for each: numbers, no words of their own."""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memorai.answer.question import Asked, terms_of
from memorai.write.lexicon_en import POSSESSIVE_FIRST, SUBJECT_PRONOUNS
from memorai.write.lexicon_people import PEOPLE
from memorai.write.tags import Tag, Token
from memorai.write.when_patterns import COUNTS, WEEKDAYS

Floats = npt.NDArray[np.float64]

MAX_TOKENS = 16
_INSIDE = frozenset((Tag.ADJECTIVE, Tag.NOUN, Tag.NAME, Tag.NUMBER))
_PHRASE = _INSIDE | {Tag.DETERMINER}
_ENDS = _INSIDE | {Tag.ADVERB, Tag.VERB, Tag.STOP, Tag.PRONOUN}
_NO_START = frozenset((Tag.PUNCTUATION, Tag.CONJUNCTION))
_CONTENT = frozenset((Tag.NAME, Tag.NOUN, Tag.ADJECTIVE, Tag.VERB, Tag.NUMBER))
_PLACES = frozenset(("in", "at", "to", "from", "near", "on", "under", "beneath", "inside", "around", "outside"))
_REASONS = frozenset(("because", "to", "for", "since", "so", "cause", "as"))
_MEANS = frozenset(("by", "with", "through", "using", "via"))
_NUMBER_WORDS = frozenset((*COUNTS, "dozen", "couple", "half", "hundred", "once", "twice", "thrice"))
_PERIODS = ("day", "week", "month", "year", "hour", "minute", "second")
_UNITS = frozenset((*_PERIODS, *(f"{period}s" for period in _PERIODS)))
_CJK_NUMBER = re.compile(r"[零一二两三四五六七八九十百千万半几\d]")

#: what `span_features` measures, in order
SPAN_FEATURES = (
    "asked_inside", "new_content", "length", "length_squared", "log_length", "name", "number", "verb", "first_person",
    "starts_with_place", "starts_with_reason", "starts_with_means", "starts_with_determiner", "starts_after_verb",
    "starts_after_preposition", "at_end", "whole", "clause", "distance_left", "distance_right", "comma_inside",
    "who_fits", "where_fits", "count_fits", "duration_fits", "why_fits", "how_fits", "what_fits", "misfit",
    "why_length", "how_length", "what_length", "where_length",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence taken apart once for all questions.

    Args:
        tokens: tagged.
        terms: index terms of each token.
    """

    tokens: tuple[Token, ...]
    terms: tuple[frozenset[str], ...]


def words_of(tokens: Sequence[Token], language: str) -> Words:
    """Prepare a tagged sentence."""
    return Words(tuple(tokens), tuple(terms_of(token.lower, language) for token in tokens))


def candidates(words: Words) -> list[tuple[int, int]]:
    """Return (first, last + 1) of every stretch that neither cuts a noun phrase nor ends in a function word.

    At most `MAX_TOKENS` tokens; the whole sentence always counts. A phrase may begin after its determiner. Of a Chinese
    sentence only its clauses count.
    """
    tokens = words.tokens
    size = len(tokens)
    if not size:
        return []
    if any(token.cjk for token in tokens):
        return _clauses(tokens)  # the weights were fitted to English phrases
    starts = [i for i in range(size) if _may_start(tokens, i)]
    ends = [i for i in range(size) if _may_end(tokens, i)]
    found = [
        (start, end + 1)
        for start in starts
        for end in ends[bisect_left(ends, start) : bisect_left(ends, start + MAX_TOKENS)]
    ]
    whole = (_skip(tokens, 0, 1), _skip(tokens, size - 1, -1) + 1)
    return found if whole in found or whole[0] >= whole[1] else [*found, whole]


def span_features(asked: Asked, words: Words, spans: Sequence[tuple[int, int]], weight: Mapping[str, float]) -> Floats:
    """Measure every stretch of one sentence.

    Args:
        asked: the question.
        words: the sentence.
        spans: from `candidates`.
        weight: how rare an index term is in the context, > 0.

    Returns:
        [len(spans), len(SPAN_FEATURES)].
    """
    tokens, size = words.tokens, len(words.tokens)
    total = math.fsum(weight.get(term, 1.0) for term in asked.terms) or 1.0
    match = np.array(
        [
            math.fsum(weight.get(term, 1.0) for term in terms & asked.terms) / total / max(1, len(terms))
            for terms in words.terms
        ]
    )
    content = np.array([token.tag in _CONTENT for token in tokens], float)
    new = content * (match == 0)
    flags: dict[str, Sequence[float]] = {
        "name": [token.tag is Tag.NAME and not m for token, m in zip(tokens, match, strict=True)],
        "number": [_is_number(token) for token in tokens],
        "verb": [token.tag is Tag.VERB for token in tokens],
        "first": [token.lower in ("i", "we", "me", "我", "我们") for token in tokens],
        "comma": [token.text in (",", "、", "，") for token in tokens],
        "unit": [token.lower in _UNITS or token.text[-1:] in "天年月周" for token in tokens],
        "person": [token.lower in PEOPLE for token in tokens],
        "noun": [token.tag in (Tag.NOUN, Tag.NAME) for token in tokens],
    }
    flags |= {"match": list(match), "content": list(content), "new": list(new)}
    sums = {name: np.concatenate([[0.0], np.cumsum(values)]) for name, values in flags.items()}
    bounds = np.array(spans, int).reshape(-1, 2)
    first, last = bounds[:, 0], bounds[:, 1]

    def count(name: str) -> Floats:
        return np.asarray(sums[name][last] - sums[name][first])

    length = (last - first).astype(float)
    if tokens and all(token.cjk for token in tokens if token.tag in _CONTENT):
        length = length * 1.2
    hits = np.flatnonzero(match > 0)
    left = np.array([_gap(hits[hits < a], a - 1) for a in first])
    right = np.array([_gap(hits[hits >= b], b) for b in last])
    before = [tokens[a - 1] if a else None for a in first]
    opening = [tokens[a].lower for a in first]
    clause = [
        (a == 0 or tokens[a - 1].tag is Tag.PUNCTUATION) and (b == size or tokens[b].tag is Tag.PUNCTUATION)
        for a, b in spans
    ]
    name, number, unit, verb = (count(key) > 0 for key in ("name", "number", "unit", "verb"))
    after_place = np.array([b is not None and b.lower in _PLACES for b in before])
    place = np.array([word in _PLACES or word[:1] == "在" for word in opening])
    reason = np.array([word in _REASONS for word in opening])
    means = np.array([word in _MEANS for word in opening])
    noun = np.array([tokens[b - 1].tag in (Tag.NOUN, Tag.NAME) for b in last])
    person = name | (count("person") > 0)
    fits = {
        "who": person & (length <= 6),
        "where": (place | after_place | name) & noun,
        "count": number,
        "duration": number & unit,
        "why": reason | verb,
        "how": means | verb,
        "what": noun & ~number,
    }
    kind = asked.kind
    columns = {
        "asked_inside": count("match"),
        "new_content": count("new") / np.maximum(1.0, count("content")),
        "length": length / 10,
        "length_squared": (length / 10) ** 2,
        "log_length": np.log1p(length),
        "name": name,
        "number": number,
        "verb": verb,
        "first_person": count("first") > 0,
        "starts_with_place": place,
        "starts_with_reason": reason,
        "starts_with_means": means,
        "starts_with_determiner": [tokens[a].tag is Tag.DETERMINER for a in first],
        "starts_after_verb": [b is not None and b.tag is Tag.VERB for b in before],
        "starts_after_preposition": [b is not None and b.tag in (Tag.PREPOSITION, Tag.TO) for b in before],
        "at_end": [b >= size - 1 for b in last],
        "whole": length >= size - 1,
        "clause": clause,
        "distance_left": left,
        "distance_right": right,
        "comma_inside": count("comma") > 0,
        **{f"{key}_fits": fits[key] & (kind == key) for key in fits},
        "misfit": ~fits[kind] if kind in fits else np.zeros(len(spans), bool),
        **{f"{key}_length": (length / 10) * (kind == key) for key in ("why", "how", "what", "where")},
    }
    return np.column_stack([np.asarray(columns[key], float) for key in SPAN_FEATURES])


def surface(tokens: Sequence[Token]) -> str:
    """Write a stretch as text; one leading "my" or subject pronoun goes, an answer being about somebody else."""
    kept = list(tokens)
    while len(kept) > 1 and kept[0].lower in (SUBJECT_PRONOUNS | POSSESSIVE_FIRST | {"我", "我们"}):
        kept = kept[1:]
    out = ""
    for place, token in enumerate(kept):
        glued = (
            not place
            or (token.cjk and kept[place - 1].cjk)
            or token.lower.startswith("'")
            or token.text in ",.;:!?%)”’，。；：！？、"
            or kept[place - 1].text in "($£€“‘"
        )
        out += token.text if glued else f" {token.text}"
    return out


def _clauses(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    ends = [i for i, token in enumerate(tokens) if token.tag is Tag.PUNCTUATION]
    bounds = [-1, *ends, len(tokens)]
    return [(a + 1, b) for a, b in itertools.pairwise(bounds) if b > a + 1]


def _may_start(tokens: Sequence[Token], i: int) -> bool:
    token, before = tokens[i], tokens[i - 1] if i else None
    if (token.tag in _NO_START and token.lower not in ("because", "since")) or token.lower.startswith("'"):
        return False
    return before is None or before.tag not in _INSIDE or token.tag not in _INSIDE


def _may_end(tokens: Sequence[Token], i: int) -> bool:
    token, after = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else None
    if token.tag not in _ENDS:
        return False
    if token.tag is Tag.NUMBER:
        return True  # of "seven bikes" the answer may be "seven"
    return after is None or (not (token.tag in _PHRASE and after.tag in _INSIDE) and not after.lower.startswith("'"))


def _skip(tokens: Sequence[Token], i: int, step: int) -> int:
    while 0 <= i < len(tokens) and tokens[i].tag is Tag.PUNCTUATION:
        i += step
    return i


def _is_number(token: Token) -> bool:
    if token.cjk:
        return bool(_CJK_NUMBER.search(token.text))
    return token.tag is Tag.NUMBER or token.lower in _NUMBER_WORDS or token.lower in WEEKDAYS


def _gap(hits: npt.NDArray[np.int64], place: int) -> float:
    """How near the nearest asked word is: 1 next to it, falling to 0."""
    return float(1.0 / (1.0 + np.abs(hits - place).min())) if len(hits) else 0.0
