"""After a Hydra multirun: one table of all its jobs, and a plot if one parameter varied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.experimental.callback import Callback
from omegaconf import DictConfig
from rich.console import Console

from memorai.errors import InputError
from memorai.report.charts import HEADLINE, heat_maps
from memorai.report.merge import find_runs, merge, read_runs
from memorai.report.plots import plot_if_swept
from memorai.report.published import DEFAULT_MODELS
from memorai.report.results import FILE_NAME, Results
from memorai.report.tables import print_tables, write_tables


class MergeCallback(Callback):
    """Merges the jobs' results.json below ``hydra.sweep.dir`` into one table there, and prints it.

    Set it as ``hydra.callbacks.merge._target_: memorai.report.multirun.MergeCallback``. Jobs without readable results
    are named and left out. Hydra's own sweeper raises at the end if a job failed and then never reports the end of the
    multirun, so that from the first failure on the table is written again after every job. A multirun that leaves no
    merged table ends with exit status 2.

    Args:
        models: published models to show, see `memorai.report.published`.
        console: where to print; standard output by default.
    """

    def __init__(self, models: tuple[str, ...] = DEFAULT_MODELS, console: Console | None = None) -> None:
        self._models = tuple(models)
        self._console = console
        self._folder: Path | None = None
        self._failed = False

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Remember the sweep's folder, since a job may change the working directory."""
        self._folder = Path(str(config.hydra.sweep.dir)).absolute()

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Merge what there is once a job has failed."""
        self._failed |= job_return.status == JobStatus.FAILED
        if self._failed and self._folder is not None:
            merge_folder(self._folder, self._models, self._console)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Merge all jobs; if that fails, end the program with exit status 2, and with 1 if a system failed in one."""
        folder = self._folder or Path(str(config.hydra.sweep.dir))
        if not merge_folder(folder, self._models, self._console):
            raise SystemExit(2)  # Hydra turns any Exception of a callback into a warning and exits with 0
        if any(results.manifest.get("failures") for results in _readable(folder)):
            raise SystemExit(1)


def _readable(folder: Path) -> Iterator[Results]:
    for file in find_runs(folder):
        with suppress(InputError):
            yield Results.read(file)


def merge_folder(folder: Path, models: tuple[str, ...] = DEFAULT_MODELS, console: Console | None = None) -> list[Path]:
    """Merge the jobs below a folder, write table and plot there, print the table, and name jobs without results.

    Returns:
        The files written; none if no job can be read or the jobs cannot stand in one table, which is said.
    """
    console = console or Console()

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    jobs = {path.parent for path in folder.rglob(".hydra") if path.is_dir()}
    for job in sorted(jobs):
        if not (job / FILE_NAME).is_file():
            say(f"no results from job {job.relative_to(folder)}")
    readable = []
    for file in find_runs(folder) if any(folder.rglob(FILE_NAME)) else []:
        try:
            read_runs([file])
            readable.append(file)
        except InputError as error:
            say(f"left out: {error}")
    if not readable:
        say(f"nothing to merge in {folder}")
        return []
    try:
        merged = merge(read_runs(readable))
        written = [
            *write_tables(folder, merged, models),
            *plot_if_swept(merged.rows, folder),
            *heat_maps(merged.rows, HEADLINE, folder),
        ]
        print_tables(merged, models, console)
    except InputError as error:
        say(f"not merged: {error}")
        return []
    except Exception as error:  # the jobs' own results stand, and must not be lost in a traceback of ours
        say(f"not merged: {type(error).__name__}: {' '.join(str(error).split())}")
        return []
    say(f"wrote {', '.join(path.name for path in written)} to {folder}")
    return written
