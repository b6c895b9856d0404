"""The write path, turn by turn: what a turn mentions and states, its vector, its index terms, its gate score.

A turn is read with the few turns before it in its session and nothing else. So the work for a turn does not
grow with the store, and how messages are grouped into batches changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memorai.graph.store.records import NewTurn, Statement, StoredTurn, micros
from memorai.graph.store.users import LONGEST_NAME
from memorai.graph.store.vectors import pack_terms, pack_vector
from memorai.index.tokenize import Tokenizer
from memorai.models.embedders import Embedder
from memorai.recall.language import language_of
from memorai.types import Turn
from memorai.write.extraction import Extraction, Extractor, RelationMention, Segment
from memorai.write.gate import Gate
from memorai.write.lexical import WindowLexicalExtractor
from memorai.write.names import name_key
from memorai.write.predicates import read_predicate
from memorai.write.profile import profile_statements
from memorai.write.sentences import Sentence, turn_sentences
from memorai.write.summarize import summarize
from memorai.write.validity import validity

#: of a long message so many characters are scored, summarised, embedded and read for entities; all of it is stored and
#: indexed by words
READ_CHARACTERS = 8_000


class Preparer:
    """Makes rows of turns.

    Args:
        embedder: gives vectors; turns in languages that it does not know get none.
        text_format: what embedder and BM25 see of a turn.
        tokenizer: makes index terms.
        gate: scores turns; the caller decides what to do with the score.
        extractor: finds entities and relations in a turn and the turns before it.
        language: of texts whose script does not tell.
        context_turns: turns before the new one that extractor and gate see.
    """

    def __init__(
        self,
        embedder: Embedder,
        text_format: Callable[[Turn], str],
        tokenizer: Tokenizer,
        gate: Gate,
        extractor: Extractor | None = None,
        language: str = "en",
        context_turns: int = 6,
    ) -> None:
        self.embedder, self.text_format, self.tokenizer, self.gate = embedder, text_format, tokenizer, gate
        # one turn and its neighbours are no statistics: nothing is too frequent among them
        self.extractor = extractor or WindowLexicalExtractor(max_df_share=1.0, coreference=True)
        self.language, self.context_turns = language, context_turns

    def score(self, turn: Turn, before: Sequence[Turn]) -> float:
        """Return the gate's score of a turn after the turns before it in its session."""
        window = [_shortened(other) for other in (*_last(before, self.context_turns), turn)]
        segment = Segment(turn.session_id, tuple(window))
        return float(self.gate.score([segment], language_of(turn.text, self.language))[turn.id])

    def rows(
        self, turns: Sequence[Turn], before: Sequence[Sequence[Turn]], gates: Sequence[float], recorded: Sequence[int]
    ) -> list[NewTurn]:
        """Return what is stored of turns; ``before`` holds for each the turns before it in its session."""
        derived = self.derive(turns)
        out = []
        for turn, context, gate, moment, (vector, terms, body) in zip(
            turns, before, gates, recorded, derived, strict=True
        ):
            mentions, statements = self._read(turn, _last(context, self.context_turns))
            out.append(
                NewTurn(
                    id=turn.id,
                    session=turn.session_id,
                    speaker=turn.speaker,
                    text=turn.text,
                    role=turn.role,
                    caption=turn.caption,
                    time=None if turn.time is None else micros(turn.time),
                    time_text=None if turn.time is None else turn.time.isoformat(),
                    recorded=moment,
                    gate=gate,
                    vector=vector,
                    terms=terms,
                    body=body,
                    mentions=mentions,
                    statements=statements,
                )
            )
        return out

    def derive(self, turns: Sequence[Turn]) -> list[tuple[bytes, bytes, int]]:
        """Return vector bytes, term bytes and the number of own terms of turns."""
        languages = [language_of(turn.text, self.language) for turn in turns]
        known = self.embedder.languages
        fluent = [i for i, language in enumerate(languages) if known is None or language in known]
        vectors = [b""] * len(turns)
        if fluent:
            found = self.embedder.embed([self.text_format(_shortened(turns[i])) for i in fluent])
            for i, row in zip(fluent, found, strict=True):
                vectors[i] = pack_vector(row) if row.any() else b""
        out = []
        for turn, language, vector in zip(turns, languages, vectors, strict=True):
            own = self.tokenizer(f"{turn.text} {turn.caption or ''}", language)
            head = self.tokenizer(self.text_format(replace(turn, text="", caption=None)), language)
            out.append((vector, pack_terms([*head, *own]), len(own)))
        return out

    def derive_stored(self, turns: Sequence[StoredTurn]) -> list[tuple[bytes, bytes, int]]:
        """As `derive`, of turns as they stand in the store: for repairs."""
        return self.derive([as_turn(turn) for turn in turns])

    def _read(self, turn: Turn, context: Sequence[Turn]) -> tuple[dict[str, tuple[str, float]], tuple[Statement, ...]]:
        language = language_of(turn.text, self.language)
        short = _shortened(turn)
        window = (*(_shortened(other) for other in context if other.id != turn.id), short)
        extraction = self._extract(window, language)
        mentions = {m.key: (m.name, m.weight) for m in extraction.mentions if m.turn_id == turn.id}
        mentions.setdefault(name_key(turn.speaker), (turn.speaker, 1.0))
        sentences = turn_sentences(short)
        names = {m.key: m.name for m in extraction.mentions}
        found: dict[tuple[str, str, str], Statement] = {}
        for relation in extraction.relations:
            if turn.id in relation.turn_ids:
                said = _statement(relation, sentences, names, turn.time)
                found.setdefault((said.subject, said.kind or said.predicate, said.object), said)
        for sentence in sentences:
            for said, name in _profile(sentence, turn, mentions):
                key = (said.subject, said.kind or said.predicate, said.object)
                if key not in found:
                    found[key] = said
                    mentions.setdefault(said.object, (name, 1.0))
        # an identifier of a page's length is no name, and no index takes it
        mentions = {key: value for key, value in mentions.items() if 0 < len(key) <= LONGEST_NAME}
        kept = (s for s in found.values() if s.subject in mentions and s.object in mentions and s.subject != s.object)
        return mentions, tuple(kept)

    def _extract(self, window: tuple[Turn, ...], language: str) -> Extraction:
        return self.extractor.extract([Segment(window[-1].session_id, window)], language)


