"""Let readers answer from what systems find, and score the answers: the task ``answers``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig
from rich.console import Console

from memorai.answer.types import AnswerMetric, Judge, Reader, Verdict
from memorai.datasets.locomo_audit import ceiling, faulty_questions
from memorai.entry import SystemsFailed, arguments, variant
from memorai.errors import InputError
from memorai.harness.answers import Answered, run_readers, stratified
from memorai.harness.build import SystemFactory, build_dataset, build_systems, plain
from memorai.metrics.answer_scores import OVERLAP
from memorai.models.llm import ACCOUNTING, Accounting
from memorai.report.answer_tables import answer_tables
from memorai.report.answers import ANSWERABLE, Graded, answer_rows, grade
from memorai.report.costs import cost_table
from memorai.report.jsonable import dumps
from memorai.report.manifest import manifest, sanitise
from memorai.report.render import to_latex, to_markdown, to_rich
from memorai.report.results import Cost, Results, Row, Timing
from memorai.report.resume import finished
from memorai.report.run import (
    check_ks,
    check_settings,
    failure_notes,
    notes_of,
    protocol_of,
    say_what_was_loaded,
    timings_of,
)
from memorai.report.tables import INTERVAL_WIDTH, origin, write_csv
from memorai.report.tracking import log_results
from memorai.types import Dataset, Question

ANSWERS = "answers.jsonl"
_KEYS = {"context", "readers", "judges", "metrics", "sample", "audit", "baselines", "headline", "gold"}


def evaluate_answers(config: DictConfig, tracker: Any = None) -> dict[str, float]:
    """Run every system with every reader, write the run's files and print its tables.

    Args:
        config: of the evaluation.
        tracker: a wandb run or None.

    Returns:
        ``{"system + reader": mean headline score of the answerable questions}``.

    Raises:
        InputError: a setting is wrong.
        SystemsFailed: a system or reader raised on a conversation; all is written.
    """
    started, ks = datetime.now(UTC), check_ks(config.ks)
    folder, multirun = Path(HydraConfig.get().runtime.output_dir), HydraConfig.get().mode == RunMode.MULTIRUN
    settings, changed = plain(config), variant()
    check_settings(settings)
    given = check_answers(settings.get("answers"), list(settings["systems"]))
    if settings.get("spread"):
        raise InputError("spread is for runs that rank only; the task answers runs in one process: leave spread out")
    kept = finished(folder, settings, changed) if multirun and config.resume else None
    if kept is not None:
        return _headline(kept.rows, given["headline"])
    dataset = build_dataset(config)
    say_what_was_loaded(dataset)
    asked = stratified(dataset, given["sample"], settings["seed"])
    builder = instantiate(config.answers.context)
    factory = SystemFactory(config)
    readers: dict[str, Reader] = {str(n): factory.part(part) for n, part in config.answers.readers.items()}
    judges: dict[str, Judge] = {str(n): factory.part(part) for n, part in (config.answers.judges or {}).items()}
    metrics: dict[str, AnswerMetric] = {
        str(n): factory.part(part) for n, part in (config.answers.metrics or {}).items()
    }
    systems = build_systems(config)
    outcomes, answered = run_readers(dataset, systems, builder, readers, asked, max(ks), progress=settings["progress"])
    verdicts, judged = _judge(judges, answered, asked)
    by_system = {outcome.system: outcome for outcome in outcomes}
    graded = []
    for one in answered:
        seen = _seen(readers[one.reader], dataset.name, settings["protocol"])
        protocol = protocol_of(by_system[one.system], seen)
        further = {name: _further(metric, one, asked) for name, metric in metrics.items()}
        graded.append(grade(dataset, asked, by_system[one.system], one, verdicts[one.name], ks, protocol, further))
    faulty = faulty_questions(given["audit"], dataset) if given["audit"] else frozenset()
    rows = [
        row
        for one in graded
        for row in answer_rows(
            one,
            dataset,
            faulty=faulty,
            variant=sanitise(changed),
            seed=settings["seed"],
            n_resamples=settings["bootstrap"],
        )
    ]
    described = manifest(
        argv=arguments(),
        config=settings,
        data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
        seed=settings["seed"],
        started=started,
        seconds=(datetime.now(UTC) - started).total_seconds(),
        systems={outcome.system: outcome.labels for outcome in outcomes},
        categories=dataset.categories,
        category_ids=dataset.category_ids,
        notes=_notes(dataset, asked, answered, verdicts, faulty, [*failure_notes(outcomes), *notes_of(dataset, ks)]),
    )
    described["readers"] = {name: _labels(reader) for name, reader in readers.items()}
    described["metrics"] = {name: dict(metric.labels()) for name, metric in metrics.items()}
    described["judges"] = {name: dict(judge.labels()) for name, judge in judges.items()}
    failures = [asdict(f) for own in (*(o.failures for o in outcomes), *(a.failures for a in answered)) for f in own]
    if failures:
        described["failures"] = sanitise(failures)
    costs = [Cost(o.system, **asdict(use)) for o in outcomes for use in o.costs.uses()]
    costs += [Cost(one.name, **asdict(use)) for one in answered for use in one.costs.uses()]
    costs += [Cost(name, **asdict(use)) for name, counted in judged.items() for use in counted.uses()]
    timings = [timing for outcome in outcomes for timing in timings_of(outcome)] + list(map(_timing, answered))
    results = Results(manifest=described, rows=rows, timings=timings, costs=costs)
    _write(folder, results, graded, answered, verdicts, given, max(k for k in ks if k <= 10 or k == min(ks)))
    log_results(tracker, results)
    if failures and not multirun:
        raise SystemsFailed(failures)
    return _headline(rows, given["headline"])


def check_answers(given: object, systems: Sequence[str]) -> dict[str, Any]:
    """Return the settings of the task.

    Raises:
        InputError: a key is missing or unknown, there is no reader, or a name is unknown.
    """
    if not isinstance(given, Mapping) or set(given) != _KEYS:
        keys = sorted(map(str, given)) if isinstance(given, Mapping) else given
        raise InputError(
            f"answers has {keys}: give exactly {', '.join(sorted(_KEYS))}, as conf/experiment/locomo_qa does"
        )
    settings = dict(given)
    for key in ("readers", "judges", "metrics"):
        parts = settings[key] or {}
        if not isinstance(parts, Mapping) or not all(isinstance(part, Mapping) for part in parts.values()):
            raise InputError(f"answers.{key}={parts} is not a mapping of names to parts")
    if not settings["readers"]:
        raise InputError("answers.readers is empty; add one, such as +reader@answers.readers.extractive=extractive")
    taken = set(settings["metrics"] or {}) & {*OVERLAP, "f1_locomo_official", "length", "abstention"}
    if taken:
        raise InputError(f"answers.metrics: {', '.join(sorted(taken))} is computed anyway; give another name")
    headlines = (*OVERLAP, *(settings["metrics"] or {}), *(f"judge_{name}" for name in settings["judges"] or {}))
    if settings["headline"] not in headlines:
        raise InputError(f"answers.headline={settings['headline']}: not among {', '.join(headlines)}")
    for name in settings["baselines"] or []:
        if name not in settings["readers"]:
            raise InputError(f"answers.baselines: {name} is not among the readers: {', '.join(settings['readers'])}")
    if settings["gold"] is not None and settings["gold"] not in systems:
        raise InputError(f"answers.gold={settings['gold']} is not among the systems: {', '.join(systems)}")
    return settings


def _further(metric: AnswerMetric, answered: Answered, asked: Mapping[str, Sequence[Question]]) -> dict[str, float]:
    """A further metric's value of every answerable question that has a gold answer."""
    golds = {q.id: q.answer for own in asked.values() for q in own if q.answerable and q.answer is not None}
    values = metric.score([answered.answers[id_].text for id_ in golds], list(golds.values()))
    return dict(zip(golds, values, strict=True))


