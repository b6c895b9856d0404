"""From answers to rows: every system with every reader, what was retrieved beside what was answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memorai.answer.types import Verdict
from memorai.harness.answers import Answered
from memorai.harness.run import Outcome
from memorai.metrics.answer_scores import ANSWER, NO_K, OVERLAP, score_answer
from memorai.metrics.answer_table import official_mean
from memorai.metrics.retrieval import Score, score_question
from memorai.metrics.statistics import WEIGHTED
from memorai.report.compare import Scored
from memorai.report.results import Row
from memorai.types import Dataset, Question

#: means over the questions that have an answer, and over those of them whose gold answer an audit does not fault
ANSWERABLE, AUDITED = "answerable", "audited"


@dataclass(frozen=True)
class Graded:
    """The scores of one system with one reader, question by question in the order asked.

    Args:
        system: that ranked.
        reader: its name.
        questions: asked.
        scored: their scores.
        protocol: what system and reader have seen of the data.
    """

    system: str
    reader: str
    questions: tuple[Question, ...]
    scored: Scored
    protocol: str

    @property
    def name(self) -> str:
        """System and reader."""
        return f"{self.system} + {self.reader}"

    def only(self, kept: Collection[str]) -> Graded:
        """Return the scores of some questions, by id."""
        places = [place for place, question in enumerate(self.questions) if question.id in kept]
        return replace(
            self,
            questions=tuple(self.questions[place] for place in places),
            scored=Scored(
                tuple(self.scored.scores[place] for place in places),
                tuple(self.scored.categories[place] for place in places),
                tuple(self.scored.clusters[place] for place in places),
            ),
        )


def grade(
    dataset: Dataset,
    asked: Mapping[str, Sequence[Question]],
    outcome: Outcome,
    answered: Answered,
    verdicts: Mapping[str, Mapping[str, Verdict]],
    ks: Sequence[int],
    protocol: str,
    further: Mapping[str, Mapping[str, float]] | None = None,
) -> Graded:
    """Score one reader's answers from one system's contexts.

    Args:
        dataset: whose questions were asked.
        asked: by conversation id.
        outcome: the system's rankings.
        answered: the reader's answers.
        verdicts: by judge, then question id.
        ks: cut-offs of the retrieval metrics, of turns.
        protocol: what system and reader have seen.
        further: scores by metric, then question id, where a question has one.
    """
    scores: list[tuple[Score, ...]] = []
    questions: list[Question] = []
    clusters: list[str] = []
    for conversation in dataset.conversations:
        session_of = {turn.id: turn.session_id for turn in conversation.turns}
        for question in asked.get(conversation.id, ()):
            own = {name: by_question[question.id] for name, by_question in verdicts.items()}
            id_ = question.id
            entries = score_answer(question, answered.answers[id_], answered.held[id_], answered.tokens[id_], own)
            entries += [(name, ANSWER, NO_K, by[id_]) for name, by in (further or {}).items() if id_ in by]
            if question.evidence:
                found = score_question(outcome.rankings[id_], question, ks, session_of)
                entries += [score for score in found if score[0] in ("ndcg", "recall") and score[1] == "turn"]
            scores.append(tuple(entries))
            questions.append(question)
            clusters.append(conversation.id)
    scored = Scored(tuple(scores), tuple(question.category for question in questions), tuple(clusters))
    return Graded(answered.system, answered.reader, tuple(questions), scored, protocol)


def answer_rows(
    graded: Graded,
    dataset: Dataset,
    *,
    faulty: Collection[str] = (),
    variant: str = "",
    seed: int | None = None,
    n_resamples: int = 1000,
) -> list[Row]:
    """Average scores into rows; the reader stands in ``variant``, before what a sweep changed.

    Beside each category, ``macro`` and ``weighted`` over all questions there are the means over the answerable ones
    (``answerable``: LoCoMo's categories 1-4) and, where an audit faults some, over the others of these (``audited``).
    ``f1_locomo_official`` is ``f1_locomo`` rounded to three decimals a question, as LoCoMo averages.

    Args:
        graded: one system with one reader.
        dataset: that was asked.
        faulty: ids of the questions whose gold answer an audit faults.
        variant: what a sweep changed.
        seed: of the run.
        n_resamples: bootstrap draws, clustered by conversation.
    """
    named = f"reader={graded.reader}" + (f",{variant}" if variant else "")
    labels: dict[str, Any] = {
        "dataset": dataset.name,
        "protocol": graded.protocol,
        "system": graded.system,
        "variant": named,
        "seed": seed,
        "order": dataset.categories,
        "n_resamples": n_resamples,
    }

    def rows(part: Graded) -> list[Row]:
        return part.scored.rows(**labels) if part.questions else []

    found = rows(graded)
    for row in [row for row in found if row.metric == "f1_locomo" and row.category == WEIGHTED]:
        values = official_mean(graded.scored.values("f1_locomo", "answer", NO_K))
        found.append(replace(row, metric="f1_locomo_official", value=round(values or 0.0, 6), lo=None, hi=None))
    subsets = {ANSWERABLE: {question.id for question in graded.questions if question.answerable}}
    if faulty:
        subsets[AUDITED] = subsets[ANSWERABLE] - set(faulty)
    for name, kept in subsets.items():
        means = [row for row in rows(graded.only(kept)) if row.category == WEIGHTED]
        found += [replace(row, category=name) for row in means if row.unit != "turn"]
    return [replace(row, k=None) if row.k == NO_K else row for row in found]


def metrics_of(rows: Sequence[Row]) -> list[str]:
    """Return the names of the answers' metrics as tables show them: judges, overlaps, then further ones."""
    present = dict.fromkeys(row.metric for row in rows if row.unit == "answer")
    judges = [name for name in present if name.startswith("judge_")]
    known = {*judges, *OVERLAP, "f1_locomo_official", "length", "abstention"}
    return [*judges, *(name for name in OVERLAP if name in present), *(name for name in present if name not in known)]
