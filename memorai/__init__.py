"""memorai: memory for conversational agents, by Dynamic Weighted PageRank over a heterogeneous graph.

The names that most programs need; everything else is imported from its module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from memorai.errors import InputError
    from memorai.harness.load import load_dataset, load_system
    from memorai.memory import Memory
    from memorai.retrieval.pagerank import Block, WeightedBlock, pagerank
    from memorai.types import Conversation, Dataset, Query, Question, Ranking, Session, Turn

_HOMES = {
    "Block": "memorai.retrieval.pagerank",
    "Conversation": "memorai.types",
    "Dataset": "memorai.types",
    "InputError": "memorai.errors",
    "Memory": "memorai.memory",
    "Query": "memorai.types",
    "Question": "memorai.types",
    "Ranking": "memorai.types",
    "Session": "memorai.types",
    "Turn": "memorai.types",
    "WeightedBlock": "memorai.retrieval.pagerank",
    "load_dataset": "memorai.harness.load",
    "load_system": "memorai.harness.load",
    "pagerank": "memorai.retrieval.pagerank",
}

__all__ = [
    "Block",
    "Conversation",
    "Dataset",
    "InputError",
    "Memory",
    "Query",
    "Question",
    "Ranking",
    "Session",
    "Turn",
    "WeightedBlock",
    "__version__",
    "load_dataset",
    "load_system",
    "pagerank",
]


def __getattr__(name: str) -> Any:
    # on first use: `import memorai` must not pay for torch and Hydra
    if name not in _HOMES:
        raise AttributeError(f"module 'memorai' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
