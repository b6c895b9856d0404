"""Entities and relations without a model: what rules and word lists can find in a conversation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.chunks import Chunker, Span
from memorai.write.coref import PronounTracker
from memorai.write.extraction import Extraction, Memo, Mention, RelationMention, Segment
from memorai.write.names import PhraseKeys, SpeakerAliases, TrueCase, name_key
from memorai.write.names_zh import find_names
from memorai.write.relations import POSSESSION, Statement, statements
from memorai.write.sentences import Sentence, tokenize, turn_sentences
from memorai.write.tagging_en import tag_english
from memorai.write.tagging_zh import cut, split_long
from memorai.write.tags import Tag, Token
from memorai.write.when import stated_start

#: a conversation is short: this many turns may always share an entity, whatever the share says
_ALWAYS_ALLOWED_DF = 10


@dataclass(frozen=True, slots=True)
class _Found:
    """What one turn holds before anything is counted over the conversation."""

    turn: Turn
    speaker: str
    spans: list[Span]
    statements: list[Statement]
    starts: dict[Statement, datetime] = field(default_factory=dict)


@dataclass(slots=True)
class _Counts:
    """Over the conversation: turns per key, surface forms per key, keys of participants."""

    df: Counter[str] = field(default_factory=Counter)
    surfaces: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    speakers: dict[str, str] = field(default_factory=dict)


class LexicalExtractor:
    """Names, noun-like phrases and speakers as entities; subject-verb-object patterns as relations.

    English and Chinese have word lists; other languages get names and stop-free runs of words at lower precision,
    and no relations worth the name. Nothing is downloaded, the same input always gives the same output.

    Args:
        max_words: longest common phrase in words, >= 1.
        min_df: an entity must occur in so many turns, >= 1; speakers are exempt.
        max_df_share: entities in more than this share of the turns (and in more than ten turns) are dropped, in
            (0, 1]; speakers are exempt.
        speakers: every turn mentions its speaker. Without it a speaker is mentioned only where a relation or the
            text names them.
        relations: look for relations.
        nested: a phrase of three words or more also mentions the longest phrase of at least two words inside it that
            stands alone elsewhere, so that "adoption agency interview" meets "adoption agency" (the nested terms of
            C-value, Frantzi et al. 2000).
        coreference: "he", "she" and "they" mention whom they mean where that is clear (memorai.write.coref).
        dates: a relation holds from the date that its sentence states (memorai.write.when); needs dateparser.

    Raises:
        InputError: for a value out of range.
    """

    def __init__(
        self,
        max_words: int = 4,
        min_df: int = 1,
        max_df_share: float = 0.2,
        speakers: bool = True,
        relations: bool = True,
        nested: bool = True,
        coreference: bool = False,
        dates: bool = False,
    ) -> None:
        if max_words < 1 or min_df < 1 or not 0 < max_df_share <= 1:
            raise InputError(
                f"LexicalExtractor: max_words={max_words}, min_df={min_df} and max_df_share={max_df_share} must be "
                ">= 1, >= 1 and in (0, 1]; set them so in conf/extractor/lexical.yaml"
            )
        self.max_words, self.min_df, self.max_df_share = max_words, min_df, max_df_share
        self.speakers, self.relations, self.nested = speakers, relations, nested
        self.coreference, self.dates = coreference, dates

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions by turn, each turn's in order of appearance, and relations by their first statement.

        Args:
            segments: of one conversation.
            language: ISO 639-1 code; chooses the stemmer. Chinese text is recognised by its characters.
        """
        return self.extract_more(segments, language, {})

    def extract_more(self, segments: Sequence[Segment], language: str, memo: Memo) -> Extraction:
        """As `extract`; a sentence is read again only if its words' standing as names or terms has changed since.

        What counts over the whole conversation (names by their capitals, document frequencies, the form shown) is
        counted anew.
        """
        turns = list({turn.id: turn for segment in segments for turn in segment.turns}.values())
        found = self._find(turns, PhraseKeys(language), memo)
        if self.nested:
            found = _add_nested(found)
        counts = self._count(found)
        allowed = self._allowed(counts, len(turns))
        names = {key: counts.speakers.get(key) or _display(counts.surfaces[key]) for key in allowed}
        return Extraction(tuple(self._mentions(found, names)), tuple(_merge(found, names)))

    def _find(self, turns: Sequence[Turn], keys: PhraseKeys, memo: Memo) -> list[_Found]:
        speakers = tuple(dict.fromkeys(turn.speaker for turn in turns))
        sentences = [_sentences(turn, memo) for turn in turns]
        truecase = TrueCase(tokens for per_turn in sentences for _, tokens in per_turn)
        reader = _Reader(Chunker(keys, SpeakerAliases(speakers), self.max_words), truecase, speakers, memo)
        reader.learn([tokens for per_turn in sentences for _, tokens in per_turn])
        pronouns = PronounTracker()
        out: list[_Found] = []
        for turn, per_turn in zip(turns, sentences, strict=True):
            here = _Found(turn, name_key(turn.speaker), [], [])
            pronouns.next_turn(here.speaker)
            for sentence, raw in per_turn:
                tokens, spans = reader.read(sentence.text, raw)
                resolved = pronouns.resolve(tokens, spans) if self.coreference else spans
                here.spans.extend(resolved)
                if self.relations and not sentence.question and here.speaker:
                    stated = statements(tokens, resolved, here.speaker)
                    self._state(here, sentence.text, stated)
            out.append(here)
        return out

    def _state(self, here: _Found, text: str, stated: list[Statement]) -> None:
        here.statements.extend(stated)
        start = stated_start(text, here.turn.time) if self.dates and stated else None
        if start is not None:
            for statement in stated:
                if statement.text not in POSSESSION:
                    here.starts.setdefault(statement, start)

    def _count(self, found: Sequence[_Found]) -> _Counts:
        counts = _Counts()
        for here in found:
            counts.speakers.setdefault(here.speaker, here.turn.speaker.strip())
            counts.df.update(list(dict.fromkeys(span.key for span in here.spans)))
            for span in here.spans:
                counts.surfaces[span.key][span.name] += 1
        return counts

    def _allowed(self, counts: _Counts, turns: int) -> list[str]:
        most = max(_ALWAYS_ALLOWED_DF, self.max_df_share * turns)
        common = [key for key, df in counts.df.items() if self.min_df <= df <= most and key not in counts.speakers]
        return [key for key in [*counts.speakers, *common] if key]

    def _mentions(self, found: Sequence[_Found], names: dict[str, str]) -> Iterable[Mention]:
        for here in found:
            stated = [
                key for s in here.statements if s.source in names and s.target in names for key in (s.source, s.target)
            ]
            spoken = [here.speaker] if self.speakers else []
            for key in dict.fromkeys([*spoken, *(span.key for span in here.spans), *stated]):
                if key in names:
                    yield Mention(key, names[key], here.turn.id)


