"""The demonstration set that ships inside the package: written for it, in English and Chinese."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from memorai.datasets.checks import category_order, check_ids, count
from memorai.datasets.common import check_choice
from memorai.datasets.jsonl import parse_jsonl
from memorai.types import Conversation, Dataset, Note

CATEGORIES = ("single_hop", "multi_hop", "temporal", "knowledge_update", "open_domain", "unanswerable")
_PARTS = {"all": ("en", "zh"), "en": ("en",), "zh": ("zh",)}


def load_demo(part: str = "all") -> Dataset:
    """The bundled conversations and questions.

    Args:
        part: ``en``, ``zh`` or ``all``, which is both.

    Returns:
        Dataset ``demo``, or ``demo_en`` and ``demo_zh`` for a part; its sha256 is that of the parts' bytes in order.
    """
    check_choice("part", part, _PARTS)
    digest = hashlib.sha256()
    conversations: list[Conversation] = []
    notes: list[Note] = []
    for language in _PARTS[part]:
        data = files("memorai.datasets").joinpath("demo", f"{language}.jsonl").read_bytes()
        digest.update(data)
        found, faults = parse_jsonl(data, f"{language}.jsonl")
        conversations += found
        notes += faults
    check_ids(conversations, "demo")
    categories = category_order(conversations, CATEGORIES)
    return Dataset(
        name="demo" if part == "all" else f"demo_{part}",
        version="bundled",
        sha256=digest.hexdigest(),
        conversations=tuple(conversations),
        categories=categories,
        counts=count(conversations, categories),
        notes=tuple(notes),
    )
