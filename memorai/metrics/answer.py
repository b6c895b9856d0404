"""Scores of one answer against its gold answer by words; each convention has a name of its own and none is blended.

``f1_locomo``   LoCoMo's own: Porter stems, counted, by category (snap-research/LoCoMo, task_eval/evaluation.py)
``f1_set``      distinct words, no stems (mem0's and A-MEM's evaluation)
``exact_match`` the same distinct words once normalised as LoCoMo does
``bleu1_nltk``  nltk's sentence BLEU of single words, smoothing method 1 (mem0's evaluation)

All lie in [0, 1]. LoCoMo rounds each score to three decimals before it averages; that is left to who averages.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache
from typing import Any

from memorai.errors import InputError

#: what LoCoMo takes for an abstention, anywhere in the lower-cased answer
ABSTENTIONS = ("no information available", "not mentioned")

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")
_SET_BLANKS = str.maketrans(dict.fromkeys(".,!?", " "))


def normalize_answer(text: str) -> list[str]:
    """Return the words of an answer: lower case, no punctuation, no articles, no "and".

    Example:
        >>> normalize_answer("The red car, and a dog.")
        ['red', 'car', 'dog']
    """
    return _SMALL_WORDS.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def abstains(answer: str) -> bool:
    """Return whether LoCoMo counts the answer as an abstention."""
    return any(phrase in answer.lower() for phrase in ABSTENTIONS)


def f1_locomo(answer: str, gold: str | None, category: str) -> float:
    """Return LoCoMo's score of an answer.

    ``multi_hop`` cuts both at commas and takes the mean over the gold's parts of the best part of the answer;
    ``open_domain`` reads the gold up to its first semicolon; ``adversarial`` asks only whether the answer abstains.

    Args:
        answer: may be empty: 0.
        gold: None only where the category is ``adversarial``, which does not read it.
        category: as `memorai.datasets.locomo.CATEGORIES` names it; the names of other data sets count as single_hop.

    Raises:
        InputError: without a gold answer outside ``adversarial``; nltk is not installed.
    """
    if category == "adversarial":
        return float(abstains(answer))
    if gold is None:
        raise InputError(f"a question of category {category} has no gold answer to score against")
    if category == "multi_hop":
        parts = answer.split(",")
        best = [max(_f1_stems(part, wanted) for part in parts) for wanted in gold.split(",")]
        return sum(best) / len(best)
    return _f1_stems(answer, gold.split(";")[0] if category == "open_domain" else gold)


def f1_set(answer: str, gold: str) -> float:
    """Return the F1 of distinct lower-cased words, with ``. , ! ?`` as blanks; 0 where either has no word."""
    said, wanted = _distinct(answer), _distinct(gold)
    common = len(said & wanted)
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def exact_match(answer: str, gold: str) -> float:
    """Return 1 if answer and gold have the same distinct normalised words, else 0; an answer without a word has 0."""
    said = set(normalize_answer(answer))
    return float(bool(said) and said == set(normalize_answer(gold)))


def bleu1_nltk(answer: str, gold: str) -> float:
    """Return nltk's BLEU of single words.

    The words are ``word_tokenize``'s of the lower-cased text taken as one line, which needs no downloaded sentence
    model: the same words, except that a full stop inside a text of several sentences stays with its word.

    Raises:
        InputError: nltk is not installed.
    """
    nltk = _nltk()
    said = nltk.word_tokenize(answer.lower(), preserve_line=True)
    if not said:
        return 0.0
    wanted = nltk.word_tokenize(gold.lower(), preserve_line=True)
    smoothing = nltk.translate.bleu_score.SmoothingFunction().method1
    score = nltk.translate.bleu_score.sentence_bleu([wanted], said, weights=(1, 0, 0, 0), smoothing_function=smoothing)
    return float(score)


def _f1_stems(answer: str, gold: str) -> float:
    stem = _stemmer().stem
    said, wanted = (Counter(map(stem, normalize_answer(text))) for text in (answer, gold))
    common = (said & wanted).total()
    return 2 * common / (said.total() + wanted.total()) if common else 0.0


def _distinct(text: str) -> set[str]:
    return set(text.lower().translate(_SET_BLANKS).split())


@cache
def _nltk() -> Any:
    try:
        import nltk
    except ImportError as error:
        raise InputError("answer metrics need nltk: pip install 'memorai[qa]'") from error
    return nltk


@cache
def _stemmer() -> Any:
    # nltk's, as LoCoMo: its extensions change the stem of 151 of LoCoMo's 5,932 words (3.10.4)
    return _nltk().stem.PorterStemmer()
