"""Whose sister: people that share a word or a name are kept apart by who owns them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memorai.types import Turn
from memorai.write import lexicon_en as en
from memorai.write import lexicon_zh as zh
from memorai.write.lexicon_people import LOOSE_ROLES, PEOPLE, PLURAL_PEOPLE
from memorai.write.names import SpeakerAliases, name_key
from memorai.write.resolution import Decision
from memorai.write.sentences import CJK

_OWNED = en.POSSESSED | zh.POSSESSED | PEOPLE | PLURAL_PEOPLE
_ROLES = "|".join(sorted(PEOPLE, key=lambda word: (-len(word), word)))
_CLAIM = re.compile(rf"(?:\bmy\s+(?:\w+\s+)?|我的?)(?P<role>{_ROLES})(?:\s*,)?\s*(?P<rest>.{{1,60}})", re.IGNORECASE)


def split_by_owner(names: Mapping[str, str], mentioned: Mapping[str, Sequence[Turn]]) -> list[Decision]:
    """Return the splits of entities that are several people or pets.

    "My sister" of Ann and "my sister" of Bob are two: a turn belongs to who says "my" or is named ("Ann's sister"),
    "your" means the other owner, and a turn without a word goes with the turn before in its session, or stays unsplit.
    "My sister Emma" of Ann and "my boss Emma" of Bob are two by their speakers, too; friends and neighbours may be
    the same person.

    Args:
        names: display name of each entity key.
        mentioned: turns that mention the entity, in order.
    """
    turns = list({turn.id: turn for found in mentioned.values() for turn in found}.values())
    speakers = {name_key(turn.speaker): turn.speaker.strip() for turn in turns if turn.speaker.strip()}
    aliases = SpeakerAliases(speakers.values())
    claims = _claims(turns)
    out: list[Decision] = []
    for key, name in names.items():
        if key in speakers:
            continue
        if name.lower().split(" ")[-1] in _OWNED:
            owners = [_owner(name, turn, aliases) for turn in mentioned[key]]
            out += _parts(key, name, mentioned[key], owners, speakers)
        elif _apart(claims.get(name_key(name), {})):
            said_by = [
                s if (s := name_key(turn.speaker)) in claims[name_key(name)] else None for turn in mentioned[key]
            ]
            out += _parts(key, name, mentioned[key], said_by, speakers)
    return out


def _owner(name: str, turn: Turn, aliases: SpeakerAliases) -> str | None:
    """Key of the owner that the turn names, "?" for "your", None if it names none or several."""
    text = f"{turn.text} {turn.caption or ''}"
    found: dict[str, None] = {}
    if re.search(f"[{CJK}]", name):
        pattern = re.compile(rf"(我|你|您)(?:们)?(?:的|家)?{re.escape(name)}")
        found |= {name_key(turn.speaker) if m[1] == "我" else "?": None for m in pattern.finditer(text)}
    else:
        # singular and plural are one entity: "my cat", "my cats"
        stem = re.escape(name[:-1] if name.endswith("s") else name)
        pattern = re.compile(rf"\b(my|our|your|(\w+)['’]s)\s+(?:\w+\s+)?{stem}(?:e?s)?\b", re.IGNORECASE)
        for match in pattern.finditer(text):
            said = match[1].lower()
            if match[2] and not match[2][0].isupper():
                continue  # "that's my friend"
            if match[2]:
                found[aliases.resolve(match[2]) or name_key(match[2])] = None
            else:
                found["?" if said == "your" else name_key(turn.speaker)] = None
    return next(iter(found)) if len(found) == 1 else None


def _parts(
    key: str, name: str, turns: Sequence[Turn], owners: Sequence[str | None], speakers: Mapping[str, str]
) -> list[Decision]:
    """One decision an owner; none unless there are two."""
    known = list(dict.fromkeys(owner for owner in owners if owner not in (None, "?")))
    if len(known) < 2:
        return []
    parts: dict[str, list[str]] = {}
    last: tuple[str, str | None] = ("", None)  # session, owner
    for turn, owner in zip(turns, owners, strict=True):
        if owner == "?":
            others = [other for other in known if other != name_key(turn.speaker)]
            owner = others[0] if len(others) == 1 else None
        elif owner is None and last[0] == turn.session_id:
            owner = last[1]
        last = (turn.session_id, owner)
        if owner is not None:
            parts.setdefault(owner, []).append(turn.id)
    cjk = bool(re.search(f"[{CJK}]", name))
    return [
        Decision("split", key, f"{key} of {owner}", _owned_name(name, speakers.get(owner, owner), cjk), tuple(ids))
        for owner, ids in parts.items()
    ]


def _owned_name(name: str, owner: str, cjk: bool) -> str:
    return f"{owner}的{name}" if cjk else f"{owner}'s {name}"


def _claims(turns: Sequence[Turn]) -> dict[str, dict[str, set[str]]]:
    """Name key -> speaker key -> roles, of every "my ROLE Name"."""
    out: dict[str, dict[str, set[str]]] = {}
    for turn in turns:
        for match in _CLAIM.finditer(turn.text):
            name = re.match(rf"[A-Z]\w+(?:\s[A-Z]\w+)*|[小老阿][{CJK}]", match["rest"])
            if name:
                roles = out.setdefault(name_key(name[0]), {}).setdefault(name_key(turn.speaker), set())
                roles.add(match["role"].lower())
    return out


def _apart(claims: Mapping[str, set[str]]) -> bool:
    """True if two speakers each claim a role that is theirs alone."""
    return sum(bool(roles - LOOSE_ROLES) for roles in claims.values()) > 1
