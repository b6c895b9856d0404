"""What the entry points share: how an error reaches the user, and what a job of a multirun is called."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig

from memorai.errors import InputError
from memorai.harness.load import USER_ERRORS, conf_dir, one_line
from memorai.report.manifest import sanitise

# A file that cannot be written, or a value of the configuration that only our code found wrong: the user's to mend too
LATE_ERRORS = (OSError, ValueError, TypeError)


def run_main(task: Callable[[DictConfig], Any], config_name: str) -> None:
    """Run a Hydra task; what the user got wrong ends in one line on stderr and exit status 2.

    So do the last-resort `LATE_ERRORS`, with the name of their type; all other exceptions keep their traceback. A user
    who sets ``HYDRA_FULL_ERROR=1`` gets every traceback, before the line.
    """
    failures: list[BaseException] = []

    def guarded(config: DictConfig) -> Any:
        try:
            return task(config)
        except (*USER_ERRORS, *LATE_ERRORS) as error:
            # a multirun must see the job fail; a single run ends here, where Hydra would add a line of its own
            if HydraConfig.get().mode == RunMode.MULTIRUN:
                raise
            failures.append(error)

    with _full_errors() as wanted:
        try:
            hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name=config_name)(guarded)()
        except (*USER_ERRORS, *LATE_ERRORS) as error:
            failures.append(error)
        except KeyboardInterrupt:
            print("error: interrupted", file=sys.stderr)
            raise SystemExit(130) from None
    if failures:
        if wanted:
            traceback.print_exception(failures[0])
        print(f"error: {_message(failures[0])}", file=sys.stderr)
        raise SystemExit(2)


@contextmanager
def _full_errors() -> Iterator[bool]:
    """Ask Hydra to let errors through to us, which it would print itself and exit with 1; yield what the user wants."""
    name = "HYDRA_FULL_ERROR"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield before == "1"
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _message(error: BaseException) -> str:
    text = one_line(error)
    if isinstance(error, USER_ERRORS) or (isinstance(error, OSError) and error.filename is not None):
        return text
    return f"{type(error).__name__}: {text} (HYDRA_FULL_ERROR=1 shows where)"


def task_of(config: DictConfig, *known: str) -> str | None:
    """Return what the configuration asks for instead of running systems, None for nothing.

    Raises:
        InputError: that is none of what the entry point knows.
    """
    task = config.get("task")
    if task is not None and task not in known:
        raise InputError(f"task={task}: beside running systems the tasks here are {', '.join(known)}")
    return task


def variant() -> str:
    """Return what a multirun changed in this job, such as ``damping=0.3,restart=dense``; empty outside a multirun.

    It goes into published rows, so that absolute paths are cut and secrets masked, as in a manifest.
    """
    config = HydraConfig.get()
    if config.mode != RunMode.MULTIRUN:
        return ""
    parser = OverridesParser.create()
    swept = {str(key) for key in (config.sweeper.get("params") or {})}
    swept |= {o.get_key_element() for o in parser.parse_overrides(_task_arguments()) if o.is_sweep_override()}
    changed = [o for o in parser.parse_overrides(list(config.overrides.task)) if o.get_key_element() in swept]
    return ",".join(sanitise(f"{_short(o.get_key_element())}={o.get_value_element_as_str()}") for o in changed)


def _task_arguments() -> list[str]:
    return [argument for argument in sys.argv[1:] if "=" in argument and not argument.startswith("-")]


def _short(key: str) -> str:
    """systems.memorai.retriever.damping -> damping; restart@systems.memorai.retriever.restart -> restart."""
    return key.lstrip("+~").split("@")[0].split(".")[-1].split("/")[-1]
