"""Index every conversation with every system and ask every question."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from tqdm import tqdm

from memorai.errors import InputError
from memorai.models.llm import ACCOUNTING, Accounting
from memorai.systems.base import SearchIndex, System
from memorai.types import Conversation, Dataset, Question, Ranking

_log = logging.getLogger(__name__)

#: what ends a run: the user has to mend it, and it would hit every conversation
USERS_TO_MEND = (InputError, HydraException, OmegaConfBaseException)
#: stages that a conversation pays once; all others are paid by each query
INDEX_STAGES = ("segment", "gate", "extract", "build", "embed_documents", "index_lexical")


@dataclass(frozen=True, slots=True)
class Failure:
    """A system that raised on a conversation: its questions there count as not found, and the others go on."""

    system: str
    conversation: str
    error: str


@dataclass
class Outcome:
    """What one system did with one data set.

    Args:
        system: its name.
        rankings: by question id, for every question that has evidence.
        stages: milliseconds by stage; index stages once a conversation, query stages per query of a batch.
        statistics: summed graph counts.
        labels: embedder, extractor and gate.
        costs: use of language models by stage.
        chosen_here: its settings were chosen on this data set.
        learned: protocol under which its retriever was trained; empty if it was not.
        memory: bytes of the indexes of all conversations together, as far as an index tells.
        failures: conversations on which it raised.
    """

    system: str
    rankings: dict[str, Ranking] = field(default_factory=dict)
    stages: dict[str, list[float]] = field(default_factory=dict)
    statistics: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    costs: Accounting = field(default_factory=Accounting)
    chosen_here: bool = False
    learned: str = ""
    memory: int = 0
    failures: list[Failure] = field(default_factory=list)

    def merge(self, other: Outcome) -> None:
        """Add what the same system did on other conversations of the data set."""
        self.rankings |= other.rankings
        for stage, milliseconds in other.stages.items():
            self.stages.setdefault(stage, []).extend(milliseconds)
        for name, count in other.statistics.items():
            self.statistics[name] = self.statistics.get(name, 0) + count
        self.costs.merge(other.costs.uses())
        self.memory += other.memory
        self.failures += other.failures


def scored_questions(conversation: Conversation) -> list[Question]:
    """The questions that name at least one evidence turn; the others cannot be scored by retrieval metrics."""
    return [question for question in conversation.questions if question.evidence]


def run_systems(dataset: Dataset, systems: Mapping[str, System], k: int, progress: bool = True) -> list[Outcome]:
    """Run every system on every conversation of the data set.

    A system that raises on a conversation is noted in its outcome, and its questions there get empty rankings, so that
    every system is scored over the same questions. What the user has to mend (InputError) ends the run.

    Args:
        dataset: what to ask.
        systems: by name; each gets the same conversations in the same order.
        k: length of the rankings, >= 1.
        progress: show a progress bar on stderr.

    Returns:
        One outcome a system, in the systems' order, all over the same question ids.

    Raises:
        InputError: k < 1, or no question of the data set has evidence.
    """
    if k < 1:
        raise InputError(f"k={k} is less than 1; ask for at least one result")
    asked = [(conversation, scored_questions(conversation)) for conversation in dataset.conversations]
    asked = [(conversation, questions) for conversation, questions in asked if questions]
    if not asked:
        raise InputError(f"data set {dataset.name}: no question names an evidence turn, so there is nothing to score")
    outcomes = [Outcome(name) for name in systems]
    ACCOUNTING.take()  # what was asked before belongs to none of the systems
    with tqdm(total=len(asked) * len(systems), desc=dataset.name, unit="index", disable=not progress) as bar:
        for conversation, questions in asked:
            for outcome, system in zip(outcomes, systems.values(), strict=True):
                bar.set_postfix_str(f"{outcome.system} {conversation.id}", refresh=False)
                run_one(outcome, system, conversation, questions, k)
                bar.update()
    for outcome, system in zip(outcomes, systems.values(), strict=True):
        label(outcome, system, dataset)
    same_questions(outcomes)
    return outcomes


def label(outcome: Outcome, system: System, dataset: Dataset) -> None:
    """Enter what a table must name of a system, once it has run: some labels say what was used."""
    outcome.labels = dict(system.labels())
    outcome.chosen_here = dataset.name in getattr(system, "chosen_on", ())
    outcome.learned = str(getattr(getattr(system, "retriever", None), "protocol", ""))


def run_one(
    outcome: Outcome, system: System, conversation: Conversation, questions: Sequence[Question], k: int
) -> SearchIndex | None:
    """Ask one system questions of one conversation and enter into its outcome what it did.

    Args:
        outcome: of the system.
        system: to run.
        conversation: that it indexes, without questions.
        questions: to ask.
        k: length of the rankings.

    Returns:
        the index, or None where the system raised, which the outcome then says.
    """
    reveal = getattr(system, "reveal", None)
    if reveal is not None:
        reveal(questions)
    try:
        # the questions hold gold, and no system needs them to index what was said
        index = system.index(replace(conversation, questions=()))
        rankings = index.search([q.query for q in questions], k)
    except USERS_TO_MEND:
        raise
    except Exception as error:  # a system's fault: the comparison goes on without it here, and says so
        _log.exception("%s failed on %s", outcome.system, conversation.id)
        text = " ".join(f"{type(error).__name__}: {error}".split())
        outcome.failures.append(Failure(outcome.system, conversation.id, text))
        outcome.rankings |= {question.id: Ranking(question.id, (), ()) for question in questions}
        outcome.costs.merge(ACCOUNTING.take())
        return None
    for question, ranking in zip(questions, rankings, strict=True):
        if ranking.question_id != question.id:
            raise ValueError(f"system {outcome.system} answered {ranking.question_id} when asked {question.id}")
        outcome.rankings[question.id] = ranking
    outcome.costs.merge(ACCOUNTING.take())
    for stage, seconds in index.seconds().items():
        spread = 1 if stage in INDEX_STAGES else len(questions)
        outcome.stages.setdefault(stage, []).extend([1e3 * seconds / spread] * spread)
    for name, count in index.statistics().items():
        outcome.statistics[name] = outcome.statistics.get(name, 0) + count
    outcome.memory += getattr(index, "nbytes", lambda: 0)()
    return index


def same_questions(outcomes: Sequence[Outcome]) -> None:
    """Raise ValueError unless all systems have a ranking for the same questions."""
    expected = set(outcomes[0].rankings) if outcomes else set()
    for outcome in outcomes:
        if set(outcome.rankings) != expected:
            raise ValueError(f"systems {outcomes[0].system} and {outcome.system} answered different questions")
