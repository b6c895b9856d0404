"""Directed statements of a parsed sentence: a verb, its subject, its objects, and what prepositions add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memorai.write.lexicon_en import CONDITIONALS, FIRST_PERSON, OPINION_VERBS, POSSESSED, POSSESSIVE_FIRST
from memorai.write.relations import POSSESSION, Statement

_SUBJECTS = ("nsubj", "nsubjpass")
_OBJECTS = ("dobj", "obj", "attr", "dative", "oprd")
_BEFORE_VERB = ("aux", "auxpass", "neg")
_EXPANDED = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'s": "is", "n't": "not"}


def statements(sentence: Any, keys: Mapping[int, str], speaker: str) -> list[Statement]:
    """Return what a declarative sentence states, in order.

    Subjects are first-person pronouns and entities; a verb joined by "and" or opened by "to" takes the subject of the
    verb above it. A clause under a condition or an opinion verb states nothing.

    Args:
        sentence: spaCy span with a dependency tree.
        keys: entity key by the place of its head token in the document.
        speaker: key of who speaks.
    """
    out: list[Statement] = []
    for token in sentence:
        if token.i in keys and _owned(token):
            out.append(Statement(speaker, POSSESSION[0], keys[token.i]))
        if token.pos_ not in ("VERB", "AUX") or token.dep_ in _BEFORE_VERB or _is_unstated(token):
            continue
        for source in _subjects(token, keys, speaker):
            out += [Statement(source, text, target) for text, target in _objects(token, keys)]
    return [statement for statement in dict.fromkeys(out) if statement.source != statement.target]


def _owned(token: Any) -> bool:
    """True for "my sister" and the like."""
    possessors = (child.lower_ for child in token.children if child.dep_ == "poss")
    return token.lower_ in POSSESSED and any(word in POSSESSIVE_FIRST for word in possessors)


def _is_unstated(verb: Any) -> bool:
    for clause in (verb, *verb.ancestors):
        if any(child.dep_ == "mark" and child.lower_ in CONDITIONALS for child in clause.children):
            return True
        if clause.dep_ == "ccomp" and clause.head.lower_ in OPINION_VERBS:
            return True
    return False


def _subjects(verb: Any, keys: Mapping[int, str], speaker: str) -> list[str]:
    while True:
        own = [child for child in verb.children if child.dep_ in _SUBJECTS]
        if own:
            return [key for subject in own for key in _subject_keys(subject, keys, speaker)]
        if verb.dep_ != "conj" or verb.head.pos_ not in ("VERB", "AUX"):
            return []
        verb = verb.head


def _subject_keys(subject: Any, keys: Mapping[int, str], speaker: str) -> Iterator[str]:
    if subject.lower_ in FIRST_PERSON:
        yield speaker
    for token in _joined(subject):
        if token.i in keys:
            yield keys[token.i]


def _joined(token: Any) -> Iterator[Any]:
    """The token and what "and" joins to it."""
    yield token
    for child in token.children:
        if child.dep_ == "conj":
            yield from _joined(child)


def _objects(verb: Any, keys: Mapping[int, str], before: str = "") -> Iterator[tuple[str, str]]:
    """(relation text, entity key) of each object of the verb, its prepositions and its infinitives."""
    text = f"{before} {_verb_text(verb)}".strip()
    for child in verb.children:
        if child.dep_ in _OBJECTS:
            negated = " no" if any(c.dep_ == "det" and c.lower_ == "no" for c in child.children) else ""
            yield from ((text + negated, keys[t.i]) for t in _joined(child) if t.i in keys)
        elif child.dep_ in ("prep", "agent"):
            yield from _prepositional(child, text, keys)
        elif child.dep_ == "acomp":
            for preposition in child.children:
                if preposition.dep_ == "prep":
                    yield from _prepositional(preposition, f"{text} {child.lower_}", keys)
        elif child.dep_ == "xcomp" and child.pos_ == "VERB":
            yield from _objects(child, keys, text)


def _prepositional(preposition: Any, text: str, keys: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield from ((f"{text} {preposition.lower_}", keys[t.i]) for t in _joined(child) if t.i in keys)


def _verb_text(verb: Any) -> str:
    words = [child for child in verb.children if child.dep_ in (*_BEFORE_VERB, "prt")]
    return " ".join(_EXPANDED.get(t.lower_, t.lower_) for t in sorted([*words, verb], key=lambda token: token.i))
