"""A small English tagger: closed-class lists, then rules on the neighbours (after Brill 1992, written by hand)."""

from __future__ import annotations

from functools import lru_cache

import Stemmer

from memorai.write import lexicon_en as lex
from memorai.write.lexicon_en import CLOSED_CLASS
from memorai.write.names import TrueCase
from memorai.write.tags import Tag, Token

_NOUN_LIKE = (Tag.NOUN, Tag.NAME)
_BEFORE_NOUN = (Tag.DETERMINER, Tag.ADJECTIVE, Tag.NUMBER)
_OBJECT_STARTS = (Tag.DETERMINER, Tag.PRONOUN, Tag.NUMBER)
_DO = frozenset(("do", "does", "did", "doing"))  # "do yoga": main verbs as well as auxiliaries
_LOOSE_DETERMINERS = frozenset(("this", "that", "these", "those", "all", "what", "which", "each", "some", "most", "no"))


_VERB_STEMS = frozenset(Stemmer.Stemmer("english").stemWords(sorted(lex.VERBS)))


@lru_cache(maxsize=65536)
def _is_verb_form(word: str) -> bool:
    """True for a known verb in its base, -s, -ed or -ing form or an irregular past."""
    if word in lex.VERBS or word in lex.IRREGULAR_PAST:
        return True
    if word.endswith(("ize", "izes", "ized", "izing")) and len(word) > 6:
        return True
    inflected = word.isascii() and word.endswith(("s", "ed", "ing")) and not word.endswith("ss")
    return inflected and Stemmer.Stemmer("english").stemWord(word) in _VERB_STEMS


def tag_english(tokens: list[Token], truecase: TrueCase) -> None:
    """Set the tag of every untagged token, left to right."""
    closed = [_closed(token, truecase) for token in tokens]
    for index, token in enumerate(tokens):
        if token.tag is not None and not token.title:
            continue
        if token.title and token.lower in CLOSED_CLASS:
            token.tag = CLOSED_CLASS[token.lower]
            continue
        following = closed[index + 1] if index + 1 < len(tokens) else Tag.PUNCTUATION
        if following is Tag.DETERMINER and tokens[index + 1].lower == "that":
            following = Tag.CONJUNCTION  # far more often "a book that" than "read that"
        token.tag = _contextual(tokens, index, following) if closed[index] is None else closed[index]
        _repair(tokens, index, closed)


def _closed(token: Token, truecase: TrueCase) -> Tag | None:
    """Tag that needs no context, or None for an open-class word."""
    if token.tag is not None:
        return token.tag
    word = token.lower
    if word.endswith("n't"):
        return Tag.NEGATION
    if word == "'s":
        return None
    if truecase.is_name(token):
        return Tag.NAME
    if word in CLOSED_CLASS:
        return CLOSED_CLASS[word]
    if word.endswith("ly") and len(word) > 4 and word not in lex.NOT_ADVERBS:
        return Tag.ADVERB
    return Tag.STOP if len(word) == 1 else None


def _repair(tokens: list[Token], index: int, closed: list[Tag | None]) -> None:
    """Words of the lists whose class their left neighbour decides."""
    token = tokens[index]
    if token.lower == "thank":
        token.tag = Tag.STOP
    if token.lower not in ("like", "that"):
        return
    before = _previous(tokens, index)
    if before is None:
        return
    if token.lower == "like" and _takes_verb(before):
        token.tag = Tag.VERB
    elif token.lower == "that" and before.tag in (*_NOUN_LIKE, Tag.VERB):
        demonstrative = before.tag is Tag.VERB and index + 1 < len(tokens) and closed[index + 1] is None
        token.tag = Tag.DETERMINER if demonstrative else Tag.CONJUNCTION


def _previous(tokens: list[Token], index: int) -> Token | None:
    """The token before, adverbs skipped."""
    index -= 1
    while index >= 0 and tokens[index].tag is Tag.ADVERB:
        index -= 1
    return tokens[index] if index >= 0 else None


def _takes_verb(before: Token) -> bool:
    if before.tag in (Tag.TO, Tag.NEGATION):
        return True
    return before.lower in lex.SUBJECT_PRONOUNS or before.lower in lex.MODALS or before.tag is Tag.NAME


