"""Measure segmenters, gates and extractors by what retrieval makes of them: the task ``write_path``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from memorai.errors import InputError
from memorai.harness.build import SystemFactory, build_dataset, plain
from memorai.harness.grid import AXES, Cell, cells_of
from memorai.harness.write_path import CellRun, Job, SharedExtractor, SharedGate, SharedSegmenter, run_cells
from memorai.learn.held_out import HeldOutGate
from memorai.report.costs import cost_table
from memorai.report.manifest import manifest
from memorai.report.render import to_latex, to_markdown, to_rich
from memorai.report.results import PROTOCOLS, Cost, Results
from memorai.report.run import check_ks, notes_of, say_what_was_loaded
from memorai.report.tables import INTERVAL_WIDTH, origin, write_csv
from memorai.report.tracking import log_results
from memorai.report.write_path import write_path_rows
from memorai.report.write_path_plot import write_path_plot
from memorai.report.write_path_tables import write_path_tables
from memorai.systems.memory_system import MemorySystem
from memorai.types import Conversation, Dataset
from memorai.write.extraction import Extractor, UsesEmbedder
from memorai.write.gate import Gate
from memorai.write.gate_model import LearnedGate
from memorai.write.segment import SessionSegmenter


def evaluate_write_path(config: DictConfig, tracker: Any = None) -> dict[str, float]:
    """Run the grid, write the run's files and print its tables.

    Args:
        config: of the evaluation.
        tracker: a wandb run or None.

    Returns:
        ``{system and variant: weighted turn R@k}`` at the largest k.
    """
    started, ks = datetime.now(UTC), check_ks(config.ks)
    settings, folder = plain(config), Path(HydraConfig.get().runtime.output_dir)
    if settings["protocol"] not in PROTOCOLS:
        raise InputError(f"protocol={settings['protocol']}: unknown; use one of {', '.join(PROTOCOLS)}")
    given = settings["write_path"]
    cells = cells_of(given["grid"], {axis: list(given[axis]) for axis in ("systems", *AXES)})
    dataset = build_dataset(config)
    say_what_was_loaded(dataset)
    workshop = _Workshop(config, dataset)
    runs = run_cells(dataset, workshop.jobs(workshop.usable(cells)), max(ks), progress=bool(config.progress))
    rows = write_path_rows(dataset, runs, max(ks), n_resamples=int(config.bootstrap), seed=int(config.seed))
    described = manifest(
        argv=sys.argv,
        config=settings,
        data={"name": dataset.name, "version": dataset.version, "sha256": dataset.sha256},
        seed=int(config.seed),
        started=started,
        seconds=(datetime.now(UTC) - started).total_seconds(),
        systems={run.cell.system: {"embedder": workshop.embedder} for run in runs},
        notes=[*notes_of(dataset, ks), *workshop.notes],
    )
    costs = [Cost(_name(run), **asdict(use)) for run in runs for use in run.costs.uses()]
    results = Results(manifest=described, rows=rows, costs=costs)
    results.write(folder)
    log_results(tracker, results)
    tables = write_path_tables(rows, described["notes"])
    spent = cost_table(costs)
    tables += [spent] if spent else []
    markdown = "\n".join([*map(to_markdown, tables), *origin(described)])
    (folder / "table.md").write_text(markdown, encoding="utf-8")
    (folder / "table.tex").write_text("\n".join(map(to_latex, tables)), encoding="utf-8")
    write_csv(folder / "table.csv", rows)
    write_path_plot(rows, folder)
    console = Console()
    for table in tables:
        console.print(to_rich(table, intervals=console.width >= INTERVAL_WIDTH))
    Console(stderr=True).print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)
    shown = ("weighted", "recall", None)
    return {f"{row.system} {row.variant}": row.value for row in rows if (row.category, row.metric, row.seed) == shown}


class _Workshop:
    """Builds the grid's systems, and each of their parts once; what asks a language model, once a repetition."""

    def __init__(self, config: DictConfig, dataset: Dataset) -> None:
        self.config, self.dataset = config, dataset
        self.factory = SystemFactory(config)
        self.seeds: list[int] = [int(seed) for seed in config.write_path.seeds]
        if not self.seeds:
            raise InputError("write_path.seeds is empty; give one seed a repetition, such as [0,1,2]")
        self._configs: dict[int | None, DictConfig] = {None: config}
        self._parts: dict[tuple[str, str, int | None], Any] = {}
        #: what a reader of the tables must know
        self.notes: list[str] = []

    @property
    def embedder(self) -> str:
        """Name of the run's embedder."""
        return str(self.factory.embedder.name)

    def usable(self, cells: list[Cell]) -> list[Cell]:
        """Leave out cells whose extractor cannot work here, such as spaCy's where it is not installed, and say so.

        An extractor is tried on the first session of each language, which also loads what it loads at first use, so
        that no cell's time holds it. Those that ask a language model are not tried: they fall back by themselves.
        """
        barred = set()
        for name in dict.fromkeys(cell.extractor for cell in cells):
            if self._repeats("extractors", name):
                continue
            extractor: Extractor = self._part("extractors", name, None).part
            try:
                for conversation in {c.language: c for c in reversed(self.dataset.conversations)}.values():
                    first = Conversation(conversation.id, conversation.sessions[:1], (), conversation.language)
                    extractor.extract(SessionSegmenter().segment(first), first.language)
            except InputError as error:
                barred.add(name)
                self.notes.append(f"Without extractor {name}: {error}.")
        left = [cell for cell in cells if cell.extractor not in barred]
        if not left:
            raise InputError(f"write_path.grid: no cell is left. {' '.join(self.notes)}")
        return left

    def jobs(self, cells: list[Cell]) -> list[Job]:
        """One job a cell, or one a cell and seed where it asks a language model."""
        return [self._job(cell, seed) for cell in cells for seed in self._seeds_of(cell)]

    def _seeds_of(self, cell: Cell) -> list[int] | list[None]:
        chosen = (("segmenters", cell.segmenter), ("gates", cell.gate), ("extractors", cell.extractor))
        asks = self._repeats("systems", cell.system) or any(self._repeats(*part) for part in chosen)
        return self.seeds if asks else [None]

    def _job(self, cell: Cell, seed: int | None) -> Job:
        segmenter: SharedSegmenter = self._part("segmenters", cell.segmenter, seed)
        gate: SharedGate = self._part("gates", cell.gate, seed)
        extractor: SharedExtractor = self._part("extractors", cell.extractor, seed)
        system: MemorySystem = self.factory.compose(
            self._config(seed).write_path.systems[cell.system],
            **{"segmenter": segmenter, "gate": gate, "extractor": extractor, "drop_share": cell.drop_share},
        )
        return Job(CellRun(cell, self._protocol(system, gate.part), seed), system, segmenter, gate, extractor)

    def _part(self, kind: str, name: str, seed: int | None) -> Any:
        """A part by kind, name and, where it asks a language model, seed; the same object for all cells."""
        key = (kind, name, seed if self._repeats(kind, name) else None)
        if key not in self._parts:
            built = self.factory.part(self._config(key[2]).write_path[kind][name])
            if isinstance(built, UsesEmbedder):
                built.prepare(self.factory.embedder, self.factory.text_format)
            if isinstance(built, HeldOutGate):
                built.learn(self.dataset)
                self.notes.append(f"Gate {name} has its scores from before: in use it takes as long as learned.")
            self._parts[key] = _SHARED[kind](built)
        return self._parts[key]

    def _repeats(self, kind: str, name: str) -> bool:
        return _asks_llm(OmegaConf.to_container(self.config.write_path[kind][name], resolve=False), kind == "systems")

    def _config(self, seed: int | None) -> DictConfig:
        if seed not in self._configs:
            self._configs[seed] = deepcopy(self.config)
            self._configs[seed].llm.seed = seed
        return self._configs[seed]

    def _protocol(self, system: MemorySystem, gate: Gate) -> str:
        """What a cell has seen of the data: ``within`` if its system's settings or its gate come from them."""
        if self.dataset.name in system.chosen_on:
            return "within"
        if isinstance(gate, HeldOutGate):
            return "loco"
        if isinstance(gate, LearnedGate):
            # other editions of one data set share its conversations
            seen = {name.split("_")[0] for name in gate.model.trained_on}
            return "within" if self.dataset.name.split("_")[0] in seen else "zero_shot"
        return str(self.config.protocol)


def _name(run: CellRun) -> str:
    """A run as the table of costs calls it."""
    return f"{run.cell.system} {run.cell.variant}" + ("" if run.seed is None else f" llm.seed={run.seed}")


_SHARED: Mapping[str, Any] = {"segmenters": SharedSegmenter, "gates": SharedGate, "extractors": SharedExtractor}
#: of a system, what the grid replaces
_REPLACED = ("segmenter", "gate", "extractor")


def _asks_llm(part: Any, system: bool = False) -> bool:
    """Whether a part's configuration has a language model somewhere."""
    if not isinstance(part, Mapping):
        return isinstance(part, list) and any(map(_asks_llm, part))
    asked = {key: value for key, value in part.items() if not (system and key in _REPLACED)}
    return asked.get("llm") is not None or any(map(_asks_llm, asked.values()))
