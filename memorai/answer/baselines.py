"""Readers to compare with: a turn, a sentence, nothing. None understands a question."""

from __future__ import annotations

from collections.abc import Sequence

from memorai.answer.extractive import ABSTAIN
from memorai.answer.question import understand
from memorai.answer.sentences import ContextReader, Coverage, rarity
from memorai.answer.types import Answer, Context
from memorai.types import Query


class FirstTurnReader:
    """Answers with the text of the turn that the ranking puts first."""

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one answer a question; without a turn it declines."""
        return [self._answer(context) for _, context in zip(questions, contexts, strict=True)]

    def _answer(self, context: Context) -> Answer:
        first = next((turn for id_ in context.ranked for turn in context.turns if turn.id == id_), None)
        if first is None:
            return Answer(ABSTAIN["en"], abstained=True)
        return Answer(first.text or first.caption or "", turn_ids=(first.id,))


class BestSentenceReader:
    """Answers with the sentence that says most of what the question says, rare words weighing more.

    Of equal ones the better ranked turn's; questions are no answers.
    """

    def __init__(self) -> None:
        self._reader = ContextReader()

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one answer a question; without a sentence it declines."""
        return [self._answer(question, context) for question, context in zip(questions, contexts, strict=True)]

    def _answer(self, question: Query, context: Context) -> Answer:
        asked = understand(question.text, list(dict.fromkeys(turn.speaker for turn in context.turns)))
        spoken = self._reader.read(context, asked.language)
        coverage = Coverage(asked, rarity(spoken))
        ranked = [
            (one.sentence.question, -coverage(one.terms), item.place, number, one.sentence.text, item.turn.id)
            for item in spoken
            for number, one in enumerate(item.said)
        ]
        if not ranked:
            return Answer(ABSTAIN[asked.language], abstained=True)
        *_, text, turn = min(ranked)
        return Answer(text, turn_ids=(turn,))


class AbstainingReader:
    """Declines always: what a data set gives for that alone."""

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one refusal a question."""
        return [Answer(ABSTAIN["en"], abstained=True) for _ in zip(questions, contexts, strict=True)]
