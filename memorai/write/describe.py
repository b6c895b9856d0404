"""Entity descriptions without a language model: the sentences that mention the entity."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.lexicon_en import FIRST_PERSON, POSSESSIVE_FIRST
from memorai.write.names import PhraseKeys, name_key
from memorai.write.sentences import CJK, Sentence, tokenize, turn_sentences

_KEYS = PhraseKeys("en")
_SELF = FIRST_PERSON | POSSESSIVE_FIRST
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


def _mentions(name: str, turns: Sequence[Turn], count: int, backwards: bool = False) -> list[str]:
    """The first ``count`` distinct sentences that mention ``name``; else the turns' own first sentences."""
    own = [turn for turn in turns if name_key(turn.speaker) == name_key(name)]
    exact: dict[str, None] = {}
    for turn in own or turns:
        sentences = turn_sentences(turn)
        for sentence in reversed(sentences) if backwards else sentences:
            if _about_self(sentence) if own else _mentioned(name, sentence.text):
                exact[sentence.text] = None
            if len(exact) == count:
                return list(exact)
    if exact:
        return list(exact)
    return list(dict.fromkeys(found[0].text for turn in turns if (found := turn_sentences(turn))))[:count]


def _about_self(sentence: Sentence) -> bool:
    """A statement in the first person, the kind that tells something of its speaker."""
    return not sentence.question and any(
        token.lower in _SELF or token.text[:1] == "我" for token in tokenize(sentence.text)
    )


def _mentioned(name: str, sentence: str) -> bool:
    if re.search(f"[{CJK}]", name):
        return name_key(name) in name_key(sentence)
    wanted = [_KEYS.stem(token.lower) for token in tokenize(name)]
    have = [_KEYS.stem(token.lower) for token in tokenize(sentence)]
    return any(have[i : i + len(wanted)] == wanted for i in range(len(have) - len(wanted) + 1))


def _ended(text: str) -> str:
    """Captions come without an end mark, and would run into the next sentence."""
    return f"{text}." if text[-1].isalnum() else text


def trim(text: str, max_words: int) -> str:
    """Cut after ``max_words`` words (CJK: characters) and mark the cut with an ellipsis."""
    ends = [match.end() for match in _WORD.finditer(text)]
    return text if len(ends) <= max_words else text[: ends[max_words - 1]].rstrip() + " …"