def segment_summary(turns: Sequence[Turn]) -> str:
    """Return the summary of a segment's turns, of long ones by what of them is read."""
    return summarize([_shortened(turn) for turn in turns])


def as_turn(stored: StoredTurn) -> Turn:
    """The plain value of a stored turn."""
    return Turn(stored.id, stored.session, stored.speaker, stored.text, stored.when, stored.caption, stored.role)


def _last(turns: Sequence[Turn], count: int) -> Sequence[Turn]:
    return turns[-count:] if count else ()


def _shortened(turn: Turn) -> Turn:
    return turn if len(turn.text) <= READ_CHARACTERS else replace(turn, text=turn.text[:READ_CHARACTERS])


def _statement(
    relation: RelationMention, sentences: Sequence[Sentence], names: dict[str, str], anchor: datetime | None
) -> Statement:
    sentence = _sentence_of(relation, sentences, names)
    reading = read_predicate(relation.text, sentence)
    begin, end = validity(sentence, anchor, reading.past)
    if relation.valid_from is not None or relation.valid_to is not None:
        begin, end = relation.valid_from, relation.valid_to
    denied = reading.denied and not any(mark in relation.text for mark in ("n't", "not", "no ", "不", "没"))
    return Statement(
        subject=relation.source,
        predicate=f"no longer {relation.text}" if denied else relation.text,
        object=relation.target,
        kind=reading.kind,
        valid_from=None if begin is None else micros(begin),
        valid_to=None if end is None else micros(end),
        past=reading.past,
    )


def _sentence_of(relation: RelationMention, sentences: Sequence[Sentence], names: dict[str, str]) -> str:
    """The sentence that makes a statement: the first with the object's name and the predicate's last word."""
    name = names.get(relation.target, relation.target).casefold()
    word = relation.text.split()[-1] if relation.text.split() else ""
    both = [s.text for s in sentences if name in s.text.casefold() and word in s.text.casefold()]
    either = [s.text for s in sentences if name in s.text.casefold()]
    return next(iter([*both, *either, *(s.text for s in sentences)]), "")


def _profile(sentence: Sentence, turn: Turn, mentions: dict[str, tuple[str, float]]) -> list[tuple[Statement, str]]:
    if sentence.question:
        return []
    out = []
    for found in profile_statements(sentence.text):
        subject = name_key(turn.speaker) if found.subject is None else name_key(found.subject)
        if subject not in mentions:
            continue
        reading = read_predicate(found.predicate, sentence.text)
        if reading.denied:
            continue
        begin, end = validity(sentence.text, turn.time, reading.past)
        said = Statement(
            subject,
            found.predicate,
            name_key(found.object),
            reading.kind,
            None if begin is None else micros(begin),
            None if end is None else micros(end),
            reading.past,
        )
        out.append((said, found.object))
    return out
