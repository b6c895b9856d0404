"""From what systems did to the files of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hydra.utils import instantiate
from rich.console import Console

from memorai.errors import InputError
from memorai.harness.run import Outcome, run_systems, scored_questions
from memorai.harness.spread import run_spread
from memorai.metrics.overlap import overlap_note, overlaps
from memorai.metrics.retrieval import count_saturated, score_question
from memorai.report.comparison import check_compare, write_comparison
from memorai.report.manifest import manifest, sanitise
from memorai.report.paper import check_paper, write_paper
from memorai.report.published import published_rows
from memorai.report.results import PROTOCOLS, Cost, Results, Row, Timing
from memorai.report.summarize import summarize
from memorai.report.tables import print_tables, write_tables
from memorai.report.tracking import log_results
from memorai.report.trec import write_predictions, write_trec_qrels, write_trec_run
from memorai.systems.base import System
from memorai.types import Dataset

QRELS = "qrels"
"""Name of the file of gold turns, beside which each system has one of its own."""

_NAME = re.compile(r"\w[\w .,+=@()-]{0,99}")


def report(
    dataset: Dataset,
    systems: Mapping[str, System],
    ks: Sequence[int],
    folder: Path,
    config: Mapping[str, Any],
    argv: Sequence[str],
    *,
    started: datetime,
    module: str = "memorai.eval",
    protocol: str = "untrained",
    variant: str = "",
    notes: Sequence[str] = (),
    run: Any = None,
) -> Results:
    """Run systems over a data set, write every file of a run into ``folder`` and print the table.

    Args:
        dataset: what to ask.
        systems: by name.
        ks: cut-offs; rankings are as long as the largest.
        folder: of the run.
        config: the plain resolved configuration; of it `check_settings` says what is read.
        argv: of the command.
        started: when the run began.
        module: what ``python -m`` ran.
        protocol: what the systems have seen of the test data; one whose settings were chosen on this data set counts
            as ``within`` where that says ``untrained`` or ``zero_shot``.
        variant: what a sweep changed.
        notes: sentences for below the table.
        run: a wandb run or None.

    Raises:
        InputError: a setting is wrong, see `check_settings`.
    """
    check_settings({**config, "protocol": protocol})
    check_systems(systems)
    compare = check_compare(config.get("compare"), list(systems), ks)
    paper = check_paper(config.get("paper"), list(systems), ks)
    if config.get("spread"):
        spread = instantiate(config["spread"])
        outcomes = run_spread(dataset, config, max(ks), spread, progress=config["progress"])
    else:
        outcomes = run_systems(dataset, systems, max(ks), progress=config["progress"])
    rows: list[Row] = []
    for outcome in outcomes:
        rows += rows_of(
            dataset,
            outcome,
            ks,
            protocol=protocol_of(outcome, protocol),
            variant=sanitise(variant),
            seed=config["seed"],
            n_resamples=config["bootstrap"],
        )
    described = manifest(
        argv=argv,
        config=config,
        data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
        seed=config["seed"],
        started=started,
        seconds=(datetime.now(UTC) - started).total_seconds(),
        module=module,
        systems={outcome.system: outcome.labels for outcome in outcomes},
        categories=dataset.categories,
        category_ids=dataset.category_ids,
        notes=[*failure_notes(outcomes), *notes_of(dataset, ks), *notes],
    )
    described["graphs"] = {outcome.system: outcome.statistics for outcome in outcomes if outcome.statistics}
    described["memory"] = {outcome.system: outcome.memory for outcome in outcomes if outcome.memory}
    failures = [asdict(failure) for outcome in outcomes for failure in outcome.failures]
    if failures:
        described["failures"] = sanitise(failures)
    timings = [timing for outcome in outcomes for timing in timings_of(outcome)]
    costs = [Cost(outcome.system, **asdict(use)) for outcome in outcomes for use in outcome.costs.uses()]
    results = Results(manifest=described, rows=rows, timings=timings, costs=costs)
    write_tables(folder, results, config["published"])
    write_rankings(folder, dataset, outcomes)
    if compare is not None:
        write_comparison(folder, dataset, outcomes, rows, ks, compare, config["bootstrap"])
    if paper is not None:
        write_paper(folder, dataset, outcomes, rows, ks, paper)
    results.write(folder)  # last: whoever finds it finds everything else
    print_tables(results, config["published"])
    log_results(run, results)
    return results


def protocol_of(outcome: Outcome, protocol: str) -> str:
    """What a system has seen: ``within`` where its settings were chosen on the very data set, else the run's.

    A trained retriever has its own, which a run that says ``untrained`` does not take away.
    """
    if protocol not in ("untrained", "zero_shot"):
        return protocol
    return "within" if outcome.chosen_here else outcome.learned or protocol


def rows_of(
    dataset: Dataset,
    outcome: Outcome,
    ks: Sequence[int],
    *,
    protocol: str = "untrained",
    variant: str = "",
    seed: int | None = None,
    n_resamples: int = 1000,
) -> list[Row]:
    """Score one system's rankings: every metric by category, macro and weighted, turn and session.

    Args:
        dataset: whose questions were asked.
        outcome: rankings by question id.
        ks: cut-offs.
        protocol: what the system has seen.
        variant: what a sweep changed.
        seed: of the run.
        n_resamples: bootstrap draws, clustered by conversation.
    """
    scores, categories, clusters = [], [], []
    for conversation in dataset.conversations:
        session_of = {turn.id: turn.session_id for turn in conversation.turns}
        for question in scored_questions(conversation):
            scores.append(score_question(outcome.rankings[question.id], question, ks, session_of))
            categories.append(question.category)
            clusters.append(conversation.id)
    return summarize(
        scores,
        categories,
        clusters,
        dataset=sanitise(dataset.name),
        protocol=protocol,
        system=outcome.system,
        variant=variant,
        seed=seed,
        order=dataset.categories,
        n_resamples=n_resamples,
    )


def failure_notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Sentences on the conversations where a system raised."""
    return [
        f"FAILED: {f.system} on {f.conversation} ({f.error}); its questions there count as not found."
        for outcome in outcomes
        for f in outcome.failures
    ]


