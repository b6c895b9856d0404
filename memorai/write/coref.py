"""Third-person pronouns by rule: resolved where one person alone can be meant, left alone everywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorai.write.chunks import Span
from memorai.write.lexicon_people import PEOPLE, PERSON_VERBS, PLURAL_PEOPLE
from memorai.write.tags import Tag, Token

_SINGULAR = frozenset(("he", "she", "him", "他", "她"))
_PLURAL = frozenset(("they", "them", "他们", "她们"))
_POSSESSIVES = frozenset(("my", "our", "his", "their", "your", "我", "我的", "我们的", "你的", "他的", "她的"))


#: who was named in a turn: key -> name, plural
_Named = dict[str, tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a `PronounTracker` knew of the turns from ``start`` on."""

    start: int
    turns: list[_Named]
    speakers: list[str]
    known: dict[str, int]


class PronounTracker:
    """Follows who was mentioned, turn by turn, and says whom a pronoun means.

    A pronoun is resolved only if exactly one person of its number was named in this turn before it or in the
    ``reach`` turns before. Nobody's gender is guessed. Who speaks in these turns is "I" and "you" and never meant.
    A person is a kin or role term with a possessive ("my sister"), a name after such a term ("my friend Emma"), a
    name before a verb that takes a person ("Emma said"), or a Chinese name. It sees no later turn.

    Args:
        reach: turns before the current one, >= 0.
    """

    def __init__(self, reach: int = 2) -> None:
        self._reach = reach
        self._turns: list[_Named] = []
        self._speakers: list[str] = []
        self._known: dict[str, int] = {}  # names that are people's, and since which turn

    def next_turn(self, speaker: str) -> None:
        """Begin a turn; ``speaker`` is the key of who speaks."""
        self._turns.append({})
        self._speakers.append(speaker)

    def rewind(self, turn: int) -> Forgotten:
        """Forget turn ``turn`` (from 0) and those after it, which are to be read again; return what was known."""
        past = self._turns[turn:], self._speakers[turn:], self._known
        del self._turns[turn:], self._speakers[turn:]
        self._known = {key: since for key, since in self._known.items() if since < turn}
        return Forgotten(turn, *past)

    def rejoin(self, past: Forgotten) -> bool:
        """Take back the turns not yet read again, if nothing that they depend on has changed; else do nothing."""
        here = len(self._turns)
        since = max(past.start, here - self._reach)
        same = self._turns[since:] == past.turns[since - past.start : here - past.start]
        if not same or self._known != {key: turn for key, turn in past.known.items() if turn < here}:
            return False
        self._turns += past.turns[here - past.start :]
        self._speakers += past.speakers[here - past.start :]
        self._known = past.known
        return True

    def resolve(self, tokens: list[Token], spans: Sequence[Span]) -> list[Span]:
        """Return ``spans`` of a sentence of this turn, and one for each pronoun that is clear, in order of start."""
        here = self._turns[-1]
        people = {span.end: span for span in spans if self._is_person(tokens, span)}
        out = list(spans)
        for index, token in enumerate(tokens):
            plural = _number(tokens, index)
            if plural is not None:
                meant = self._candidates(plural)
                if len(meant) == 1:
                    key, name = meant[0]
                    here[key] = (name, plural)
                    out.append(Span(index, index + 1, key, name, proper=True))
            elif index + 1 in people:
                span = people[index + 1]
                here[span.key] = (span.name, token.lower in PLURAL_PEOPLE)
        return sorted(out, key=lambda span: (span.start, -span.end))

    def _candidates(self, plural: bool) -> list[tuple[str, str]]:
        first = max(0, len(self._turns) - self._reach - 1)
        found = {key: value for turn in self._turns[first:] for key, value in turn.items()}
        absent = self._speakers[first:]
        return [(key, name) for key, (name, many) in found.items() if many is plural and key not in absent]

    def _is_person(self, tokens: list[Token], span: Span) -> bool:
        if not span.proper:
            before = tokens[span.start - 1].lower if span.start else ""
            single = span.end - span.start == 1
            return single and before in _POSSESSIVES and tokens[span.start].lower in PEOPLE | PLURAL_PEOPLE
        if tokens[span.start].title:
            return False
        role = span.start > 0 and tokens[span.start - 1].lower in PEOPLE
        speaks = span.end < len(tokens) and tokens[span.end].lower in PERSON_VERBS
        if role or speaks or span.speaker or tokens[span.start].cjk:
            self._known.setdefault(span.key, len(self._turns) - 1)
        return span.key in self._known


def _number(tokens: list[Token], index: int) -> bool | None:
    """True for a plural third-person pronoun, False for a singular one, None for any other word."""
    token = tokens[index]
    if token.lower == "her":  # the tagger reads a determiner; it is one only before a noun phrase
        following = tokens[index + 1].tag if index + 1 < len(tokens) else None
        nominal = following in (Tag.NOUN, Tag.NAME, Tag.ADJECTIVE, Tag.NUMBER, Tag.VERB, Tag.STOP)
        return None if nominal else False
    if token.tag is not Tag.PRONOUN:
        return None
    return token.lower in _PLURAL if token.lower in _SINGULAR | _PLURAL else None
