"""Data sets and systems by the names of their configurations, for use from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from memorai.errors import InputError
from memorai.harness.build import build_dataset, build_systems
from memorai.systems.base import System
from memorai.types import Dataset

#: what the user got wrong, as against what we did
USER_ERRORS = (InputError, HydraException, OmegaConfBaseException)


def load_dataset(name: str = "demo", *overrides: str) -> Dataset:
    """Load a data set by the name of its configuration, e.g. ``load_dataset("locomo", "dataset.path=...")``.

    Args:
        name: a file of conf/dataset: demo, locomo, locomo_lmeb, longmemeval_oracle, longmemeval_s, jsonl.
        overrides: Hydra overrides, as on the command line.

    Raises:
        InputError: no such configuration, or the data is missing or wrong.
    """
    with _composed(f"dataset={name}", *overrides) as config:
        return build_dataset(config)


def load_system(name: str = "memorai_plus", *overrides: str) -> System:
    """Build a memory system by the name of its configuration, e.g. ``load_system("bm25")``.

    Args:
        name: a file of conf/system.
        overrides: Hydra overrides; the system itself stands under ``systems.NAME``.

    Raises:
        InputError: no such configuration or value.

    Example:
        >>> dataset = load_dataset("demo", "dataset.part=en")
        >>> index = load_system("bm25").index(dataset.conversations[0])
        >>> question = dataset.conversations[0].questions[0]
        >>> len(index.search([question.query], k=3)[0].ids)
        3
    """
    with _composed(f"+system@systems.{name}={name}", *overrides) as config:
        return build_systems(config)[name]


def conf_dir() -> Path:
    """Return the configuration folder: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "conf"
    return inside if inside.is_dir() else package.parent / "conf"


def one_line(error: BaseException) -> str:
    """Return the message that says most: the innermost cause of a failed instantiation, folded into one line."""
    while error.__cause__ is not None and not isinstance(error, InputError):
        error = error.__cause__
    return " ".join(str(error).split()) or type(error).__name__


@contextmanager
def _composed(*overrides: str) -> Iterator[DictConfig]:
    """The evaluation's configuration under overrides; what is wrong in it becomes an InputError."""
    GlobalHydra.instance().clear()  # a program that calls this twice, or beside a Hydra of its own
    try:
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            config = compose("eval", list(overrides))
        yield config
    except USER_ERRORS as error:
        raise InputError(one_line(error)) from error
