"""Runs on disk whose every number is known: a sweep of two jobs, and what hostile people would call things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memorai.report.results import Cost, Results, Row, Timing

HOSTILE = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'> \"阿诚\" $x$"
DATA = {"name": "demo", "version": "1", "sha256": "0" * 64}
MEASURES = (("ndcg", "turn", 10), ("recall", "turn", 1), ("recall", "turn", 10), ("ndcg", "session", 10))
CATEGORIES = ("weighted", "macro", "easy", "多跳")
#: system -> nDCG@10 over all questions; bm25 is the same in both jobs
VALUES = {("memorai", "0.3"): 0.41, ("memorai", "0.7"): 0.095, ("bm25", ""): 0.3, ("oracle", ""): 1.0}


def value_of(system: str, damping: str, measure: int, category: int) -> float:
    """Each measure and category a little less than the one before."""
    return round(VALUES[system, damping] - 0.01 * measure - 0.001 * category, 6)


def rows_of(damping: str) -> list[Row]:
    rows = []
    for system, own in (("memorai", damping), ("bm25", ""), ("oracle", "")):
        for m, (metric, unit, k) in enumerate(MEASURES):
            for c, category in enumerate(CATEGORIES):
                value = value_of(system, own, m, c)
                interval = (round(value - 0.02, 6), round(value + 0.03, 6))
                variant = f"damping={own}" if own else ""
                rows.append(
                    Row("demo", "untrained", system, variant, 0, category, metric, unit, k, value, *interval, 40 - c)
                )
    return rows


def manifest(damping: float, **more: Any) -> dict[str, Any]:
    config = {"seed": 0, "llm": {"api_key": "sk-1"}, "systems": {"memorai": {"damping": damping, "gate": None}}}
    return {
        "command": f"python -m memorai.eval systems.memorai.damping={damping}",
        "config": config,
        "data": DATA,
        "git_sha": "abc",
        "seed": 0,
        "seconds": 1.5,
        "started": "2026-01-02T03:04:05+00:00",
        "hardware": {"cores": 2, "cuda": ["a", "b"]},
        "packages": {"python": "3.11"},
        "systems": [{"system": "memorai", "embedder": "mini", "gate": "none"}],
        "categories": [{"name": "easy", "id": "1"}, {"name": "多跳", "id": None}],
        "notes": ["A note."],
        **more,
    }


def sweep(folder: Path) -> Path:
    """Two finished jobs, one of which failed on a conversation, and a third that left nothing."""
    for job, damping in enumerate(("0.3", "0.7")):
        failures = [{"system": "memorai", "conversation": "c1", "error": "ValueError: no"}] if job else []
        described = manifest(float(damping), failures=failures)
        timings = [Timing("memorai", "retrieve", 9.5 + job, 1234.567, 40)]
        costs = [Cost("memorai", "gate", 100 + job, 123456, 9, 3, 2.5, 1)]
        Results(described, rows_of(damping), timings, costs).write(folder / str(job))
        predict(folder / str(job), {"q0": (1.0, 0.0), "q1": (0.5, 0.0), "q2": (0.0, 0.0 if job else 1.0)})
    (folder / "2" / ".hydra").mkdir(parents=True)
    return folder


def predict(folder: Path, recalls: dict[str, tuple[float, float]]) -> Path:
    """predictions.jsonl: by question the recall of memorai and of bm25; the oracle finds everything."""
    lines = []
    for question, found in recalls.items():
        for system, recall in zip(("memorai", "bm25", "oracle"), (*found, 1.0), strict=True):
            line = {
                "system": system,
                "question": question,
                "category": "easy",
                "gold": ["t1", "t2"],
                "recall@10": recall,
            }
            lines.append(json.dumps(line))
    path = folder / "predictions.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def hostile(folder: Path) -> Path:
    """A run in which everything that can be named is named by somebody who means harm."""
    row = Row("demo", "untrained", HOSTILE, f"{HOSTILE}=1", None, "weighted", "ndcg", "turn", 10, 0.5, None, None, 4)
    named = {"system": HOSTILE, "embedder": HOSTILE}
    described = manifest(
        0.3,
        config={"a": HOSTILE, HOSTILE: {HOSTILE: 1}},
        systems=[named],
        categories=[],
        notes=[HOSTILE],
        command=HOSTILE,
        failures=[{"system": HOSTILE, "conversation": HOSTILE, "error": HOSTILE}],
    )
    for name in ("0", "1"):
        other = {**described, "config": {**described["config"], "a": name}}
        Results(other, [row], [Timing(HOSTILE, HOSTILE, 1, 2, 3)], [Cost(HOSTILE, HOSTILE, 1, 2, 3, 4)]).write(
            folder / name
        )
        line = {"system": HOSTILE, "question": HOSTILE, "category": HOSTILE, "gold": ["t"], "recall@10": 0.0}
        (folder / name / "predictions.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return folder
