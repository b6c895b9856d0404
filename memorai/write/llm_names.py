"""Which entity a language model means by a name: speakers, first persons, and one node for "puppy" and "Puppies"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memorai.types import Turn
from memorai.write import lexicon_zh
from memorai.write.lexicon_en import FIRST_PERSON, POSSESSIVE_FIRST, PRONOUNS
from memorai.write.names import PhraseKeys, SpeakerAliases, name_key
from memorai.write.tags import Tag

_SELF = FIRST_PERSON | POSSESSIVE_FIRST | lexicon_zh.FIRST_PERSON | frozenset(("me", "myself", "us", "speaker"))
_ROLES = frozenset(("user", "assistant"))
_MAX_WORDS = 12  # longer "names" are sentences


class EntityNames:
    """Keys and display names of one conversation's entities, first come first named.

    Args:
        turns: of the conversation; their speakers are known from the start.
        language: ISO 639-1 code, for the stemmer.
    """

    def __init__(self, turns: Sequence[Turn], language: str) -> None:
        self._speakers = {name_key(turn.speaker): turn.speaker.strip() for turn in turns if name_key(turn.speaker)}
        self._aliases = SpeakerAliases(self._speakers)
        self._stems = PhraseKeys(language)
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def resolve(self, name: object, cited: Sequence[Turn]) -> str | None:
        """Return the key of the entity that ``name`` means in the turns ``cited``, or None if it means none.

        A first person, "user" or "assistant" is the speaker of the turns, if they have one speaker (of that role).
        Other pronouns, blanks and whole sentences are nobody.
        """
        text = " ".join(str(name).split()).strip("\"'“”‘’`*.,;: ") if isinstance(name, str) else ""
        folded = name_key(text).removeprefix("the ")
        if not folded or len(folded.split()) > _MAX_WORDS:
            return None
        if folded in _SELF or folded in _ROLES:
            return self._one_speaker(turn for turn in cited if folded not in _ROLES or turn.role in (None, folded))
        if folded in PRONOUNS or lexicon_zh.WORDS.get(folded) is Tag.PRONOUN:
            return None
        return self._aliases.resolve(text) or self.add(text)

    def add(self, name: str, key: str | None = None) -> str:
        """Return the key of a name that is no speaker's: that of an equal name seen before, else ``key`` or its own."""
        folded = name_key(name)
        if folded in self._speakers:
            return folded
        words = folded.removeprefix("the ").split()
        # an acronym's stem may be a word: "US" is not "us"
        stem = folded if name.isupper() and name.isascii() else " ".join(self._stems.stem(word) for word in words)
        known = self._keys.setdefault(stem, key or stem)
        self._names.setdefault(known, name)
        return known

    def display(self, key: str) -> str:
        """Return the name to show for a key."""
        return self._speakers.get(key) or self._names[key]

    def _one_speaker(self, turns: Iterable[Turn]) -> str | None:
        speakers = list(dict.fromkeys(name_key(turn.speaker) for turn in turns))
        return speakers[0] if len(speakers) == 1 and speakers[0] else None
