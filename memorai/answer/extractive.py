"""A reader without a language model: it finds the sentence, cuts the answer out of it and works out dates.

It copies and calculates and never infers: what no sentence says, it cannot answer. How well it does, and on what, is
told in docs/answers.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import numpy as np

from memorai.answer.abstain import NO_INFORMATION
from memorai.answer.dates import dated, day
from memorai.answer.question import Asked, terms_of, understand
from memorai.answer.sentences import (
    SENTENCE_FEATURES,
    TURN_FEATURES,
    ContextReader,
    Coverage,
    Spoken,
    rarity,
    sentence_features,
    turn_features,
)
from memorai.answer.spans import SPAN_FEATURES, Floats, candidates, span_features, surface
from memorai.answer.types import Answer, Context
from memorai.errors import InputError
from memorai.types import Query
from memorai.write.when import find_times

ABSTAIN = {"en": NO_INFORMATION, "zh": f"没有相关信息 ({NO_INFORMATION.lower()})"}
_NO = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|without|hardly|stopped|quit|cannot)\b|n't\b|不|没|别", re.IGNORECASE
)
_YES = {"en": ("Yes", "No"), "zh": ("是的", "不")}
COVERED = TURN_FEATURES.index("covered")


@dataclass(frozen=True, slots=True)
class SpanModel:
    """Linear weights: which turn answers, and which stretch of which of its sentences.

    Args:
        turn: [len(TURN_FEATURES)].
        sentence: [len(SENTENCE_FEATURES)].
        span: [len(SPAN_FEATURES)].
        trained_on: names of the data sets to whose answers and evidence it was fitted.
    """

    turn: Floats
    sentence: Floats
    span: Floats
    trained_on: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | Path | None = None) -> SpanModel:
        """Read weights from JSON; None = those that ship with the package.

        Raises:
            InputError: the file cannot be read or has other features.
        """
        source = files(__package__).joinpath("span_model.json") if path is None else Path(path)
        try:
            data = json.loads(source.read_text(encoding="utf-8"))
            parts = {"turn": TURN_FEATURES, "sentence": SENTENCE_FEATURES, "span": SPAN_FEATURES}
            weights = {key: np.array([float(data[key][name]) for name in parts[key]]) for key in parts}
            trained_on = tuple(map(str, data["trained_on"]))
            if not all(np.isfinite(values).all() for values in weights.values()):
                raise ValueError("a weight is not finite")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{source}: not the weights of an extractive reader ({error!r})") from None
        return cls(**weights, trained_on=trained_on)


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch that could be the answer, and where it stands."""

    text: str
    score: float
    spoken: Spoken


