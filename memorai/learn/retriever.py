"""The read path with a trained scorer at its end."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch

from memorai.errors import InputError
from memorai.learn.checkpoint import WEIGHTS, Checkpoint
from memorai.learn.examples import digest_of
from memorai.learn.features import Evidence, identity_of
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.pagerank.threads import suited_threads
from memorai.retrieval.retrievers import Retrieved


class LearnedRetriever:
    """Scores turns by what `Evidence` says of them.

    A checkpoint that saw labels of a conversation or of its questions is refused on it. A folder of checkpoints holds
    the folds of a cross-validation: each conversation is ranked by the first that has not seen it.

    Args:
        evidence: must have the features that the checkpoint was trained on, of the same models.
        checkpoint: a file that training wrote, a folder of such files, or the name of one that ships.

    Raises:
        InputError: it cannot be read, or was trained on other features or models.
    """

    def __init__(self, evidence: Evidence, checkpoint: str) -> None:
        self.evidence, self.name = evidence, checkpoint
        self.checkpoints = [Checkpoint.read(path) for path in _paths(checkpoint)]
        for one in self.checkpoints:
            missing = [name for name in one.features if name not in evidence.names]
            if missing:
                raise InputError(f"checkpoint {checkpoint}: needs evidence {missing[0]}, which the system lacks")
            check_models(one.evidence, evidence, checkpoint)
        self._place = [[evidence.names.index(name) for name in one.features] for one in self.checkpoints]

    @property
    def protocol(self) -> str:
        """What the checkpoint had seen: zero_shot, loco or within."""
        return self.checkpoints[0].protocol

    def retrieve(self, view: QueryView) -> Retrieved:
        """Return the scorer's scores of the turns.

        Raises:
            InputError: every checkpoint was trained on labels of this conversation or its questions.
        """
        digest = digest_of(view.graph.turns)
        fold = next((i for i, one in enumerate(self.checkpoints) if not one.saw(digest, view.queries)), None)
        if fold is None:
            raise InputError(
                f"checkpoint {self.name} was trained on conversation {view.graph.conversation_id} or its questions, so "
                "its figures there say nothing; test it on other data, or give the folder of a cross-validation's folds"
            )
        trained, ours = self.checkpoints[fold].evidence.get("index"), view.indexed.embedder.name
        if trained not in (None, ours):
            raise InputError(f"checkpoint {self.name}: it was trained with embedder {trained}, not {ours}; use that")
        values = self.evidence(view).values[..., self._place[fold]]
        with torch.inference_mode(), suited_threads(values.size // max(1, len(values))):
            rows = [self.checkpoints[fold].model(torch.from_numpy(np.ascontiguousarray(x))) for x in values]
        scores = torch.stack(rows, dim=1).double() if rows else torch.zeros(len(view.graph.turns), 0).double()
        return Retrieved(scores.to(view.device), [{"checkpoint_seed": self.checkpoints[fold].seed}] * len(view))


def models_of(evidence: Evidence) -> dict[str, str]:
    """Return scorer -> what it computes, for a card."""
    return {name: identity_of(scorer) for name, scorer in (evidence.fused | evidence.single).items()}


def check_models(trained: Mapping[str, str], evidence: Evidence, name: str) -> None:
    """Raise InputError unless the evidence comes from the models that a checkpoint was trained on."""
    for scorer, identity in models_of(evidence).items():
        if trained.get(scorer, identity) != identity:
            raise InputError(
                f"checkpoint {name}: it was trained on another model for {scorer}; use that, or train anew"
            )


def _paths(checkpoint: str) -> list[Path]:
    place = Path(checkpoint)
    if place.is_dir():
        found = sorted(place.glob(f"*{WEIGHTS}"))
        if not found:
            raise InputError(f"checkpoint {checkpoint}: a folder without any {WEIGHTS} file")
        return found
    shipped = Path(str(files("memorai.learn").joinpath(f"{checkpoint}{WEIGHTS}")))
    return [shipped if shipped.is_file() and not place.is_file() else place]
