"""Directed statements of a sentence: subject, verb phrase, object (open information extraction by pattern).

In the manner of ReVerb (Fader et al. 2011): the relation is the words between two arguments and must hold a verb.
Subjects are first-person pronouns or the entity right before the verb phrase; other pronouns are left unresolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorai.write import lexicon_en as en
from memorai.write import lexicon_zh as zh
from memorai.write.chunks import Span
from memorai.write.lexicon_people import PEOPLE
from memorai.write.tags import Tag, Token, join

_MAX_VERB_PHRASE = 7
_MAX_GAP = 6
_VERBAL = (Tag.VERB, Tag.AUXILIARY, Tag.NEGATION, Tag.ADVERB, Tag.PREPOSITION, Tag.TO)
_BEFORE_OBJECT = (Tag.DETERMINER, Tag.ADJECTIVE, Tag.NUMBER, Tag.ADVERB)
_MAIN_AUXILIARIES = en.BE | en.HAVE | frozenset(("是", "有"))
_EXPANDED = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'s": "is"}
_FIRST_PERSON = en.FIRST_PERSON | zh.FIRST_PERSON
_MY = en.POSSESSIVE_FIRST | frozenset(("我的", "我们的", "我"))
#: texts of "my X" as a relation: true beyond the date of the sentence that says it in passing
POSSESSION = ("has", "有")


@dataclass(frozen=True, slots=True)
class Statement:
    """``source`` -text-> ``target`` (entity keys)."""

    source: str
    text: str
    target: str


def statements(tokens: list[Token], spans: Sequence[Span], speaker: str) -> list[Statement]:
    """Return what a declarative sentence states, in order.

    Args:
        tokens: tagged tokens of one sentence that is no question.
        spans: its entities (memorai.write.chunks), in order of start.
        speaker: key of who speaks, the subject of "I", "we" and "my X".
    """
    if tokens and tokens[-1].lower.endswith(zh.QUESTION_ENDINGS):
        return []
    by_start = {span.start: span for span in reversed(spans)}
    # an argument is the widest span that ends there: "LGBTQ support group", not "LGBTQ"
    by_end = {span.end: span for span in sorted(spans, key=lambda span: span.start, reverse=True)}
    out: list[Statement] = []
    for index, token in enumerate(tokens):
        if token.lower in en.CONDITIONALS or token.lower in ("如果", "要是"):
            break  # what follows a condition is not stated
        source: str | None = None
        if token.lower in _FIRST_PERSON and token.tag is Tag.PRONOUN and not _is_relative(tokens, index):
            source, end = speaker, index + 1
        elif index + 1 in by_end and _is_subject(tokens, by_end[index + 1].start):
            source, end = by_end[index + 1].key, index + 1
        if token.tag is Tag.DETERMINER and token.lower in _MY and index + 1 in by_start:
            out += _possession(token, by_start[index + 1], tokens, speaker)
        if source is not None and not _is_opinion(tokens, index):
            out += [Statement(source, text, target) for text, target in _predicates(tokens, end, by_start)]
    return [statement for statement in out if statement.source != statement.target]


def _possession(owner: Token, owned: Span, tokens: list[Token], speaker: str) -> list[Statement]:
    head = tokens[owned.end - 1].lower
    if head not in en.POSSESSED and head not in zh.POSSESSED:
        return []
    return [Statement(speaker, POSSESSION[owner.cjk], owned.key)]


def _is_subject(tokens: list[Token], start: int) -> bool:
    """False for the object of a preposition or a verb: in "the mother of Ann likes Bob" Ann likes nobody."""
    index = start - 1
    while index >= 0 and tokens[index].tag in _BEFORE_OBJECT:
        index -= 1
    if index < 0:
        return True
    before = tokens[index]
    if before.cjk and before.lower in PEOPLE:
        return _is_subject(tokens, index)  # 我的朋友小明: one person, said twice
    if before.lower == "and" or before.tag is Tag.PREPOSITION or before.tag is Tag.TO:
        return index > 0 and before.lower == "and" and tokens[index - 1].tag is Tag.PUNCTUATION
    return before.tag not in (Tag.VERB, Tag.AUXILIARY, Tag.NAME, Tag.NOUN)


def _is_relative(tokens: list[Token], subject: int) -> bool:
    """True in "the support I got from friends": the verb's object stands before it."""
    return subject > 0 and not tokens[subject].cjk and tokens[subject - 1].tag in (Tag.NOUN, Tag.NAME)