class ExtractiveReader:
    """Answers with a stretch of what was said.

    A question about time is answered with the date that the best turn states, counted from when it was said, or with
    that moment itself; one that asks whether, by whether the best turn denies; one that asks for several things, with
    one stretch from each of the best turns.

    Args:
        model: path of the weights; None = the package's.
        turns: how many of the best turns are searched for a stretch.
        several: how many answers a question for several things gets at most.
        near: of the further ones, how far below the best they may score.
        abstain_below: share of the question's words, rare ones weighing more, that some turn must hold for the reader
            not to decline; 0 = it always answers.

    Raises:
        InputError: the weights cannot be read, or a number is out of range.
    """

    def __init__(
        self,
        model: str | None = None,
        turns: int = 4,
        several: int = 4,
        near: float = 1.5,
        abstain_below: float = 0.0,
    ) -> None:
        if turns < 1 or several < 1 or near < 0 or not 0 <= abstain_below <= 1:
            raise InputError(
                f"an extractive reader needs turns and several >= 1, near >= 0 and abstain_below in [0, 1], not "
                f"{turns}, {several}, {near} and {abstain_below}"
            )
        self.model = SpanModel.read(model)
        self.turns, self.several, self.near, self.abstain_below = turns, several, near, abstain_below
        #: data sets on which it was fitted; there its rows are labelled ``within``
        self.chosen_on = self.model.trained_on
        self._reader = ContextReader()

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one answer a question."""
        return [self._answer(question, context) for question, context in zip(questions, contexts, strict=True)]

    def _answer(self, question: Query, context: Context) -> Answer:
        asked = understand(question.text, list(dict.fromkeys(turn.speaker for turn in context.turns)))
        spoken = self._reader.read(context, asked.language)
        weight = rarity(spoken)
        coverage = Coverage(asked, weight)
        features = turn_features(asked, spoken, coverage)
        scores = features @ self.model.turn
        order = [int(i) for i in np.argsort(-scores, kind="stable") if spoken[i].said]
        info: dict[str, object] = {"kind": asked.kind}
        if not order or features[:, COVERED].max() < self.abstain_below:
            return Answer(ABSTAIN[asked.language], abstained=True, info=info)
        best = spoken[order[0]]
        if asked.kind == "when":
            text = self._time(asked, best, coverage)
        elif asked.kind == "yes_no":
            text = _YES[asked.language][_denies(best)]
        elif asked.kind == "choice":
            text = chosen(asked, spoken, scores)
        else:
            found = [self.best_stretch(asked, spoken[i], scores[i], weight, coverage) for i in order[: self.turns]]
            found.sort(key=lambda one: -one.score)
            kept = self._several(found) if asked.several else found[:1]
            joint = "、" if asked.language == "zh" else ", "
            return Answer(joint.join(k.text for k in kept), turn_ids=tuple(k.spoken.turn.id for k in kept), info=info)
        return Answer(text, turn_ids=(best.turn.id,), info=info)

    def best_stretch(
        self, asked: Asked, spoken: Spoken, score: float, weight: Mapping[str, float], coverage: Coverage
    ) -> Found:
        """Return the stretch of a turn that scores highest; the whole turn if none can be cut out."""
        found = Found(spoken.turn.text, score - 10.0, spoken)
        for one, own in zip(spoken.said, sentence_features(asked, spoken, coverage), strict=True):
            spans = candidates(one.words)
            if spans:
                values = (
                    score + own @ self.model.sentence + span_features(asked, one.words, spans, weight) @ self.model.span
                )
                place = int(np.argmax(values))
                if values[place] > found.score:
                    first, last = spans[place]
                    found = Found(surface(one.words.tokens[first:last]), float(values[place]), spoken)
        return found

    def _several(self, found: Sequence[Found]) -> list[Found]:
        kept: list[Found] = []
        for one in found:
            fresh = all(one.text.casefold() != other.text.casefold() for other in kept)
            if fresh and one.score >= found[0].score - self.near and len(kept) < self.several:
                kept.append(one)
        return kept

    def _time(self, asked: Asked, best: Spoken, coverage: Coverage) -> str:
        """The date that the turn's best sentence states, or another of its sentences; else when the turn was said."""
        values = sentence_features(asked, best, coverage)[:, 0]
        for place in np.argsort(-values, kind="stable"):
            stated = dated(best.said[place].sentence.text, best.turn.time, asked.language)
            if stated:
                return stated[0].text
        if best.turn.time is None:
            return best.said[int(np.argmax(values))].sentence.text
        return day(best.turn.time, asked.language)


def _denies(best: Spoken) -> bool:
    return bool(_NO.search(best.turn.text))


def chosen(asked: Asked, spoken: Sequence[Spoken], scores: Floats) -> str:
    """Return the option that came first or last, if the question asks for that; else the one spoken of in the best."""
    options = [(option, terms_of(option, asked.language)) for option in asked.options]
    distinct = [terms.difference(*(t for p, t in options if p != o)) or terms for o, terms in options]
    shares = np.array(
        [[len(terms & item.terms) / max(1, len(terms)) for item in spoken] for terms in distinct]
    )  # [O, T]
    likely = np.exp(scores - scores.max())
    if asked.order:
        moments = [_moment(spoken[int(np.argmax(row + 0.1 * likely))]) for row in shares]
        known = [moment for moment in moments if moment is not None]
        if len(known) == len(options):
            return options[known.index((min if asked.order == "first" else max)(known))][0]
    return options[int(np.argmax((shares * likely).max(1)))][0]


def _moment(spoken: Spoken) -> datetime | None:
    """When the event of a turn took place, without a time zone."""
    stated = find_times(spoken.turn.text, spoken.turn.time)
    moment = stated[0].start if stated else spoken.turn.time
    return moment.replace(tzinfo=None) if moment else None