def _contextual(tokens: list[Token], index: int, following: Tag | None) -> Tag:
    token, before = tokens[index], _previous(tokens, index)
    word = token.lower
    if word == "'s":
        # "it's" and "that's" are verbs; after a noun it is read as a possessive, which bounds the phrase as "the" does
        nominal = before is not None and before.tag in _NOUN_LIKE
        return Tag.DETERMINER if nominal else Tag.AUXILIARY
    adjective = word.endswith(lex.ADJECTIVE_ENDINGS) and len(word) > 5 and word not in lex.NOT_ADJECTIVES
    verb = _is_verb_form(word)
    participle = len(word) > 4 and word.endswith(("ing", "ed")) and word.isascii()
    if adjective and not verb:
        return Tag.ADJECTIVE
    if before is None or before.tag in (Tag.PUNCTUATION, Tag.STOP, Tag.CONJUNCTION):
        particle = index + 1 < len(tokens) and tokens[index + 1].lower in lex.PARTICLES
        return Tag.VERB if verb and particle else _at_clause_start(word, verb, following)
    if before.tag is Tag.NUMBER and verb and word.endswith("ed"):
        return Tag.VERB  # "since we last chatted"
    if before.tag is Tag.ADJECTIVE and word.endswith("ing"):
        return _gerund(word, verb, following)  # "it's great seeing you", "a great painting"
    if before.tag in _BEFORE_NOUN or before.lower in lex.COLOURS:
        pronominal = (
            before.lower in _LOOSE_DETERMINERS and verb and word not in lex.NOUN_VERBS and not word.endswith("ing")
        )
        return Tag.VERB if pronominal else Tag.NOUN
    if before.lower in lex.BE:
        return Tag.VERB if (verb and word not in lex.VERBS) or (participle and following is not None) else Tag.NOUN
    if before.lower in lex.HAVE:
        return Tag.VERB if (verb and word not in lex.NOUN_VERBS and not word.endswith("ing")) else Tag.NOUN
    if before.lower in lex.SUBJECT_PRONOUNS:
        return Tag.VERB if verb or participle or word.endswith("s") else Tag.NOUN
    if before.lower in lex.MODALS - _DO:
        return Tag.VERB
    if before.lower in _DO or before.tag in (Tag.TO, Tag.NEGATION):
        return Tag.VERB if verb else Tag.NOUN
    if before.tag in _NOUN_LIKE:
        return _after_noun(word, before, verb, participle, following)
    return _after_other(word, verb, following)


def _at_clause_start(word: str, verb: bool, following: Tag | None) -> Tag:
    if word.endswith("ing"):
        return _gerund(word, verb, following)
    if not verb:
        return Tag.NOUN
    if word in lex.NOUN_VERBS:
        bare = word in lex.VERBS and following in (Tag.ADVERB, Tag.ADJECTIVE)
        return Tag.VERB if bare or following in (*_OBJECT_STARTS, Tag.TO) else Tag.NOUN
    return Tag.VERB


def _gerund(word: str, verb: bool, following: Tag | None) -> Tag:
    """ "Painting helps me" names an activity; "painting the wall" and "raising awareness" do not."""
    named = (not verb or word in lex.ACTIVITIES) and following not in (*_OBJECT_STARTS, Tag.TO)
    return Tag.NOUN if named else Tag.VERB


def _after_noun(word: str, before: Token, verb: bool, participle: bool, following: Tag | None) -> Tag:
    ends = following in (Tag.PUNCTUATION, Tag.CONJUNCTION, Tag.AUXILIARY)
    if word.endswith("ing"):
        return Tag.VERB if verb and following is Tag.PREPOSITION else _gerund(word, verb, following)
    if participle:
        return Tag.VERB
    if not verb:
        return Tag.NOUN
    if word in lex.IRREGULAR_PAST and word not in lex.VERBS:
        return Tag.VERB
    if word in lex.VERBS:
        # a singular name takes no base form: "LGBTQ support group"
        phrasal = word not in lex.NOUN_VERBS or (before.tag is not Tag.NAME and following in _OBJECT_STARTS)
        return Tag.VERB if phrasal else Tag.NOUN
    return Tag.NOUN if ends or (following is None and before.tag is not Tag.NAME) else Tag.VERB


def _after_other(word: str, verb: bool, following: Tag | None) -> Tag:
    """After a preposition, a verb, an object pronoun."""
    if word.endswith("ing"):
        return _gerund(word, verb, following)
    if not verb:
        return Tag.NOUN
    nominal = word in lex.NOUN_VERBS and following is not Tag.ADJECTIVE
    return Tag.NOUN if nominal or word.endswith("s") else Tag.VERB
