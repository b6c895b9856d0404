"""Data sets and systems by the names of their configurations, for use from Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

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
    """Return the message that says most, folded into one line.

    That is the innermost cause of a failed instantiation. If it is not a message of ours, which name their place
    themselves, it follows the place in the configuration, as far as Hydra or OmegaConf know it.
    """
    place = ""
    while not isinstance(error, InputError | OverrideParseException):
        place = _full_key(error) or place
        if error.__cause__ is None:
            break
        error = error.__cause__
    if isinstance(error, OverrideParseException):
        return _not_parsed(error)
    if isinstance(error, MissingMandatoryValue):
        return f"{place}: no value is given; add {place}=..."
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror} ({type(error).__name__}); check the path and its permissions"
        return f"{place}: {text}" if place else text
    # OmegaConf adds lines on where and what, of which the place is enough
    lines = [line for line in str(error).splitlines() if not _DETAIL.match(line)]
    text = " ".join(" ".join(lines).split()) or type(error).__name__
    return text if not place or isinstance(error, InputError) else f"{place}: {text}"


_DETAIL = re.compile(r"\s*(full_key|object_type|reference_type): ?\S*|\s*(full_key|object_type|reference_type)=\S*$")
_FULL_KEY = re.compile(r"^\s*full_key: (\S+)", re.MULTILINE)


def _full_key(error: BaseException) -> str:
    found = _FULL_KEY.search(str(error)) if isinstance(error, HydraException | OmegaConfBaseException) else None
    return found[1] if found else ""


def _not_parsed(error: OverrideParseException) -> str:
    key, equals, value = error.override.partition("=")
    problem = " ".join(str(error.message).splitlines()[0].split())
    if not equals or not key.strip():
        return f"{error.override!r} has no key and value ({problem}); write key=value"
    quoted = value.replace("'", "\\'")
    return f"{error.override}: cannot be parsed ({problem}); quote the value, in the shell too: \"{key}='{quoted}'\""


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