def _is_opinion(tokens: list[Token], subject: int) -> bool:
    """True under "I hope ...", "I doubt that ..."."""
    return any(token.lower in en.OPINION_VERBS for token in tokens[max(0, subject - 3) : subject])


def _predicates(tokens: list[Token], start: int, by_start: dict[int, Span]) -> list[tuple[str, str]]:
    """Verb phrase from ``start`` with its object, and the objects joined to it by "and": (text, target key)."""
    end = start
    while end < len(tokens) and end - start < _MAX_VERB_PHRASE and _is_verbal(tokens, end, start):
        end += 1
    phrase = tokens[start:end]
    if not _is_finite(phrase):
        return []
    target = _object(tokens, end, by_start)
    if target is None:
        return []
    follows = tokens[target.end].tag if target.end < len(tokens) else None
    if follows in (Tag.VERB, Tag.AUXILIARY, Tag.NEGATION) and any(t.lower in en.CLAUSE_VERBS for t in phrase):
        return []
    text = _text(phrase)
    if any(token.lower == "no" for token in tokens[end : target.start]):
        text += " no"
    if phrase[-1].lower in ("在", "正在") and target.end < len(tokens) and tokens[target.end].lower in zh.PLACE_VERBS:
        text += tokens[target.end].text
    elif not _has_main_verb(phrase):
        return []
    out = [(text, target.key)]
    while target.end < len(tokens) and tokens[target.end].lower in ("and", "or", "和", "与"):
        following = _object(tokens, target.end + 1, by_start)
        if following is None or (following.end < len(tokens) and tokens[following.end].tag in _VERBAL[:3]):
            break
        out.append((text, following.key))
        target = following
    return out


def _is_verbal(tokens: list[Token], index: int, start: int) -> bool:
    """True for parts of a verb phrase, among them the adjective of "am allergic to"."""
    if tokens[index].tag in (Tag.ADJECTIVE, Tag.NOUN) and index > start and tokens[index - 1].lower in en.BE:
        return (
            index + 1 < len(tokens)
            and tokens[index + 1].tag in (Tag.PREPOSITION, Tag.TO)
            and _predicative(tokens[index])
        )
    return tokens[index].tag in _VERBAL


def _predicative(token: Token) -> bool:
    return token.tag is Tag.ADJECTIVE or token.lower.endswith(("ic", "ed", "al"))


def _is_finite(phrase: Sequence[Token]) -> bool:
    """True if the phrase can be a predicate: "to like" and "walking past" cannot."""
    head = next((token for token in phrase if token.tag is not Tag.ADVERB), None)
    if head is None:
        return False
    if head.cjk:
        return True
    return head.tag in (Tag.VERB, Tag.AUXILIARY, Tag.NEGATION) and not head.lower.endswith("ing")


def _has_main_verb(phrase: Sequence[Token]) -> bool:
    return any(t.tag is Tag.VERB or t.lower in _MAIN_AUXILIARIES or t.lower == "没有" for t in phrase)


def _object(tokens: list[Token], start: int, by_start: dict[int, Span]) -> Span | None:
    for index in range(start, min(start + _MAX_GAP, len(tokens))):
        if index in by_start:
            return _modified(tokens, by_start[index], by_start)
        if tokens[index].tag not in _BEFORE_OBJECT:
            return None
    return None


def _modified(tokens: list[Token], span: Span, by_start: dict[int, Span]) -> Span:
    """The noun that a Chinese attribute with 的 belongs to, or ``span`` itself."""
    while True:
        end = span.end
        while end < len(tokens) and tokens[end].cjk and tokens[end].tag is Tag.ADVERB:
            end += 1
        if end == span.end or tokens[end - 1].lower != "的" or end not in by_start:
            return span
        span = by_start[end]


def _text(phrase: Sequence[Token]) -> str:
    """The relation's words without adverbs; contractions of auxiliaries are written out, negation stays."""
    kept = [token for token in phrase if token.tag is not Tag.ADVERB]
    return join([Token(_EXPANDED.get(t.lower, t.lower), t.lower, t.tag, cjk=t.cjk) for t in kept])