def _seen(reader: Reader, dataset: str, protocol: str) -> str:
    """What a reader has seen: one fitted to answers is ``within`` on their data set, ``zero_shot`` on any other."""
    fitted_to = getattr(reader, "chosen_on", ())
    if protocol != "untrained" or not fitted_to:
        return protocol
    return "within" if dataset in fitted_to else "zero_shot"


def _judge(
    judges: Mapping[str, Judge], answered: Sequence[Answered], asked: Mapping[str, Sequence[Question]]
) -> tuple[dict[str, dict[str, dict[str, Verdict]]], dict[str, Accounting]]:
    """Verdicts by system and reader, judge and question; and what each judge cost."""
    questions = [question for own in asked.values() for question in own]
    found: dict[str, dict[str, dict[str, Verdict]]] = {}
    counted = {name: Accounting() for name in judges}
    for one in answered:
        found[one.name] = {}
        for name, judge in judges.items():
            said = judge.judge(questions, [one.answers[question.id] for question in questions])
            found[one.name][name] = {q.id: verdict for q, verdict in zip(questions, said, strict=True)}
            counted[name].merge(ACCOUNTING.take())
    return found, {f"judge {name}": use for name, use in counted.items()}


def _notes(
    dataset: Dataset,
    asked: Mapping[str, Sequence[Question]],
    answered: Sequence[Answered],
    verdicts: Mapping[str, Mapping[str, Mapping[str, Verdict]]],
    faulty: frozenset[str],
    notes: Sequence[str],
) -> list[str]:
    ids = {question.id for own in asked.values() for question in own}
    total = sum(len(conversation.questions) for conversation in dataset.conversations)
    found = list(notes)
    if len(ids) < total:
        found.append(f"A sample of {len(ids)} of {total} questions, stratified by category, was asked.")
    answerable = {question.id for own in asked.values() for question in own if question.answerable}
    if faulty and answerable:
        top = 100 * ceiling(faulty & answerable, answerable)
        found.append(
            f"An audit faults the gold answers of {len(faulty & answerable)} of the {len(answerable)} answerable "
            f"questions: a perfect reader would reach {top:.1f} over all of them; the audited means leave them out."
        )
    for one in answered:
        failed = sum(bool(answer.error) for answer in one.answers.values())
        if failed:
            found.append(f"{one.name}: {failed} answers are missing because the reader failed; they count as wrong.")
        for name, by_question in verdicts[one.name].items():
            silent = sum(v.correct is None and v.error != "not_judged" for v in by_question.values())
            if silent:
                found.append(f"judge {name} gave no verdict on {silent} answers of {one.name}, which no mean counts.")
    for one in answered:
        found += [f"FAILED: {one.name} on {f.conversation} ({f.error})." for f in one.failures]
    return found


