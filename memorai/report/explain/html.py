"""One HTML file that shows explanations side by side: no network, nothing to install.

The graph is drawn by Cytoscape.js (MIT), which lies beside this module as its npm package has it, with its licence.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memorai.errors import InputError
from memorai.report.explain.data import Explanation
from memorai.report.explain.walk import Walk
from memorai.report.html import document, write_document

_SCRIPTS = ("cytoscape.min.js", "walk.js", "draw.js", "page.js")


def render(explanations: Sequence[Explanation]) -> str:
    """Return the page of one question under one system or several.

    Raises:
        InputError: there is nothing to show, or the explanations are of different questions.
    """
    if not explanations:
        raise InputError("explain: no system to show")
    asked = explanations[0].asked
    if any(other.asked != asked for other in explanations):
        raise InputError("explain: a page shows one question; these explanations are of several")
    data = {
        "asked": {"id": asked.id, "text": asked.text, "category": asked.category, "answer": asked.answer},
        "panels": [_panel(explanation) for explanation in explanations],
    }
    body = '<header id="question"></header>\n<main id="panels"></main>'
    return document(asked.text, "memorai.report.explain", _SCRIPTS, body, data)


def write_page(path: str | Path, explanations: Sequence[Explanation]) -> Path:
    """Write `render`'s page as UTF-8 and return its path.

    Raises:
        InputError: see `render`.
        OSError: the file cannot be written.
    """
    return write_document(path, render(explanations))


def _panel(explanation: Explanation) -> dict[str, Any]:
    return {
        "system": explanation.system,
        "notes": list(explanation.notes),
        "leftOut": dict(explanation.left_out),
        "leftMass": explanation.left_mass,
        "nodes": [
            {
                "kind": node.kind,
                "id": node.id,
                "label": node.label,
                "text": node.text,
                "turns": list(node.turn_ids),
                "session": node.session,
                "time": node.time,
                "speaker": node.speaker,
                "cosine": node.cosine,
                "bm25": node.bm25,
            }
            for node in explanation.nodes
        ],
        "ranked": [
            {"rank": r.rank, "id": r.id, "score": r.score, "node": r.node, "gold": r.gold} for r in explanation.ranked
        ],
        "gold": [{"id": g.id, "rank": g.rank, "node": g.node, "missing": g.missing} for g in explanation.gold],
        "shown": list(explanation.shown),
        "walk": None if explanation.walk is None else _walk(explanation.walk),
    }


def _walk(walk: Walk) -> dict[str, Any]:
    return {
        "damping": walk.damping,
        "scheme": walk.scheme,
        "kinds": list(walk.kinds),
        "source": _packed(walk.source, "<i4"),
        "target": _packed(walk.target, "<i4"),
        "kind": _packed(walk.kind, "<i4"),
        "weights": {name: _packed(weight, "<f8") for name, weight in walk.weights.items()},
        "restart": _packed(walk.restart, "<f8"),
        "factor": _packed(walk.factor, "<f8"),
        "texts": {str(edge): text for edge, text in walk.texts.items()},
    }


def _packed(values: Any, dtype: str) -> str:
    """Exact numbers in little-endian order as base64: half of what their digits would take."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")