def _sentences(turn: Turn, memo: Memo) -> list[tuple[Sentence, list[Token]]]:
    """Sentences with their raw tokens, which nobody changes."""
    key = ("sentences", turn.text, turn.caption)
    if key not in memo:
        memo[key] = [(sentence, tokenize(sentence.text)) for sentence in turn_sentences(turn)]
    return memo[key]


def _display(surfaces: Counter[str]) -> str:
    """The most frequent surface; of equally frequent ones the first seen."""
    return max(surfaces, key=lambda name: surfaces[name])


def _merge(found: Sequence[_Found], names: dict[str, str]) -> Iterable[RelationMention]:
    """One relation per (source, text, target), with every turn that states it and the first date stated with it."""
    turns: dict[Statement, dict[str, None]] = {}
    starts: dict[Statement, datetime] = {}
    for here in found:
        starts = here.starts | starts
        for statement in here.statements:
            if statement.source in names and statement.target in names:
                turns.setdefault(statement, {})[here.turn.id] = None
    return (RelationMention(s.source, s.text, s.target, tuple(ids), starts.get(s)) for s, ids in turns.items())


class _Reader:
    """Reads sentences with what the conversation says of its words, and remembers what it read.

    Args:
        chunker: finds the spans.
        truecase: knows the names.
        speakers: display names, which Chinese text holds without spaces around.
        memo: tokens and spans by sentence and by what else they depend on.
    """

    def __init__(self, chunker: Chunker, truecase: TrueCase, speakers: tuple[str, ...], memo: Memo) -> None:
        self._chunker, self._truecase, self._memo = chunker, truecase, memo
        self._speakers = speakers
        self._names = speakers
        self._long: dict[str, tuple[str, ...]] = {}

    def learn(self, sentences: Sequence[Sequence[Token]]) -> None:
        """Find the Chinese names and terms of the conversation."""
        runs = [token.text for tokens in sentences for token in tokens if token.cjk and token.tag is None]
        self._names = (*self._speakers, *find_names(runs))
        self._long = split_long(token.text for run in runs for token in self._cut(run) if token.tag is Tag.NOUN)

    def read(self, text: str, raw: Sequence[Token]) -> tuple[list[Token], list[Span]]:
        """Return the sentence's tagged tokens and its spans; both belong to the memo and stay as they are."""
        tokens = [part for token in raw for part in self._parts(token)]
        named = tuple(index for index, token in enumerate(tokens) if self._truecase.is_name(token))
        cut_up = tuple((token.text, token.tag) for token in tokens if token.cjk)
        key = ("read", text, self._speakers, named, cut_up)
        if key not in self._memo:
            tokens = [replace(token) for token in tokens]
            tag_english(tokens, self._truecase)
            self._memo[key] = tokens, self._chunker.spans(tokens)
        return self._memo[key]

    def _parts(self, token: Token) -> Sequence[Token]:
        if not token.cjk or token.tag is not None:
            return (token,)
        return [part for piece in self._cut(token.text) for part in self._split(piece)]

    def _cut(self, run: str) -> list[Token]:
        key = ("cut", run, tuple(name for name in self._names if name and name in run))
        if key not in self._memo:
            self._memo[key] = cut(run, key[2])
        return self._memo[key]

    def _split(self, token: Token) -> Sequence[Token]:
        """The parts of a long Chinese piece."""
        parts = self._long.get(token.text) if token.tag is Tag.NOUN else None
        return [replace(token, text=part, lower=part.casefold()) for part in parts] if parts else (token,)


def _add_nested(found: Sequence[_Found]) -> list[_Found]:
    """Add to each phrase the longest phrase inside it that is an entity elsewhere."""
    alone = {span.key: span.name for here in found for span in here.spans if not span.proper}
    out = []
    for here in found:
        spans: list[Span] = []
        for span in here.spans:
            spans.append(span)
            inner = None if span.proper else _inner(span.key.split(" "), alone)
            if inner is not None:
                spans.append(replace(span, key=inner, name=alone[inner]))
        out.append(replace(here, spans=spans))
    return out


def _inner(words: list[str], alone: dict[str, str]) -> str | None:
    """Longest proper run of ``words`` in ``alone``, the last one of equal length: heads stand at the end."""
    for size in range(len(words) - 1, 1, -1):
        for start in range(len(words) - size, -1, -1):
            key = " ".join(words[start : start + size])
            if key in alone:
                return key
    return None
