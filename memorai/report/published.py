"""Published scores to set beside measured ones: the LoCoMo task of LMEB (leaderboard of arXiv 2603.12572)."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from memorai.errors import InputError
from memorai.report.results import Row

DATASET = "locomo_lmeb"
PROTOCOL = "published"
QUESTIONS = 1976
BEST = "best"
DEFAULT_MODELS = (BEST, "all-MiniLM-L6-v2", "bge-small-en-v1.5")

_FILE = "published_lmeb.csv"


def published_rows(models: str | Sequence[str] = DEFAULT_MODELS) -> list[Row]:
    """Return rows of published models, marked by the protocol ``published``; they have no interval.

    Args:
        models: full names (``BAAI/bge-small-en-v1.5``), names without the owner, or ``best`` for the first in rank;
            case does not matter. A single name need not stand in a list.

    Raises:
        InputError: no such model among those published, or not a list of names.
    """
    names = [models] if isinstance(models, str) else models
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(f"published={models!r} is not a list of model names; use published=[best] or published=[]")
    table = _table()
    known = {alias.lower(): name for name in table for alias in (name, name.rpartition("/")[2])}
    known[BEST] = next(iter(table))
    rows: dict[str, list[Row]] = {}
    for model in names:
        name = known.get(model.lower())
        if name is None:
            near = difflib.get_close_matches(model.lower(), known, n=1, cutoff=0.0)
            raise InputError(f"{_FILE}: no model {model!r} is published there; did you mean {known[near[0]]!r}?")
        rows[name] = [_row(name, column, value) for column, value in table[name].items()]
    return [row for group in rows.values() for row in group]


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, float]]:
    """Model -> column -> value x100, in order of rank."""
    text = resources.files("memorai.report").joinpath(_FILE).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    entries = sorted(csv.DictReader(lines), key=lambda entry: int(entry["rank"]))
    return {e["model"]: {key: float(v) for key, v in e.items() if key not in ("rank", "model")} for e in entries}


def _row(model: str, column: str, value: float) -> Row:
    metric, _, k, category = column.split("_")  # ndcg_at_10_macro
    return Row(DATASET, PROTOCOL, model, "", None, category, metric, "turn", int(k), value / 100, None, None, QUESTIONS)
