"""Entity resolution: which of the entities that an extractor found are one, and which one is several."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from memorai.errors import InputError
from memorai.models.embedders import Embedder
from memorai.types import Turn
from memorai.write.extraction import Extraction
from memorai.write.lexicon_people import NICKNAMES
from memorai.write.names import SpeakerAliases, name_key
from memorai.write.owners import split_by_owner
from memorai.write.plurals import plural_groups
from memorai.write.resolution import Decision, Reason, Resolution, apply
from memorai.write.roles import role_groups
from memorai.write.traditional import simplified

_LOG = logging.getLogger(__name__)
# separators of a name, but not the point of a number
_SEPARATORS = re.compile(r"(?<!\d)[\s\-‐-―_'’.·・]+|[\s\-‐-―_'’.·・]+(?!\d)")
_ONE_EDIT, _TWO_EDITS = 6, 11  # shortest names, in characters, that may differ by so many edits
_RARE, _TIMES = 2, 3  # a misspelling occurs at most so often, and the right form so many times as often


class EntityResolver:
    """Resolves entities in seven steps, the surest first; each step sees what the ones before decided.

    1. *Splits*: people of one word or name are kept apart by whose they are (memorai.write.owners).
    2. *Form*: names equal after NFKC, case folding and the removal of spaces, hyphens, points and apostrophes.
       Characters of every script count, so 苹果 is never 香蕉 and "résumé" never "resume"; 蘋果 is 苹果.
    3. *Plurals*: common English names that differ in the number of their last word ("cat", "cats").
    4. *Roles*: what Ann calls "my sister" is "Ann's sister" (memorai.write.roles).
    5. *Aliases*: the given table; then a speaker's short name ("Mel" for Melanie, "Bob" for Robert) where it fits one
       speaker alone.
    6. *Near-duplicates*: a rare capitalised name one edit (from 11 letters two) away from one at least three times
       as frequent, with the same first and last letter, words and digits. Participants are never touched.
    7. *Embeddings*, if ``embedding`` is set: names whose cosine reaches it, none of them capitalised, with the same
       digits, in a script that the embedder knows.

    Args:
        splits: do step 1.
        aliases: alternative name -> name.
        plurals: do step 3.
        roles: do step 4.
        nicknames: do the second half of step 5.
        similar: do step 6; needs rapidfuzz.
        embedding: cosine in (0, 1] of step 7; None = skip it.
        embedder: for step 7; None = the system hands over its own by `prepare`.

    Raises:
        InputError: a value out of range, or a package is missing.
    """

    def __init__(
        self,
        splits: bool = True,
        aliases: Mapping[str, str] | None = None,
        nicknames: bool = True,
        similar: bool = True,
        embedding: float | None = None,
        embedder: Embedder | None = None,
        plurals: bool = True,
        roles: bool = True,
    ) -> None:
        if embedding is not None and not 0 < embedding <= 1:
            raise InputError(f"EntityResolver: embedding={embedding} must be in (0, 1], or null for no such step")
        self.splits, self.nicknames, self.similar = splits, nicknames, similar
        self.plurals, self.roles = plurals, roles
        self.aliases = dict(aliases or {})
        self.embedding, self.embedder = embedding, embedder
        self._distance = _osa_distance() if similar else None

    def prepare(self, embedder: Embedder, text_format: Callable[[Turn], str]) -> None:
        """Take the run's embedder where none of its own is set."""
        self.embedder = self.embedder or embedder

    def __call__(self, extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
        """Return the resolved extraction; `resolve` also returns how it came about."""
        return self.resolve(extraction, turns).extraction

    def resolve(self, extraction: Extraction, turns: Sequence[Turn]) -> Resolution:
        """Decide, and log each decision at level DEBUG.

        Args:
            extraction: of one conversation.
            turns: that it was made from, in order.
        """
        decisions: list[Decision] = []
        found: list[Decision] = []
        entities: _Entities | None = None
        speakers = dict.fromkeys(turn.speaker.strip() for turn in turns if turn.speaker.strip())
        for step in (self._split, self._form, self._plural, self._role, self._alias, self._similar, self._embedding):
            if found or entities is None:
                entities = _Entities(apply(extraction, decisions), speakers, _split_keys(decisions))
            found = step(entities, turns)
            decisions += found
        for decision in decisions:
            _LOG.debug("%s", decision)
        return Resolution(extraction, tuple(decisions))

    def _split(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        return split_by_owner(entities.names, _mentioned(entities, turns)) if self.splits else []

    def _form(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        groups: dict[str, list[str]] = {}
        for key, name in entities.names.items():
            if form := folded(name):
                groups.setdefault(form, []).append(key)
        return [d for keys in groups.values() for d in entities.merge("form", keys)]

    def _plural(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        if not self.plurals:
            return []
        by_name: dict[str, str] = {}
        for key, name in entities.names.items():
            if key not in entities.fixed:
                by_name.setdefault(name, key)
        groups = plural_groups(by_name)
        return [d for group in groups for d in entities.merge("plural", [by_name[name] for name in group])]

    def _role(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        if not self.roles:
            return []
        groups = role_groups(entities.names, _mentioned(entities, turns))
        return [d for keys in groups for d in entities.merge("role", keys)]

    def _alias(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        by_form = {folded(name): key for key, name in reversed(entities.names.items())}
        out: list[Decision] = []
        for alias, name in self.aliases.items():
            source, target = by_form.get(folded(alias)), by_form.get(folded(name), name_key(name))
            if source is not None and source != target:
                out.append(Decision("alias", source, target, entities.names.get(target, name)))
        if self.nicknames:
            taken = {decision.source for decision in out}
            out += (d for d in self._nicknames(entities, by_form) if d.source not in taken)
        return out

    def _nicknames(self, entities: _Entities, by_form: Mapping[str, str]) -> Iterator[Decision]:
        aliases = SpeakerAliases(entities.speakers)
        shown = {name_key(speaker): speaker for speaker in entities.speakers}
        firsts = Counter(key.split(" ")[0] for key in shown)
        for key, name in entities.names.items():
            if key in entities.fixed or not is_proper(name) or name_key(name) in shown:
                continue
            speaker = aliases.resolve(name)
            if speaker is not None and _nearly(name_key(name), speaker):
                continue
            full = NICKNAMES.get(name_key(name), "")
            if speaker is None and firsts[full] == 1:
                speaker = next(s for s in shown if s.split(" ")[0] == full)
            if speaker is not None:
                target = by_form.get(folded(shown[speaker]), speaker)
                if target != key:
                    yield Decision("alias", key, target, shown[speaker])

    def _similar(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        if self._distance is None:
            return []
        blocks: dict[tuple[str, str, int, str], list[str]] = {}
        for key, name in entities.names.items():
            form = name_key(name)
            if key not in entities.fixed and is_proper(name) and _is_latin(form) and len(form) >= _ONE_EDIT:
                blocks.setdefault((form[0], form[-1], len(form.split()), _digits(form)), []).append(key)
        out: dict[str, Decision] = {}
        for a, b in (pair for keys in blocks.values() for pair in combinations(keys, 2)):
            rare, common = sorted((a, b), key=lambda key: len(entities.turn_ids[key]))
            count = len(entities.turn_ids[rare])
            if rare in out or count > _RARE or len(entities.turn_ids[common]) < _TIMES * count:
                continue
            one, other = name_key(entities.names[rare]), name_key(entities.names[common])
            edits = self._distance(one, other)
            length = min(len(one), len(other))
            if edits <= (2 if length >= _TWO_EDITS else 1):
                score = 1 - edits / max(len(one), len(other))
                out[rare] = Decision("similar", rare, common, entities.names[common], score=score)
        return list(out.values())

    def _embedding(self, entities: _Entities, turns: Sequence[Turn]) -> list[Decision]:
        if self.embedding is None:
            return []
        if self.embedder is None:
            raise InputError("EntityResolver: embedding needs an embedder; give one, or let MemorySystem hand it over")
        languages = self.embedder.languages
        keys = [
            key
            for key, name in entities.names.items()
            if key not in entities.fixed and not is_proper(name) and (name.isascii() or _reads(languages))
        ]
        if len(keys) < 2:
            return []
        vectors = self.embedder.embed([entities.names[key] for key in keys])
        out: list[Decision] = []
        merged: set[str] = set()
        # the most frequent name of a group gives it its key
        order = sorted(range(len(keys)), key=lambda i: -len(entities.turn_ids[keys[i]]))
        rank = {i: place for place, i in enumerate(order)}
        for i in order:
            if keys[i] in merged:
                continue
            cosines = vectors @ vectors[i]
            for j in (int(j) for j in (cosines >= self.embedding).nonzero()[0]):
                source, target = keys[j], keys[i]
                same = _digits(entities.names[source]) == _digits(entities.names[target])
                if rank[j] > rank[i] and source not in merged and same:
                    merged.add(source)
                    score = min(1.0, float(cosines[j]))
                    out.append(Decision("embedding", source, target, entities.names[target], score=score))
        return out


class _Entities:
    """Names, turns and participants of an extraction, in order of appearance."""

    def __init__(self, extraction: Extraction, speakers: Iterable[str], split: frozenset[str]) -> None:
        self.speakers = tuple(speakers)
        self.names: dict[str, str] = {}
        self.turn_ids: dict[str, list[str]] = {}
        for mention in extraction.mentions:
            self.names.setdefault(mention.key, mention.name)
            self.turn_ids.setdefault(mention.key, []).append(mention.turn_id)
        participants = {name_key(speaker) for speaker in self.speakers}
        #: keys that only the surest rules may touch
        self.fixed = split | {key for key, name in self.names.items() if {key, name_key(name)} & participants}

    def merge(self, reason: Reason, keys: Sequence[str]) -> list[Decision]:
        """Merge ``keys`` into a participant among them, else into the most frequent, the first of equals."""
        target = max(keys, key=lambda key: (key in self.fixed, len(self.turn_ids[key])))
        return [Decision(reason, key, target, self.names[target]) for key in keys if key != target]


def _mentioned(entities: _Entities, turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """The turns of each entity in order."""
    order = {turn.id: i for i, turn in enumerate(turns)}
    return {key: [turns[i] for i in sorted(order[id_] for id_ in ids)] for key, ids in entities.turn_ids.items()}


def folded(name: str) -> str:
    """What is left of a name when its spelling may vary: NFKC, casefolded, without separators; all scripts stay."""
    return _SEPARATORS.sub("", simplified(name_key(name)))


def is_proper(name: str) -> bool:
    """True if a word of the name begins with a capital."""
    return any(word[:1].isupper() for word in name.split())


def _split_keys(decisions: Iterable[Decision]) -> frozenset[str]:
    return frozenset(decision.target for decision in decisions if decision.reason == "split")


def _nearly(name: str, speaker: str) -> bool:
    """True if the name lacks one letter of the speaker's: Daniel is not short for Daniela."""
    return any(word.startswith(name) and len(word) - len(name) == 1 for word in speaker.split())


def _digits(name: str) -> str:
    return re.sub(r"\D+", " ", name).strip()


def _is_latin(text: str) -> bool:
    return all(unicodedata.name(char, "").startswith("LATIN") for char in text if char.isalpha())


def _reads(languages: Sequence[str] | None) -> bool:
    """An English model maps every Chinese name to much the same vector."""
    return languages is None or any(language != "en" for language in languages)


def _osa_distance() -> Callable[[str, str], int]:
    """Edits, where a swap of neighbours is one (optimal string alignment)."""
    try:
        from rapidfuzz.distance import OSA
    except ImportError as error:
        raise InputError(
            "EntityResolver: similar names need rapidfuzz; install it (pip install 'memorai[resolve]'), "
            "or set similar=false"
        ) from error
    return OSA.distance
