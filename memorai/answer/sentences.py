"""The turns of a context sentence by sentence, and what speaks for each as the one that answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memorai.answer.question import Asked, terms_of
from memorai.answer.spans import Floats, Words, words_of
from memorai.answer.types import Context
from memorai.types import Turn
from memorai.write.names import PhraseKeys, name_key
from memorai.write.reading import Memo, Reader
from memorai.write.sentences import Sentence
from memorai.write.tags import Token
from memorai.write.when import find_times

#: what `turn_features` measures, in order
TURN_FEATURES = (
    "reciprocal_rank", "log_rank", "covered", "covered_by_sentence", "covered_by_previous", "subject_speaks",
    "other_speaks", "asks", "replies", "states_time", "short",
)  # fmt: skip
#: what `sentence_features` measures, in order
SENTENCE_FEATURES = ("covered", "asks", "first", "short", "states_time")


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a turn.

    Args:
        sentence: as written.
        words: taken apart.
        terms: its index terms.
    """

    sentence: Sentence
    words: Words
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One turn of a context.

    Args:
        turn: as stored.
        place: in the ranking, best 0.
        said: its sentences, those of its caption last; may be empty.
        terms: of all of them.
    """

    turn: Turn
    place: int
    said: tuple[Said, ...]
    terms: frozenset[str]


class ContextReader:
    """Takes contexts apart; remembers each sentence, since a conversation's turns come back question by question."""

    def __init__(self) -> None:
        self._memo = Memo(size=20_000)
        self._said: dict[tuple[str, ...], Said] = {}

    def read(self, context: Context, language: str) -> list[Spoken]:
        """Return the turns in the context's order, which is that of time."""
        speakers = list(dict.fromkeys(turn.speaker for turn in context.turns))
        reader = Reader(speakers, PhraseKeys(language), 4, self._memo)
        reader.append(context.turns)
        ranks = {id_: place for place, id_ in enumerate(context.ranked)}
        found = []
        for turn, readings in zip(context.turns, reader.readings, strict=True):
            said = tuple(self._taken_apart(reading.sentence, reading.tokens, language) for reading in readings)
            terms = frozenset().union(*(item.terms for item in said))
            found.append(Spoken(turn, ranks.get(turn.id, len(ranks)), said, terms))
        return found

    def _taken_apart(self, sentence: Sentence, tokens: Sequence[Token], language: str) -> Said:
        # a word's class may change with what else the context holds, so that it is part of the key
        key = (language, sentence.text, *(token.tag.name if token.tag else "" for token in tokens))
        found = self._said.get(key)
        if found is None:
            if len(self._said) >= 50_000:
                self._said.clear()
            found = Said(sentence, words_of(tokens, language), terms_of(sentence.text, language))
            self._said[key] = found
        return found


def rarity(spoken: Sequence[Spoken]) -> dict[str, float]:
    """Return log(1 + S / s) of every index term that s of the S sentences hold."""
    counts: dict[str, int] = {}
    sentences = [item for turn in spoken for item in turn.said]
    for item in sentences:
        for term in item.terms:
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log1p(len(sentences) / count) for term, count in counts.items()}


class Coverage:
    """Which share of what a question says a text says too, rare terms weighing more.

    Args:
        asked: the question.
        weight: of index terms, see `rarity`; one that the context lacks weighs like one that it says once.
    """

    def __init__(self, asked: Asked, weight: Mapping[str, float]) -> None:
        self._asked, self._weight = asked.terms, weight
        self._unseen = max(weight.values(), default=1.0)
        # exactly rounded sums, since a set has no order that two processes share
        self._total = math.fsum(map(self._of, self._asked)) or 1.0

    def __call__(self, terms: frozenset[str]) -> float:
        """Return the share, in [0, 1]."""
        return math.fsum(map(self._of, terms & self._asked)) / self._total

    def _of(self, term: str) -> float:
        return self._weight.get(term, self._unseen)


def turn_features(asked: Asked, spoken: Sequence[Spoken], coverage: Coverage) -> Floats:
    """Measure every turn of one context.

    Returns:
        [len(spoken), len(TURN_FEATURES)].
    """
    rows, before = [], None
    for item in spoken:
        follows = before is not None and before.turn.session_id == item.turn.session_id and before.said
        subject = _subject(asked, item.turn)
        rows.append(
            (
                1.0 / (1 + item.place),
                math.log1p(item.place),
                coverage(item.terms),
                max((coverage(one.terms) for one in item.said), default=0.0),
                coverage(before.terms) if follows and before else 0.0,
                float(subject > 0),
                float(subject < 0),
                float(all(one.sentence.question for one in item.said)),
                float(bool(follows and before and before.said[-1].sentence.question)),
                float(asked.kind == "when" and any(_states_time(one, item.turn) for one in item.said)),
                float(sum(len(one.words.tokens) for one in item.said) < 6),
            )
        )
        before = item
    return np.array(rows, float).reshape(len(spoken), len(TURN_FEATURES))


def sentence_features(asked: Asked, spoken: Spoken, coverage: Coverage) -> Floats:
    """Measure every sentence of one turn.

    Returns:
        [len(spoken.said), len(SENTENCE_FEATURES)].
    """
    rows = [
        (
            coverage(one.terms),
            float(one.sentence.question),
            float(number == 0),
            float(len(one.words.tokens) < 5),
            float(asked.kind == "when" and _states_time(one, spoken.turn)),
        )
        for number, one in enumerate(spoken.said)
    ]
    return np.array(rows, float).reshape(len(rows), len(SENTENCE_FEATURES))


def _states_time(said: Said, turn: Turn) -> bool:
    return bool(find_times(said.sentence.text, turn.time))


def _subject(asked: Asked, turn: Turn) -> int:
    """1 if the question is about who speaks here, -1 if about another speaker alone, 0 if it does not say."""
    if not asked.subjects:
        return 0
    return 1 if {name_key(turn.speaker), (turn.role or "").lower()} & asked.subjects else -1