def timings_of(outcome: Outcome) -> list[Timing]:
    """Median and 95th percentile of every stage, in milliseconds; n counts conversations or queries."""
    timings = []
    for stage, values in outcome.stages.items():
        p50, p95 = np.percentile(values, [50, 95])
        timings.append(Timing(outcome.system, stage, float(p50), float(p95), len(values)))
    return timings


def notes_of(dataset: Dataset, ks: Sequence[int]) -> list[str]:
    """Sentences that a table needs below it: denominators, survived defects, cut-offs that say nothing."""
    scored = {c.id: scored_questions(c) for c in dataset.conversations}
    total = sum(len(c.questions) for c in dataset.conversations)
    n = sum(len(questions) for questions in scored.values())
    notes = [f"{n} of {total} questions name evidence and are scored."]
    defects = Counter(note.kind for note in dataset.notes)
    if defects:
        listed = ", ".join(f"{kind} {count}" for kind, count in sorted(defects.items()))
        notes.append(f"Defects of the data survived: {listed}.")
    notes.append(overlap_note(overlaps(dataset)))
    sizes = [len(c.turns) for c in dataset.conversations for _ in scored[c.id]]
    for k, count in count_saturated(sizes, ks).items():
        if count:
            notes.append(f"k={k} covers every candidate turn of {count} of {n} questions, whose recall@{k} is trivial.")
    return notes


def write_rankings(folder: Path, dataset: Dataset, outcomes: Sequence[Outcome]) -> None:
    """Write predictions.jsonl, one TREC run a system, and the qrels."""
    questions = [q for c in dataset.conversations for q in scored_questions(c)]
    rankings: Mapping[str, list] = {o.system: [o.rankings[q.id] for q in questions] for o in outcomes}
    write_predictions(folder / "predictions.jsonl", rankings, questions)
    write_trec_qrels(folder / f"{QRELS}.trec", questions)
    for system, ranked in rankings.items():
        write_trec_run(folder / f"{system}.trec", ranked, tag=system)


def check_ks(ks: object) -> list[int]:
    """Return the cut-offs, sorted, or raise InputError naming the first that is not a whole number >= 1."""
    values: list[Any] = list(ks) if isinstance(ks, Iterable) and not isinstance(ks, str) else [ks]
    for k in values:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InputError(f"ks: {k!r} is not a whole number of at least 1")
    if not values:
        raise InputError("ks is empty; give at least one cut-off, such as ks=[10]")
    return sorted(set(values))


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise InputError for a setting that would only fail, or mislabel a row, once everything has been computed.

    Args:
        settings: the plain resolved configuration. ``seed`` and ``bootstrap`` are whole numbers, ``progress`` is true
            or false, ``protocol`` is one of `PROTOCOLS`, ``published`` names models of the published table, and
            ``systems`` maps names, see `check_systems`, to configurations.
    """
    for name in ("seed", "bootstrap"):
        value = settings[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"{name}={value} is not a whole number of at least 0; use {name}=0, for example")
    if not isinstance(settings["progress"], bool):
        raise InputError(f"progress={settings['progress']}: use true or false")
    if settings["protocol"] not in PROTOCOLS:
        raise InputError(f"protocol={settings['protocol']}: unknown; use one of {', '.join(PROTOCOLS)}")
    published_rows(settings["published"])
    systems = settings.get("systems") or {}
    if not isinstance(systems, Mapping) or not systems:
        raise InputError(f"no system to run: systems={systems}; add an experiment, such as +experiment=demo")
    for name, system in systems.items():
        if not isinstance(system, Mapping):
            raise InputError(f"systems.{name}={system} is not a system; leave one out with ~systems.{name}")
    check_systems(map(str, systems))
    if settings.get("compare") is not None:
        check_compare(settings["compare"], list(map(str, systems)), check_ks(settings["ks"]))
    if settings.get("paper") is not None:
        check_paper(settings["paper"], list(map(str, systems)), check_ks(settings["ks"]))


def check_systems(systems: Iterable[str]) -> None:
    """Raise InputError for a system whose name cannot name its file in the run's folder, or would name another's."""
    names: dict[str, str] = {}  # by what a file system without case sees
    for name in systems:
        if not _NAME.fullmatch(name) or name.casefold() == QRELS:
            raise InputError(
                f"systems: {name!r} cannot name a system, whose rankings go to a file NAME.trec beside {QRELS}.trec; "
                "use letters, digits and _, at most 100"
            )
        other = names.setdefault(name.casefold(), name)
        if other != name:
            raise InputError(f"systems: {other} and {name} differ in case only and would share a file; rename one")


def say_what_was_loaded(dataset: Dataset) -> None:
    """Print denominators, and every record that a loader had to repair or could not score, by id."""
    console = Console(stderr=True)
    counts = ", ".join(f"{name} {count}" for name, count in dataset.counts.items())
    console.print(f"{dataset.name} ({dataset.version}): {counts}", markup=False, highlight=False, soft_wrap=True)
    kinds: dict[str, list[str]] = {}
    for note in dataset.notes:
        kinds.setdefault(note.kind, []).append(note.record)
    for kind, records in kinds.items():
        more = f" and {len(records) - 12} more" if len(records) > 12 else ""
        text = f"  {kind} ({len(records)}): {', '.join(records[:12])}{more}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
