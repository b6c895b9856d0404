"""One relative under several names: what Anna calls "my sister" is "Anna's sister"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memorai.types import Turn
from memorai.write.lexicon_people import LOOSE_ROLES, PEOPLE
from memorai.write.names import SpeakerAliases, name_key
from memorai.write.traditional import simplified

#: a friend may be any of several
_ROLES = "|".join(sorted(PEOPLE - LOOSE_ROLES, key=lambda word: (-len(word), word)))
#: with one owner, one person
_SAME = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "母亲": "妈妈",
    "父亲": "爸爸",
    "老婆": "妻子",
    "老公": "丈夫",
}
_NAMED = (
    re.compile(rf"(?P<mine>my|our|your)\s+(?P<role>{_ROLES})"),
    re.compile(rf"(?P<owner>[^'’]+?)(?:['’]s?)\s+(?P<role>{_ROLES})"),
    re.compile(rf"(?:the\s+)?(?P<role>{_ROLES})\s+of\s+(?P<owner>[^'’]+)"),
    re.compile(rf"(?P<mine>我|你|您)(?:们)?的?(?P<role>{_ROLES})"),
    re.compile(rf"(?P<owner>[^的我你您他她它]+)的?(?P<role>{_ROLES})"),
)


def role_groups(names: Mapping[str, str], mentioned: Mapping[str, Sequence[Turn]]) -> list[list[str]]:
    """Return groups of entity keys that are one relative of one participant, by the names alone.

    "My" is said by the owner, "your" to the only other participant. What two participants say, what a third person
    may own ("her sister") and roles that several people may have ("Anna's friend") are in no group.

    Args:
        names: display name of each entity key.
        mentioned: turns that mention the entity, in order.
    """
    turns = [turn for found in mentioned.values() for turn in found]
    speakers = tuple(dict.fromkeys(name_key(turn.speaker) for turn in turns if turn.speaker.strip()))
    aliases = SpeakerAliases(speakers)
    groups: dict[tuple[str, str], list[str]] = {}
    for key, name in names.items():
        match = next(filter(None, (pattern.fullmatch(simplified(name_key(name))) for pattern in _NAMED)), None)
        if match is None:
            continue
        found = match.groupdict()
        said_by = tuple(dict.fromkeys(name_key(turn.speaker) for turn in mentioned[key]))
        owner = aliases.resolve(found["owner"]) if "owner" in found else _owner(found["mine"], said_by, speakers)
        if owner is not None:
            groups.setdefault((owner, _SAME.get(found["role"], found["role"])), []).append(key)
    return [group for group in groups.values() if len(group) > 1]


def _owner(said: str, said_by: Sequence[str], speakers: Sequence[str]) -> str | None:
    if len(said_by) != 1:
        return None
    if said in ("my", "our", "我"):
        return said_by[0]
    others = [speaker for speaker in speakers if speaker != said_by[0]]
    return others[0] if len(others) == 1 else None
