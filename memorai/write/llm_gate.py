"""Gates that ask a language model: the paper's list of messages to keep, and the odds of "yes" for each message."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memorai.errors import InputError
from memorai.models.llm import LLM, Reply, Schema
from memorai.models.parse import read_indices
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.llm_step import Step, Unusable, check_window, line, shown, windows

SCHEMA: Schema = {
    "type": "object",
    "properties": {"keep": {"type": "array", "items": {"type": "integer"}}},
    "required": ["keep"],
    "additionalProperties": False,
}
_YES, _NO = frozenset(("yes", "是")), frozenset(("no", "否", "不"))
_ALTERNATIVES = 20  # the most that OpenAI's interface gives


class LLMGate:
    """The paper's gate: the model lists the messages of a segment that are worth keeping.

    Where it gives nothing usable every turn of the stretch is kept, for a dropped turn is gone. So is every turn after
    the last of a list that ``max_tokens`` cut off.

    Args:
        llm: the model.
        max_turns: longer segments are shown in windows of nearly equal length.
        threshold: a turn is kept if its score, which is 0 or 1 here, reaches this.
        prompt: a bundled prompt's name or the path of an ``.md`` file.
    """

    name = "llm"

    def __init__(self, llm: LLM | None, max_turns: int = 40, threshold: float = 0.5, prompt: str = "gate") -> None:
        self.max_turns = check_window("LLMGate", max_turns)
        self.threshold = threshold
        self.step = Step(llm, "gate", prompt, SCHEMA, "all turns of these stretches are kept")

    def score(self, segments: Sequence[Segment], language: str = "en") -> dict[str, float]:
        """Return 1.0 for a turn to keep and 0.0 for another, by turn id; in two segments, the higher score holds."""
        pieces = [window for segment in segments for window in windows(segment.turns, self.max_turns)]
        answers = self.step.ask([shown(piece) for piece in pieces], lambda i, reply: _kept(reply, len(pieces[i])))
        scores: dict[str, float] = {}
        for piece, kept in zip(pieces, answers, strict=True):
            for place, turn in enumerate(piece):
                score = 1.0 if kept is None or place in kept else 0.0
                scores[turn.id] = max(score, scores.get(turn.id, 0.0))
        return scores


class LLMLogitGate:
    """The odds of "yes" against "no" as the first word of the answer, one question a turn.

    Zero-shot, a small model is little better than chance: an AUC of 0.63 at 135M parameters (experiments/logit_gate).
    Its odds lean to one side whatever the turn says, so fit the threshold on labelled turns with `fit_threshold`.

    Args:
        llm: a model that gives log probabilities.
        threshold: a turn is kept if its score reaches this, in [0, 1].
        context: how many turns before are shown with each; a bare answer is nothing without its question.
        prompt: a bundled prompt's name or the path of an ``.md`` file.

    Raises:
        InputError: a value is out of its range.
    """

    name = "llm_logit"

    def __init__(self, llm: LLM | None, threshold: float = 0.5, context: int = 3, prompt: str = "gate_logit") -> None:
        if not 0 <= threshold <= 1 or context < 0:
            raise InputError(f"LLMLogitGate: threshold={threshold} must be in [0, 1] and context={context} at least 0")
        self.threshold, self.context = threshold, context
        self.step = Step(llm, "gate", prompt, None, "these turns are kept")

    def score(self, segments: Sequence[Segment], language: str = "en") -> dict[str, float]:
        """Return P(yes) / (P(yes) + P(no)) by turn id; 1.0 where the model says neither."""
        shown_with: dict[str, dict[str, str]] = {}
        for segment in segments:
            for place, turn in enumerate(segment.turns):
                before = segment.turns[max(0, place - self.context) : place]
                shown_with.setdefault(turn.id, _question(turn, before))
        answers = self.step.ask(list(shown_with.values()), lambda _, r: yes_probability(r.logprobs), _ALTERNATIVES)
        return {id_: 1.0 if score is None else score for id_, score in zip(shown_with, answers, strict=True)}


def yes_probability(logprobs: Mapping[str, float]) -> float:
    """Return P(yes) / (P(yes) + P(no)), summed over ways to write them.

    Raises:
        Unusable: neither is among the alternatives.
    """
    yes = sum(math.exp(value) for token, value in logprobs.items() if _word(token) in _YES)
    no = sum(math.exp(value) for token, value in logprobs.items() if _word(token) in _NO)
    if yes + no == 0:
        raise Unusable(f"neither yes nor no among the {len(logprobs)} likeliest first words")
    return yes / (yes + no)


def fit_threshold(scores: Sequence[float], gold: Sequence[bool], max_fnr: float = 0.05) -> float:
    """Return the highest threshold that loses at most ``max_fnr`` of the gold turns.

    Args:
        scores: of labelled turns.
        gold: which of them must be kept, aligned with ``scores``.
        max_fnr: share of gold turns with a score below the threshold, in [0, 1).

    Raises:
        InputError: no gold turn, or ``max_fnr`` out of range.
    """
    kept = sorted(score for score, is_gold in zip(scores, gold, strict=True) if is_gold)
    if not kept or not 0 <= max_fnr < 1:
        raise InputError(f"fit_threshold: {len(kept)} gold turns and max_fnr={max_fnr}; needs one turn and [0, 1)")
    return kept[int(max_fnr * len(kept))]


def _kept(reply: Reply, count: int) -> frozenset[int]:
    places, rejected = read_indices(reply.parsed["keep"], count)
    if rejected and not places:
        raise Unusable(f"none of {reply.parsed['keep']!r:.80} is the number of one of {count} messages")
    if reply.truncated:  # what the model would have said of the messages after its last number, nobody knows
        places = [*places, *range(max(places, default=-1) + 1, count)]
    return frozenset(places)


def _question(turn: Turn, before: Sequence[Turn]) -> dict[str, str]:
    return {"before": "\n".join(line(t) for t in before) or "(none)", "message": line(turn)}


def _word(token: str) -> str:
    return token.strip(" \t\n▁Ġ\"'*.").casefold()
