"""What `LexicalExtractor` knows of one conversation, turn by turn, so that a later turn costs what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from memorai.types import Turn
from memorai.write.chunks import Span
from memorai.write.coref import PronounTracker
from memorai.write.extraction import RelationMention
from memorai.write.growing import Bools, Ints, MentionColumns, MentionTable, participants
from memorai.write.names import PhraseKeys, name_key
from memorai.write.nested import NestedPhrases
from memorai.write.reading import Memo, Reader, Reading
from memorai.write.relations import POSSESSION, Statement, statements
from memorai.write.stated import Stated
from memorai.write.when import stated_start

#: a conversation is short: this many turns may always share an entity, whatever the share says
_ALWAYS_ALLOWED_DF = 10


@dataclass(frozen=True, slots=True)
class LexicalOptions:
    """The values of `LexicalExtractor`, which explains them."""

    max_words: int
    min_df: int
    max_df_share: float
    speakers: bool
    relations: bool
    nested: bool
    coreference: bool
    dates: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """What one turn holds before anything is counted over the conversation; ``shown`` has the nested phrases too."""

    spans: list[Span] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    starts: dict[Statement, datetime] = field(default_factory=dict)
    shown: list[Span] = field(default_factory=list)


class GrowingLexical:
    """Mentions and relations of a conversation that grows.

    A new turn is read, and with it those earlier ones that hold a word whose standing it has changed (a name known by
    its capital, a Chinese name or term, a nested phrase, whom a pronoun means). What is left over the whole
    conversation, the bounds of document frequencies, is arithmetic on arrays. A new participant changes what names
    mean, and everything is read again.
    """

    def __init__(self, options: LexicalOptions, language: str, memo: Memo | None = None) -> None:
        self._options, self._keys, self._memo = options, PhraseKeys(language), memo
        self._turns: list[Turn] = []
        self._begin(())

    def append(self, turns: Sequence[Turn]) -> MentionTable:
        """Read more turns and return the mentions and relations of all."""
        self._turns += turns
        speakers = participants(self._speakers, turns)
        if speakers != self._speakers:
            self._begin(speakers)
        changed = self._reader.append(self._turns[len(self._found) :])
        resolved = self._resolved(changed)
        fresh = {place: self._find(place, spans) for place, spans in resolved.items()}
        self._replace(fresh)
        return self._table()

    def _begin(self, speakers: tuple[str, ...]) -> None:
        self._speakers = speakers
        self._participants: dict[str, str] = {}
        for speaker in speakers:
            self._participants.setdefault(name_key(speaker), speaker.strip())
        self._reader = Reader(speakers, self._keys, self._options.max_words, self._memo)
        self._pronouns = PronounTracker()
        self._resolved_spans: list[list[list[Span]]] = []
        self._found: list[_Found] = []
        self._nested = NestedPhrases()
        self._columns = MentionColumns()
        self._stated = Stated(self._columns.number)
        self._places: dict[str, dict[int, None]] = {}
        self._surfaces: dict[str, Counter[str]] = {}
        self._names: list[str] = []
        self._said_so: frozenset[tuple[int, int]] = frozenset()
        for key in self._participants:
            self._name(key)

    def _resolved(self, changed: Sequence[int]) -> dict[int, list[list[Span]]]:
        """Spans by sentence, with those of pronouns, of the turns in which they may be new."""
        readings = self._reader.readings
        if not self._options.coreference:
            return {place: [reading.spans for reading in readings[place]] for place in changed}
        out: dict[int, list[list[Span]]] = {}
        dirty, place = frozenset(changed), 0
        for start in changed:
            if start < place:
                continue  # read on the way from an earlier one
            past, place = self._pronouns.rewind(start), start
            while place < len(readings):
                if place not in dirty and self._pronouns.rejoin(past):
                    break
                self._pronouns.next_turn(name_key(self._turns[place].speaker))
                spans = [self._pronouns.resolve(reading.tokens, reading.spans) for reading in readings[place]]
                if place in dirty or spans != self._resolved_spans[place]:
                    out[place] = spans
                self._resolved_spans[place : place + 1] = [spans]
                place += 1
        return out

    def _find(self, place: int, resolved: Sequence[list[Span]]) -> _Found:
        turn, found = self._turns[place], _Found()
        speaker = name_key(turn.speaker)
        for reading, spans in zip(self._reader.readings[place], resolved, strict=True):
            found.spans.extend(spans)
            if self._options.relations and speaker and not reading.sentence.question:
                self._state(found, reading, statements(reading.tokens, spans, speaker), turn.time)
        return found

    def _state(self, found: _Found, reading: Reading, stated: list[Statement], said: datetime | None) -> None:
        found.statements.extend(stated)
        start = stated_start(reading.sentence.text, said) if self._options.dates and stated else None
        if start is not None:
            for statement in stated:
                if statement.text not in POSSESSION:
                    found.starts.setdefault(statement, start)

    def _replace(self, fresh: dict[int, _Found]) -> None:
        """Put new findings in the place of the old, and count them."""
        again: dict[int, None] = dict.fromkeys(fresh)
        before = {place: self._found[place] for place in fresh if place < len(self._found)}
        for place, found in fresh.items():
            if self._options.nested:
                had = self._nested.replace(place, before[place].spans if place in before else (), found.spans)
                again.update(dict.fromkeys(self._nested.around(had)))
            self._found[place : place + 1] = [found]
        recount: dict[str, None] = {}
        for place in sorted(again):
            found = self._found[place]
            shown = self._nested.expand(found.spans) if self._options.nested else found.spans
            old = before.get(place, None if place in fresh else found)
            self._show(place, old.shown if old else None, shown, recount)
            found.shown[:] = shown
        for key in recount:
            self._count(key)
        for place, found in fresh.items():
            self._stated.put(place, found.statements, found.starts)

    def _show(self, place: int, before: Sequence[Span] | None, after: Sequence[Span], recount: dict[str, None]) -> None:
        """Set what a turn mentions, the last or an earlier one, whose keys in another form are noted in ``recount``."""
        if before is not None:
            old, new = _forms(before), _forms(after)
            for key in (*old, *new):
                if old.get(key) != new.get(key):
                    recount[key] = None
            for key in old:
                self._places[key].pop(place, None)
        for span in after:
            self._places.setdefault(span.key, {})[place] = None
        speaker = name_key(self._turns[place].speaker)
        spoken = [speaker] if self._options.speakers else []
        if before is None:
            for span in after:
                self._surfaces.setdefault(span.key, Counter())[span.name] += 1
        row = [key for key in dict.fromkeys((*spoken, *(span.key for span in after))) if key]
        for key in row:
            self._name(key)
        self._columns.put(place, row)

    def _count(self, key: str) -> None:
        forms: Counter[str] = Counter()
        for place in sorted(self._places.get(key, ())):
            forms.update(span.name for span in self._found[place].shown if span.key == key)
        self._surfaces[key] = forms
        self._name(key)

    def _name(self, key: str) -> None:
        """Show an entity in its most frequent form, of equally frequent ones in the first."""
        number = self._columns.number(key)
        forms = self._surfaces.get(key)
        name = self._participants.get(key) or (max(forms, key=forms.__getitem__) if forms else key)
        if number == len(self._names):
            self._names.append(name)
        elif self._names[number] != name:
            self._names[number] = name
            self._columns.touch(number)

    def _table(self) -> MentionTable:
        allowed = self._allowed()
        relations, ends = self._stated.relations(self._turns, allowed)
        entity, turn = self._columns.flat()
        kept = allowed[entity]
        entity, turn = entity[kept], turn[kept]
        if not self._options.speakers:
            entity, turn = self._with_subjects(entity, turn, relations)
        weight, changed = np.ones(len(entity)), self._columns.take_changed()
        return MentionTable(self._columns.keys, self._names, entity, turn, weight, changed, relations, ends)

    def _with_subjects(self, entity: Ints, turn: Ints, relations: Sequence[RelationMention]) -> tuple[Ints, Ints]:
        """Add the speakers that a turn mentions only as the "I" of a relation, at the end of the turn."""
        place = {turn.id: i for i, turn in enumerate(self._turns)}
        stated = dict.fromkeys((place[id_], relation.source) for relation in relations for id_ in relation.turn_ids)
        wanted = [(at, self._columns.number(key)) for at, key in stated if key in self._participants]
        spoken = sorted((at, number) for at, number in wanted if number not in self._columns.row(at))
        for _, number in sorted(self._said_so.symmetric_difference(spoken)):
            self._columns.touch(number)
        self._said_so = frozenset(spoken)
        extra = np.array(spoken, np.int64).reshape(-1, 2)
        turn = np.concatenate([turn, extra[:, 0]])
        order = np.argsort(turn, kind="stable")
        return np.concatenate([entity, extra[:, 1]])[order], turn[order]

    def _allowed(self) -> Bools:
        df = self._columns.turn_counts()
        most = max(_ALWAYS_ALLOWED_DF, self._options.max_df_share * len(self._turns))
        allowed = (self._options.min_df <= df) & (df <= most)
        for key in self._participants:
            allowed[self._columns.number(key)] = bool(key)
        return allowed


def _forms(spans: Sequence[Span]) -> dict[str, list[str]]:
    """The forms of each key, in order."""
    out: dict[str, list[str]] = {}
    for span in spans:
        out.setdefault(span.key, []).append(span.name)
    return out
