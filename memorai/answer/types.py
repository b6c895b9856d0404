"""What passes between context, reader and judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memorai.graph.schema import Relation, Snippet
from memorai.types import Query, Question, Turn


@dataclass(frozen=True, slots=True)
class Context:
    """What a reader is given for one question.

    Args:
        text: for a prompt; every line has date, speaker and id of what it says.
        turns: the turns in it, in time order.
        ranked: ids of these turns, best first, where a ranking chose them.
        tokens: of the text, as the budget counted them.
        left_out: turns that the budget had no room for.
    """

    text: str
    turns: tuple[Turn, ...] = ()
    ranked: tuple[str, ...] = ()
    tokens: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A reader's answer.

    Args:
        text: empty only if the reader failed.
        abstained: the reader says that the context does not tell.
        turn_ids: the turns that it rests on, where the reader says so.
        error: empty, or why the reader failed, one word as in `memorai.models.llm.Reply`.
        info: what explains it, JSON-serialisable.
    """

    text: str
    abstained: bool = False
    turn_ids: tuple[str, ...] = ()
    error: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)


class ContextBuilder(Protocol):
    """Turns a ranking into what a reader is given.

    ``turns`` is how many turns of a ranking it looks at.
    """

    turns: int

    def build(
        self,
        turns: Sequence[Turn],
        ranked: Sequence[str],
        relations: Sequence[Relation] = (),
        snippets: Sequence[Snippet] = (),
    ) -> Context:
        """Return the context of one question."""
        ...


class Reader(Protocol):
    """Answers questions from contexts, a batch at a time."""

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one answer a question; a question that fails costs no other."""
        ...


class AnswerMetric(Protocol):
    """A score of answers against their gold answers beyond those that are always computed."""

    def score(self, answers: Sequence[str], golds: Sequence[str]) -> list[float]:
        """Return one value a pair."""
        ...

    def labels(self) -> dict[str, str]:
        """Return what must stand beside a figure, such as the model."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's word on one answer.

    Args:
        correct: None where the judge failed, its reply could not be read, or it does not judge such questions; neither
            right nor wrong, so it belongs in no denominator but its own.
        error: empty, or one word: ``not_judged``, ``no_answer`` (the reader failed: wrong, nobody was asked),
            ``unusable`` (a reply that could be read either way), or a kind as in `memorai.models.llm.Reply`.
    """

    correct: bool | None
    error: str = ""


class Judge(Protocol):
    """Says of answers whether they are right, a batch at a time."""

    def judge(self, questions: Sequence[Question], answers: Sequence[Answer]) -> list[Verdict]:
        """Return one verdict an answer; one that fails costs no other."""
        ...

    def labels(self) -> dict[str, str]:
        """Return ``judge``, the model's id, and ``prompt_sha256``, 12 hex digits of the prompts' texts."""
        ...
