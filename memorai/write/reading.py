"""Reads the turns of a conversation that grows: what a later turn teaches about a word, earlier turns are read with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memorai.types import Turn
from memorai.write.chunks import Chunker, Span
from memorai.write.names import PhraseKeys, SpeakerAliases, TrueCase, is_capitalised
from memorai.write.sentences import Sentence, tokenize, turn_sentences
from memorai.write.tagging_en import tag_english
from memorai.write.tags import Token
from memorai.write.words_zh import ChineseWords

#: sentences with their raw tokens, which nobody changes
_Raw = list[tuple[Sentence, list[Token]]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence with its tagged tokens and its entities; both belong to the reader and stay as they are."""

    sentence: Sentence
    tokens: list[Token]
    spans: list[Span]


class Memo:
    """What reading a sentence has given, so that it need not be read again the same way.

    Args:
        size: sentences that are remembered; one more, and it begins anew.
    """

    def __init__(self, size: float = float("inf")) -> None:
        self._size = size
        self._texts: dict[tuple[str, str | None], _Raw] = {}
        self._readings: dict[tuple[object, ...], Reading] = {}

    def sentences(self, turn: Turn) -> _Raw:
        """Sentences of a turn with their raw tokens."""
        key = (turn.text, turn.caption)
        found = self._texts.get(key)
        if found is None:
            found = [(sentence, tokenize(sentence.text)) for sentence in turn_sentences(turn)]
            if len(self._texts) >= self._size:
                self._texts.clear()
            self._texts[key] = found
        return found

    def reading(self, key: tuple[object, ...], read: Callable[[], Reading]) -> Reading:
        """What was read under a key, which must hold all that the reading depends on."""
        found = self._readings.get(key)
        if found is None:
            found = read()
            if len(self._readings) >= self._size:
                self._readings.clear()
            self._readings[key] = found
        return found


class Reader:
    """Reads turns, and reads those again in which a word has become a name or a term, or is one no more.

    Args:
        speakers: display names of the participants, in order.
        keys: makes the keys of common phrases.
        max_words: longest common phrase.
        memo: of other conversations, which then serves this one, too.
    """

    def __init__(self, speakers: Sequence[str], keys: PhraseKeys, max_words: int, memo: Memo | None = None) -> None:
        self.readings: list[list[Reading]] = []
        self._chunker = Chunker(keys, SpeakerAliases(speakers), max_words)
        self._truecase, self._chinese = TrueCase(), ChineseWords(speakers)
        self._raw: list[_Raw] = []
        self._holders: dict[str, dict[int, None]] = {}  # capitalised word or Chinese run -> turns
        self._memo = memo or Memo()
        self._setting = (tuple(speakers), keys.language, max_words)

    def append(self, turns: Sequence[Turn]) -> list[int]:
        """Read more turns; return the places of the turns whose reading is new, earlier ones included, increasing."""
        first = len(self._raw)
        fresh = [self._memo.sentences(turn) for turn in turns]
        tokens = [raw for per_turn in fresh for _, raw in per_turn]
        turned = self._truecase.add(tokens)
        turned += self._chinese.add(token.text for raw in tokens for token in raw if _is_run(token))
        stale = sorted({place for word in turned for place in self._holders.get(word, ())})
        for place, per_turn in enumerate(fresh, first):
            for word in _telling(per_turn):
                self._holders.setdefault(word, {})[place] = None
        self._raw += fresh
        changed = []
        for place in stale:
            again = [self._read(*sentence) for sentence in self._raw[place]]
            if any(new is not old for new, old in zip(again, self.readings[place], strict=True)):
                self.readings[place] = again
                changed.append(place)
        self.readings += [[self._read(*sentence) for sentence in per_turn] for per_turn in fresh]
        return [*changed, *range(first, len(self._raw))]

    def _read(self, sentence: Sentence, raw: Sequence[Token]) -> Reading:
        tokens = [part for token in raw for part in (self._chinese.words(token.text) if _is_run(token) else (token,))]
        named = tuple(index for index, token in enumerate(tokens) if self._truecase.is_name(token))
        cut_up = tuple((token.text, token.tag) for token in tokens if token.cjk)

        def read() -> Reading:
            own = [replace(token) for token in tokens]
            tag_english(own, self._truecase)
            return Reading(sentence, own, self._chunker.spans(own))

        return self._memo.reading((self._setting, sentence, named, cut_up), read)


def _is_run(token: Token) -> bool:
    return token.cjk and token.tag is None


def _telling(sentences: _Raw) -> Iterator[str]:
    """Words on whose standing the reading depends."""
    for _, tokens in sentences:
        for token in tokens:
            if _is_run(token):
                yield token.text
            elif token.tag is None and is_capitalised(token):
                yield token.lower
