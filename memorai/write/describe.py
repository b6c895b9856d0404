"""Entity descriptions without a language model: the sentences that mention the entity."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.lexicon_en import FIRST_PERSON, POSSESSIVE_FIRST
from memorai.write.names import PhraseKeys, name_key
from memorai.write.sentences import CJK, Sentence, tokenize, turn_sentences

_KEYS = PhraseKeys("en")
_SELF = FIRST_PERSON | POSSESSIVE_FIRST
_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:['’-][^\W{CJK}]+)*")


def describe(name: str, turns: Sequence[Turn], max_sentences: int = 2, max_words: int = 40) -> str:
    """Describe an entity by its first and last mention: "{name}: {sentence} {sentence}".

    The paper asks a language model for one or two sentences per entity; this extractive stand-in keeps the earliest
    and the latest, because the latest statement wins where they differ. Where ``name`` speaks, their own
    statements in the first person count.

    Args:
        name: display name.
        turns: turns that mention the entity, in order; they need not spell it out.
        max_sentences: sentences to keep, >= 1; more than two are taken evenly from both ends.
        max_words: words of all sentences together, >= 1; a CJK character counts as a word.

    Returns:
        the description; the bare name if no turn has a sentence.

    Raises:
        InputError: for a limit below 1.
    """
    if max_sentences < 1 or max_words < 1:
        raise InputError(
            f"describe {name!r}: max_sentences={max_sentences} and max_words={max_words} must be >= 1; raise them"
        )
    first, last = (max_sentences + 1) // 2, max_sentences // 2
    head = _mentions(name, turns, first)
    tail = _mentions(name, turns[::-1], last, backwards=True)[::-1] if last else []
    kept = list(dict.fromkeys([*head, *tail]))
    if not kept:
        return name
    budget = max(1, max_words // len(kept))
    return f"{name}: " + " ".join(_ended(trim(sentence, budget)) for sentence in kept)


@dataclass(frozen=True, slots=True)
class _Searchable:
    """A turn's sentences, and where each stem and each CJK character occurs, so that a mention is looked up.

    Without it, describing every entity of one long turn reads the turn once an entity: quadratic in its length.
    """

    sentences: tuple[Sentence, ...]
    stems: tuple[str, ...]
    keys: tuple[str, ...]
    places: Mapping[str, tuple[int, ...]]

    def mentioning(self, name: str) -> list[int]:
        """Indices of the sentences that mention a name, increasing."""
        if _CJK.search(name):
            key = name_key(name)
            return [i for i in self.places.get(key[:1], ()) if key in self.keys[i]]
        wanted = _stems(name)
        if not wanted:
            return []
        phrase = f" {' '.join(wanted)} "
        return [i for i in self.places.get(wanted[0], ()) if phrase in self.stems[i]]


@lru_cache(maxsize=2048)
def _searchable(turn: Turn) -> _Searchable:
    sentences = tuple(turn_sentences(turn))
    places: dict[str, list[int]] = {}
    stems, keys = [], []
    for i, sentence in enumerate(sentences):
        found, key = _stems(sentence.text), name_key(sentence.text)
        for feature in dict.fromkeys([*found, *(c for c in key if _CJK.match(c))]):
            places.setdefault(feature, []).append(i)
        stems.append(f" {' '.join(found)} ")
        keys.append(key)
    return _Searchable(sentences, tuple(stems), tuple(keys), {k: tuple(v) for k, v in places.items()})


def _stems(text: str) -> list[str]:
    return [_KEYS.stem(token.lower) for token in tokenize(text)]


def _mentions(name: str, turns: Sequence[Turn], count: int, backwards: bool = False) -> list[str]:
    """The first ``count`` distinct sentences that mention ``name``; else the turns' own first sentences."""
    key = name_key(name)
    speaks = any(name_key(turn.speaker) == key for turn in turns)
    exact: dict[str, None] = {}
    # one by one, for the first few turns decide, and a participant has thousands
    for turn in (turn for turn in turns if not speaks or name_key(turn.speaker) == key):
        text = _searchable(turn)
        order = range(len(text.sentences)) if speaks else text.mentioning(name)
        for i in reversed(order) if backwards else order:
            sentence = text.sentences[i]
            if not speaks or _about_self(sentence):
                exact[sentence.text] = None
            if len(exact) == count:
                return list(exact)
    if exact:
        return list(exact)
    first: dict[str, None] = {}
    for turn in turns:
        first.update(dict.fromkeys(sentence.text for sentence in _searchable(turn).sentences[:1]))
        if len(first) == count:
            break
    return list(first)


def _about_self(sentence: Sentence) -> bool:
    """A statement in the first person, the kind that tells something of its speaker."""
    return not sentence.question and any(
        token.lower in _SELF or token.text[:1] == "我" for token in tokenize(sentence.text)
    )


def _ended(text: str) -> str:
    """Captions come without an end mark, and would run into the next sentence."""
    return f"{text}." if text[-1].isalnum() else text


def trim(text: str, max_words: int) -> str:
    """Cut after ``max_words`` words (CJK: characters) and mark the cut with an ellipsis."""
    ends = [match.end() for match in _WORD.finditer(text)]
    return text if len(ends) <= max_words else text[: ends[max_words - 1]].rstrip() + " …"