def _labels(reader: Reader) -> dict[str, str]:
    return dict(getattr(reader, "labels", dict)()) or {"reader": type(reader).__name__}


def _timing(answered: Answered) -> Timing:
    p50, p95 = np.percentile(answered.milliseconds, [50, 95])
    return Timing(answered.name, "read", float(p50), float(p95), len(answered.milliseconds))


def _write(
    folder: Path,
    results: Results,
    graded: Sequence[Graded],
    answered: Sequence[Answered],
    verdicts: Mapping[str, Mapping[str, Mapping[str, Verdict]]],
    given: Mapping[str, Any],
    k: int,
) -> None:
    tables = answer_tables(
        results.rows,
        graded,
        k,
        headline=given["headline"],
        baselines=given["baselines"] or [],
        gold=given["gold"],
        notes=results.manifest["notes"],
    )
    spent = cost_table(results.costs)
    tables += [spent] if spent else []
    markdown = "\n".join([*map(to_markdown, tables), *origin(results.manifest)])
    (folder / "table.md").write_text(markdown, encoding="utf-8")
    (folder / "table.tex").write_text("\n".join(map(to_latex, tables)), encoding="utf-8")
    write_csv(folder / "table.csv", results.rows)
    with (folder / ANSWERS).open("w", encoding="utf-8", newline="\n") as file:
        for one, scored in zip(answered, graded, strict=True):
            for question, scores in zip(scored.questions, scored.scored.scores, strict=True):
                answer = one.answers[question.id]
                record = {
                    "question": question.id,
                    "system": one.system,
                    "reader": one.reader,
                    "answer": answer.text,
                    "abstained": answer.abstained,
                    "error": answer.error,
                    "turns": list(answer.turn_ids),
                    "context": list(one.held[question.id]),
                    "info": dict(answer.info),
                    "scores": {name: value for name, unit, _, value in scores if unit == "answer"},
                    "verdicts": {name: asdict(by[question.id]) for name, by in verdicts[one.name].items()},
                }
                file.write(json.dumps(json.loads(dumps(record)), ensure_ascii=False) + "\n")
    results.write(folder)  # last: whoever finds it finds everything else
    console = Console()
    for table in tables:
        console.print(to_rich(table, intervals=console.width >= 2 * INTERVAL_WIDTH))
    Console(stderr=True).print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)


def _headline(rows: Sequence[Row], metric: str) -> dict[str, float]:
    shown = (ANSWERABLE, metric, "answer")
    return {
        f"{row.system} + {row.variant.split(',')[0].removeprefix('reader=')}": row.value
        for row in rows
        if (row.category, row.metric, row.unit) == shown
    }
