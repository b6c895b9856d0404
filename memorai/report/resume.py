"""Finds out whether a job of a sweep has already run, so that an interrupted sweep goes on where it stopped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memorai.errors import InputError
from memorai.report.jsonable import jsonable
from memorai.report.manifest import git_sha, sanitise
from memorai.report.results import FILE_NAME, Results


def finished(folder: Path, settings: Mapping[str, Any], variant: str) -> Results | None:
    """Return the results that this very job left in its folder, None if it has yet to run.

    ``results.json`` is written last and in one step: its presence says that the job was not cut short. It
    counts only if configuration, variant and revision of the code are the same, and no system failed.

    Args:
        folder: of the job.
        settings: its plain resolved configuration.
        variant: what the sweep changed in it.
    """
    if not (folder / FILE_NAME).is_file():
        return None
    try:
        results = Results.read(folder)
    except InputError:
        return None
    manifest = results.manifest
    same = (
        manifest.get("config") == jsonable(sanitise(sanitise(settings)))
        and manifest.get("git_sha") == git_sha()
        and {row.variant for row in results.rows} == {sanitise(variant)}
    )
    return results if same and not manifest.get("failures") else None
