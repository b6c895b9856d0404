"""Entity spans of a sentence: names, and noun-like phrases between bounding words (after RAKE, Rose et al. 2010)."""

from __future__ import annotations

from dataclasses import dataclass

from memorai.write.names import PhraseKeys, SpeakerAliases, is_capitalised, name_key, starts
from memorai.write.tags import Tag, Token, join

_CHUNK = (Tag.NAME, Tag.NOUN, Tag.ADJECTIVE)
_EXTENDS_NAME = (Tag.NOUN, Tag.ADJECTIVE, Tag.VERB)
_CONNECTORS = frozenset(("of", "the", "de", "la", "&", "van", "von"))
_MAX_CONNECTORS = 2


@dataclass(frozen=True, slots=True)
class Span:
    """An entity in a sentence: tokens ``start`` to ``end`` (exclusive). ``speaker`` marks a participant's name."""

    start: int
    end: int
    key: str
    name: str
    proper: bool
    speaker: bool = False


class Chunker:
    """Finds the entity spans of tagged sentences.

    Args:
        keys: makes the key of a common phrase.
        aliases: resolves names of participants.
        max_words: longest common phrase; of a longer one the last words stay, where English has its head.
    """

    def __init__(self, keys: PhraseKeys, aliases: SpeakerAliases, max_words: int = 4) -> None:
        self._keys, self._aliases, self._max_words = keys, aliases, max_words

    def spans(self, tokens: list[Token]) -> list[Span]:
        """Return the spans in order of their start, longer first. Retags capitalised neighbours of names as names."""
        _extend_names(tokens)
        _connect_names(tokens)
        out: list[Span] = []
        start = 0
        while start < len(tokens):
            end = start
            while end < len(tokens) and tokens[end].tag in _CHUNK and (end == start or _continues(tokens, end)):
                end += 1
            out += self._run(tokens, start, end)
            start = max(end, start + 1)
        return out

    def _run(self, tokens: list[Token], start: int, end: int) -> list[Span]:
        while start < end and tokens[start].tag is Tag.ADJECTIVE:
            start += 1
        while start < end and tokens[end - 1].tag is Tag.ADJECTIVE:
            end -= 1
        if start == end:
            return []
        names = self._names(tokens, start, end)
        participants = [span for span in names if span.speaker]
        if participants:
            # a participant's name is no part of a phrase: "Mel painting" is Mel and painting
            out: list[Span] = []
            for cut in participants:
                out += [*self._run(tokens, start, cut.start), cut]
                start = cut.end
            return out + self._run(tokens, start, end)
        if len(names) == 1 and (names[0].start, names[0].end) == (start, end):
            return names
        phrase = self._phrase(tokens, max(start, end - self._max_words), end)
        return sorted([phrase, *names], key=lambda span: (span.start, -span.end))

    def _names(self, tokens: list[Token], start: int, end: int) -> list[Span]:
        out: list[Span] = []
        index = start
        while index < end:
            stop = index
            while stop < end and tokens[stop].tag is Tag.NAME:
                stop += 1
            if stop > index:
                out.append(self._name(tokens, index, stop))
            index = max(stop, index + 1)
        return [span for span in out if span.key]

    def _name(self, tokens: list[Token], start: int, end: int) -> Span:
        name = join(tokens[start:end])
        speaker = self._aliases.resolve(name)
        return Span(start, end, speaker or name_key(name), name, proper=True, speaker=speaker is not None)

    def _phrase(self, tokens: list[Token], start: int, end: int) -> Span:
        words = tokens[start:end]
        shown = [Token(t.text if t.cjk or t.tag is Tag.NAME else t.lower, t.lower, t.tag, cjk=t.cjk) for t in words]
        return Span(start, end, self._keys(token.lower for token in words), join(shown), proper=False)


def _continues(tokens: list[Token], index: int) -> bool:
    """Chinese pieces and quoted titles are entities of their own."""
    token, before = tokens[index], tokens[index - 1]
    return not (token.cjk or before.cjk or token.title or before.title)


def _extend_names(tokens: list[Token]) -> None:
    """Capitalised neighbours of a name belong to it: "Yellowstone" makes "National Park" part of the name."""
    for order in (range(1, len(tokens)), range(len(tokens) - 2, -1, -1)):
        step = -1 if order.step > 0 else 1
        for index in order:
            token, neighbour = tokens[index], tokens[index + step]
            joins = neighbour.tag is Tag.NAME and token.tag in _EXTENDS_NAME and not (token.cjk or neighbour.title)
            if joins and is_capitalised(token) and not starts(tokens, index):
                token.tag = Tag.NAME


def _connect_names(tokens: list[Token]) -> None:
    """Tag "of the" in "Lord of the Rings" as part of the name."""
    for index in range(1, len(tokens)):
        if tokens[index - 1].tag is not Tag.NAME or tokens[index].lower not in _CONNECTORS:
            continue
        end = index
        while end < len(tokens) and tokens[end].lower in _CONNECTORS and end - index < _MAX_CONNECTORS:
            end += 1
        if end < len(tokens) and tokens[end].tag is Tag.NAME and not tokens[end].title:
            for token in tokens[index:end]:
                token.tag = Tag.NAME
