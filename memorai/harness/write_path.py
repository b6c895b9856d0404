"""Run the cells of a write-path grid: what each keeps, builds, costs and finds, with equal work done once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Generic, TypeVar

from tqdm import tqdm

from memorai.errors import InputError
from memorai.harness.grid import Cell
from memorai.harness.run import scored_questions
from memorai.models.llm import ACCOUNTING, Accounting
from memorai.systems.memory_system import MemorySystem
from memorai.types import Conversation, Dataset, Ranking
from memorai.write.extraction import Extraction, Extractor, Segment, Segmenter
from memorai.write.gate import Gate, gate_name

#: stages of the write path in order; embedding is not among them, see `run_cells`
STAGES = ("segment", "gate", "extract", "build")

T = TypeVar("T")


class _Once(Generic[T]):
    """Does a piece of work at its first request, and remembers the result and what it took."""

    def __init__(self) -> None:
        self._done: dict[Hashable, tuple[T, float]] = {}
        #: what the work behind the last answer took when it was done
        self.seconds = 0.0

    def get(self, key: Hashable, work: Callable[[], T]) -> T:
        if key not in self._done:
            start = perf_counter()
            result = work()
            self._done[key] = (result, perf_counter() - start)
        result, self.seconds = self._done[key]
        return result

    def forget(self) -> None:
        self._done.clear()


class SharedSegmenter:
    """A segmenter that cuts a conversation once for all cells."""

    def __init__(self, part: Segmenter) -> None:
        self.part = part
        self.once: _Once[tuple[Segment, ...]] = _Once()

    def segment(self, conversation: Conversation) -> tuple[Segment, ...]:
        """Return the segments in order."""
        return self.once.get(conversation, lambda: self.part.segment(conversation))


class SharedGate:
    """A gate that scores a segmentation once for all cells, whatever share of it they drop."""

    def __init__(self, part: Gate) -> None:
        self.part = part
        self.name = gate_name(part)
        self.once: _Once[Mapping[str, float]] = _Once()

    @property
    def threshold(self) -> float:
        """As the gate has it."""
        return self.part.threshold

    def score(self, segments: Sequence[Segment], language: str = "en") -> Mapping[str, float]:
        """Return a score by turn id."""
        return self.once.get((tuple(segments), language), lambda: self.part.score(segments, language))


class SharedExtractor:
    """An extractor that reads the same kept turns once for all cells."""

    def __init__(self, part: Extractor) -> None:
        self.part = part
        self.once: _Once[Extraction] = _Once()

    def extract(self, segments: Sequence[Segment], language: str) -> Extraction:
        """Return mentions and relations."""
        return self.once.get((tuple(segments), language), lambda: self.part.extract(segments, language))


@dataclass(frozen=True, slots=True)
class Written:
    """What a cell's write path made of one conversation.

    Args:
        turns: that were said.
        kept: of them.
        gold: turns that are evidence of at least one question.
        lost: of these, dropped.
        counts: nodes and edges by type.
        seconds: by stage of `STAGES`.
    """

    turns: int
    kept: int
    gold: int
    lost: int
    counts: Mapping[str, int]
    seconds: Mapping[str, float]


@dataclass
class CellRun:
    """One run of one cell over a data set.

    Args:
        cell: what was run.
        protocol: what the cell's gate has seen of the data.
        seed: of the language model, None where the cell has none.
        written: one a conversation.
        rankings: by question id.
        costs: use of language models by stage; what two runs share is paid by the first.
    """

    cell: Cell
    protocol: str
    seed: int | None = None
    written: list[Written] = field(default_factory=list)
    rankings: dict[str, Ranking] = field(default_factory=dict)
    costs: Accounting = field(default_factory=Accounting)


@dataclass(frozen=True)
class Job:
    """A run to fill, the system that fills it, and the system's shared parts."""

    run: CellRun
    system: MemorySystem
    segmenter: SharedSegmenter
    gate: SharedGate
    extractor: SharedExtractor

    def forget(self) -> None:
        """Let go of what the parts remember of conversations that are done."""
        self.segmenter.once.forget()
        self.gate.once.forget()
        self.extractor.once.forget()


def run_cells(dataset: Dataset, jobs: Sequence[Job], k: int, progress: bool = True) -> list[CellRun]:
    """Run every job on every conversation that has a question with evidence.

    The turns' vectors are computed before any cell runs: where a step asks for them it finds them in the embedder's
    cache, so that no cell pays for what all share, and the stages' seconds are without embedding.

    Args:
        dataset: what to write and ask.
        jobs: cells with their systems; jobs that share a part share its work.
        k: length of the rankings.
        progress: show a bar on stderr.

    Raises:
        InputError: no question of the data set names evidence.
    """
    conversations = [c for c in dataset.conversations if scored_questions(c)]
    if not conversations:
        raise InputError(f"data set {dataset.name}: no question names an evidence turn, so there is nothing to score")
    ACCOUNTING.take()  # what was asked before belongs to none of the cells
    embedding = {(id(job.system.embedder), id(job.system.text_format)): job.system for job in jobs}
    with tqdm(total=len(conversations) * len(jobs), desc=dataset.name, unit="cell", disable=not progress) as bar:
        for conversation in conversations:
            for system in embedding.values():
                system.embedder.embed([system.text_format(turn) for turn in conversation.turns])
            for job in jobs:
                bar.set_postfix_str(f"{conversation.id} {job.run.cell.system} {job.run.cell.variant}", refresh=False)
                _run_one(job, conversation, k)
                job.run.costs.merge(ACCOUNTING.take())
                bar.update()
            for job in jobs:
                job.forget()
    return [job.run for job in jobs]


def _run_one(job: Job, conversation: Conversation, k: int) -> None:
    questions = scored_questions(conversation)
    # the questions hold gold, and no step needs them
    index = job.system.index(replace(conversation, questions=()))
    worked = (job.segmenter.once.seconds, job.gate.once.seconds, job.extractor.once.seconds, index.seconds()["build"])
    kept = {turn.id for turn in index.indexed.graph.turns}
    gold = {turn for question in conversation.questions for turn in question.evidence}
    turns, seconds = len(conversation.turns), dict(zip(STAGES, worked, strict=True))
    job.run.written.append(Written(turns, len(kept), len(gold), len(gold - kept), index.statistics(), seconds))
    for ranking in index.search([question.query for question in questions], k):
        job.run.rankings[ranking.question_id] = ranking
