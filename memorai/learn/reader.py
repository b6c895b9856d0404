"""Fit the extractive reader: which turn answers, from evidence labels; which stretch of it, from gold answers.

Two linear models. That of turns maximises the probability of the evidence turns of a context (softmax over its turns).
That of stretches looks at the evidence turns alone and maximises the expected F1 of the stretch that a softmax draws,
with a term that pulls towards all good ones. Their scores are added when an answer is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from memorai.answer.question import Asked, understand
from memorai.answer.sentences import (
    SENTENCE_FEATURES,
    ContextReader,
    Coverage,
    Spoken,
    rarity,
    sentence_features,
    turn_features,
)
from memorai.answer.spans import Floats, candidates, span_features, surface
from memorai.answer.types import ContextBuilder
from memorai.metrics.answer import f1_locomo
from memorai.systems.base import System
from memorai.types import Dataset

#: kinds whose answer is no stretch of a sentence
_CALCULATED = ("when", "yes_no", "choice")


@dataclass(frozen=True)
class Example:
    """One answerable question with its context.

    Args:
        dataset: its data set's name.
        asked: the question as read.
        turns: features [T, TURN_FEATURES].
        gold: bool [T], which turns are evidence.
        spans: features [S, SENTENCE_FEATURES + SPAN_FEATURES] of every stretch of the turns searched; S may be 0.
        owner: int [S], the turn of each stretch.
        f1: [S] of each stretch against the gold answer.
    """

    dataset: str
    asked: Asked
    turns: Floats
    gold: npt.NDArray[np.bool_]
    spans: Floats
    owner: npt.NDArray[np.int64]
    f1: Floats


def collect(dataset: Dataset, system: System, builder: ContextBuilder, max_words: int = 15) -> list[Example]:
    """Return the answerable English questions of a data set that the system found some evidence for.

    Args:
        dataset: with gold answers and evidence.
        system: whose rankings make the contexts.
        builder: of contexts.
        max_words: longest gold answer from which stretches are learned.
    """
    reader, found = ContextReader(), []
    for conversation in dataset.conversations:
        questions = [q for q in conversation.questions if q.answerable and q.answer and q.evidence]
        if not questions or conversation.language != "en":
            continue
        index = system.index(replace(conversation, questions=()))
        rankings = index.search([question.query for question in questions], builder.turns)
        for question, ranking in zip(questions, rankings, strict=True):
            context = builder.build(conversation.turns, ranking.ids)
            asked = understand(question.text, list(dict.fromkeys(turn.speaker for turn in context.turns)))
            spoken = reader.read(context, asked.language)
            gold = np.array([item.turn.id in question.evidence for item in spoken], bool)
            if not gold.any():
                continue
            weight = rarity(spoken)
            coverage = Coverage(asked, weight)
            answer = str(question.answer)
            learned = asked.kind not in _CALCULATED and len(answer.split()) <= max_words
            parts = _stretches(asked, spoken, coverage, weight, answer) if learned else None
            spans, owner, f1 = parts or (np.zeros((0, 1)), np.zeros(0, np.int64), np.zeros(0))
            turns = turn_features(asked, spoken, coverage)
            found.append(Example(dataset.name, asked, turns, gold, spans, owner, f1))
    return found


def fit_turns(examples: Sequence[Example], penalty: float = 0.01, steps: int = 300) -> Floats:
    """Fit the weights of `TURN_FEATURES` by listwise softmax; examples whose turns are all evidence teach nothing.

    Args:
        examples: at least one.
        penalty: of squared standardised weights.
        steps: of Adam, full batch.
    """
    used = [one for one in examples if not one.gold.all()]
    mean, spread = _scale([one.turns for one in used])
    longest = max(len(one.gold) for one in used)
    values = torch.zeros(len(used), longest, len(mean))
    gold, present = torch.zeros(2, len(used), longest, dtype=torch.bool)
    for place, one in enumerate(used):
        size = len(one.gold)
        values[place, :size] = torch.tensor((one.turns - mean) / spread, dtype=torch.float32)
        gold[place, :size], present[place, :size] = torch.tensor(one.gold), True
    weights = torch.zeros(len(mean), requires_grad=True)
    optimiser = torch.optim.Adam([weights], lr=0.05)
    for _ in range(steps):
        scores = values @ weights
        won = torch.logsumexp(scores.masked_fill(~gold, -1e9), 1) - torch.logsumexp(
            scores.masked_fill(~present, -1e9), 1
        )
        loss = penalty * (weights**2).sum() - won.mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return np.asarray(weights.detach().numpy() / spread)


def fit_spans(examples: Sequence[Example], penalty: float = 0.01, epochs: int = 20, seed: int = 0) -> Floats:
    """Fit the weights of `SENTENCE_FEATURES` + `SPAN_FEATURES` on the evidence turns.

    Questions of which no stretch reaches an F1 of 0.4 teach nothing.

    Args:
        examples: at least one.
        penalty: weight decay.
        epochs: over the questions, one step of Adam each.
        seed: of their order.
    """
    kept = [(one, one.gold[one.owner]) for one in examples if len(one.owner)]
    mean, spread = _scale([one.spans for one, _ in kept])
    used = [(_tensor((one.spans[own] - mean) / spread), _tensor(one.f1[own])) for one, own in kept if own.any()]
    used = [(values, f1) for values, f1 in used if float(f1.max()) >= 0.4]
    weights = torch.zeros(len(mean), requires_grad=True)
    optimiser = torch.optim.Adam([weights], lr=0.02, weight_decay=penalty)
    for epoch in range(epochs):
        for place in np.random.default_rng(seed + epoch).permutation(len(used)):
            values, f1 = used[place]
            scores = values @ weights
            likely = torch.softmax(6 * f1, 0)
            loss = -2 * (torch.softmax(scores, 0) * f1).sum() - 0.3 * (likely * torch.log_softmax(scores, 0)).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return np.asarray(weights.detach().numpy() / spread)


def chosen_f1(example: Example, turns: Floats, spans: Floats, best: int = 4) -> float:
    """Return the F1 of the stretch that the two models choose together from the best turns; 0 without one."""
    scores = example.turns @ turns
    order = np.argsort(-scores, kind="stable")[:best]
    allowed = np.flatnonzero(np.isin(example.owner, order))
    if not len(allowed):
        return 0.0
    values = scores[example.owner[allowed]] + example.spans[allowed] @ spans
    return float(example.f1[allowed[int(np.argmax(values))]])


def sentence_and_span(weights: Floats) -> tuple[Floats, Floats]:
    """Split what `fit_spans` returns."""
    return weights[: len(SENTENCE_FEATURES)], weights[len(SENTENCE_FEATURES) :]


def _stretches(
    asked: Asked, spoken: Sequence[Spoken], coverage: Coverage, weight: dict[str, float], answer: str
) -> tuple[Floats, npt.NDArray[np.int64], Floats] | None:
    features, owner, f1 = [], [], []
    for place, item in enumerate(spoken):
        for one, own in zip(item.said, sentence_features(asked, item, coverage), strict=True):
            spans = candidates(one.words)
            if spans:
                features.append(
                    np.hstack([np.tile(own, (len(spans), 1)), span_features(asked, one.words, spans, weight)])
                )
                owner += [place] * len(spans)
                f1 += [f1_locomo(surface(one.words.tokens[slice(*span)]), answer, "single_hop") for span in spans]
    return (np.vstack(features), np.array(owner, np.int64), np.array(f1)) if features else None


def _scale(parts: Sequence[Floats]) -> tuple[Floats, Floats]:
    stacked = np.vstack(parts)
    return stacked.mean(0), stacked.std(0) + 1e-6


def _tensor(values: Floats) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)
