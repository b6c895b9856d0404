"""Weights & Biases, if asked for: configuration and final numbers of a run, finished even after an exception."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

from memorai.errors import InputError
from memorai.report.results import Row

Mode = Literal["disabled", "offline", "online"]
MODES: tuple[str, ...] = get_args(Mode)


@contextmanager
def tracked(mode: Mode, project: str, config: Mapping[str, Any], folder: Path, name: str = "") -> Iterator[Any]:
    """Yield a wandb run, or None if disabled; close it with exit code 1 if the block raises.

    Args:
        mode: ``disabled``, ``offline`` (files under ``folder/wandb``) or ``online`` (key from the environment).
        project: wandb project.
        config: plain resolved configuration; passed when the run starts, so that an offline run keeps it on disk.
        folder: of the run.
        name: shown in the dashboard.

    Raises:
        InputError: an unknown mode.
    """
    if mode not in MODES:
        raise InputError(f"tracking.mode={mode}: unknown; use one of {', '.join(MODES)}")
    if mode == "disabled":
        yield None
        return
    import wandb  # costs a second that a run without tracking need not pay

    # Hydra's folder is per job, so that each job of a multirun is a run of its own
    run = wandb.init(
        mode=mode, project=project, config=dict(config), dir=str(folder), name=name or None, reinit="finish_previous"
    )
    try:
        yield run
    except BaseException:
        run.finish(exit_code=1)
        raise
    run.finish()


def log_rows(run: Any, rows: Sequence[Row]) -> None:
    """Log the overall means as the run's summary, ``{system}/{unit}_{metric}@{k}_{macro or weighted}``."""
    if run is None:
        return
    for row in rows:
        if row.category in ("macro", "weighted"):
            cut = "" if row.k is None else f"@{row.k}"
            run.summary[f"{row.system}/{row.unit}_{row.metric}{cut}_{row.category}"] = row.value
