"""Let readers answer what systems have found, every reader from the same contexts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from tqdm import tqdm

from memorai.answer.types import Answer, Context, ContextBuilder, Reader
from memorai.errors import InputError
from memorai.harness.run import USERS_TO_MEND, Failure, Outcome, label, run_one, same_questions
from memorai.models.llm import ACCOUNTING, Accounting
from memorai.systems.base import SearchIndex, System
from memorai.types import Conversation, Dataset, Question

_log = logging.getLogger(__name__)


@dataclass
class Answered:
    """What one reader made of one system's contexts.

    Args:
        system: that ranked.
        reader: its name.
        answers: by question id.
        held: ids of the turns in each question's context.
        tokens: of each question's context.
        milliseconds: of reading, a question each.
        costs: use of language models by stage.
        failures: conversations on which the reader raised; its answers there are empty.
    """

    system: str
    reader: str
    answers: dict[str, Answer] = field(default_factory=dict)
    held: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    costs: Accounting = field(default_factory=Accounting)
    failures: list[Failure] = field(default_factory=list)

    @property
    def name(self) -> str:
        """System and reader."""
        return f"{self.system} + {self.reader}"


def run_readers(
    dataset: Dataset,
    systems: Mapping[str, System],
    builder: ContextBuilder,
    readers: Mapping[str, Reader],
    questions: Mapping[str, Sequence[Question]],
    k: int,
    progress: bool = True,
) -> tuple[list[Outcome], list[Answered]]:
    """Ask every system every question, and every reader every context.

    A system or a reader that raises on a conversation loses that conversation only: its rankings are empty, its answers
    say that it failed, and the outcome says why. What the user has to mend (InputError) ends the run.

    Args:
        dataset: whose conversations are indexed.
        systems: by name.
        builder: of contexts.
        readers: by name.
        questions: to ask, by conversation id, those without evidence too.
        k: length of the rankings; at least as many as a context looks at are asked for.

    Returns:
        outcomes by system, and answers by system and reader, both in their orders.

    Raises:
        InputError: there is no question to ask.
    """
    asked = [(c, questions[c.id]) for c in dataset.conversations if questions.get(c.id)]
    if not asked:
        raise InputError(f"data set {dataset.name}: there is no question to answer")
    outcomes = [Outcome(name) for name in systems]
    answered = {(system, reader): Answered(system, reader) for system in systems for reader in readers}
    ACCOUNTING.take()  # what was asked before belongs to none of the systems
    with tqdm(total=len(asked) * len(systems), desc=dataset.name, unit="index", disable=not progress) as bar:
        for conversation, own in asked:
            for outcome, system in zip(outcomes, systems.values(), strict=True):
                bar.set_postfix_str(f"{outcome.system} {conversation.id}", refresh=False)
                index = run_one(outcome, system, conversation, own, max(k, builder.turns))
                contexts = list(_contexts(builder, conversation, own, outcome, index))
                for name, reader in readers.items():
                    _read(answered[outcome.system, name], reader, conversation, own, contexts)
                bar.update()
    for outcome, system in zip(outcomes, systems.values(), strict=True):
        label(outcome, system, dataset)
    same_questions(outcomes)
    return outcomes, list(answered.values())


def stratified(dataset: Dataset, size: int | None, seed: int = 0) -> dict[str, list[Question]]:
    """Return the questions to ask by conversation: all, or a sample in which categories keep their shares.

    Each category gives its share of ``size`` rounded by largest remainders, drawn with the seed; the order of the data
    set is kept, so that the same seed gives the same questions everywhere.

    Raises:
        InputError: the size is below 1.
    """
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        raise InputError(f"answers.sample={size} is not a whole number of at least 1; null asks every question")
    questions = [(c.id, question) for c in dataset.conversations for question in c.questions]
    kept = range(len(questions))
    if size is not None and size < len(questions):
        groups: dict[str, list[int]] = {}
        for place, (_, question) in enumerate(questions):
            groups.setdefault(question.category, []).append(place)
        exact = {name: size * len(places) / len(questions) for name, places in groups.items()}
        counts = {name: int(share) for name, share in exact.items()}
        for name in sorted(exact, key=lambda n: (counts[n] - exact[n], n))[: size - sum(counts.values())]:
            counts[name] += 1
        rng = np.random.default_rng(seed)
        drawn = [rng.choice(groups[name], counts[name], replace=False) for name in sorted(groups)]
        kept = sorted(int(place) for places in drawn for place in places)  # type: ignore[assignment]
    found: dict[str, list[Question]] = {}
    for place in kept:
        conversation, question = questions[place]
        found.setdefault(conversation, []).append(question)
    return found


def _contexts(
    builder: ContextBuilder,
    conversation: Conversation,
    questions: Sequence[Question],
    outcome: Outcome,
    index: SearchIndex | None,
) -> Iterator[Context]:
    graph = getattr(getattr(index, "indexed", None), "graph", None)  # systems without one have turns alone
    relations, snippets = (graph.relations, graph.snippets) if graph else ((), ())
    for question in questions:
        yield builder.build(conversation.turns, outcome.rankings[question.id].ids, relations, snippets)


def _read(
    answered: Answered,
    reader: Reader,
    conversation: Conversation,
    questions: Sequence[Question],
    contexts: Sequence[Context],
) -> None:
    start = perf_counter()
    try:
        answers = reader.read([question.query for question in questions], contexts)
    except USERS_TO_MEND:
        raise
    except Exception as error:  # a reader's fault: the comparison goes on without it here, and says so
        _log.exception("%s failed on %s", answered.name, conversation.id)
        text = " ".join(f"{type(error).__name__}: {error}".split())
        answered.failures.append(Failure(answered.name, conversation.id, text))
        answers = [Answer("", error="raised") for _ in questions]
    if len(answers) != len(questions):
        raise ValueError(f"reader {answered.reader} gave {len(answers)} answers to {len(questions)} questions")
    spent = 1e3 * (perf_counter() - start) / len(questions)
    answered.milliseconds += [spent] * len(questions)
    answered.costs.merge(ACCOUNTING.take())
    for question, context, answer in zip(questions, contexts, answers, strict=True):
        answered.answers[question.id] = answer
        answered.held[question.id] = tuple(turn.id for turn in context.turns)
        answered.tokens[question.id] = context.tokens
