"""The learned gate: logistic regression on a turn's vector, the previous turn's and surface features, calibrated."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memorai.errors import InputError
from memorai.models.embedders import Embedder
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.gate import turns_of
from memorai.write.gate_features import FEATURES, Floats, inputs

#: trained on LongMemEval and the demo only, both free to use; see docs/gate-card.md
BUNDLED = "gate_model.npz"
_ARRAYS = ("weights", "bias", "platt")


@dataclass(frozen=True)
class GateModel:
    """Weights on raw inputs, and Platt's scaling of their sum.

    Args:
        weights: float32 [d (+ d) + len(FEATURES)], standardisation folded in.
        bias: intercept.
        platt: (slope, intercept) of the calibration (Platt 1999), fitted on scores of turns that the fold left out.
        embedder: name of the embedder whose vectors it was trained on.
        previous_vectors: whether the previous turn's vector is part of the input.
        trained_on: names of the data sets.
        threshold: keeps all but 5 % of the evidence in cross-validation on the training data.
    """

    weights: Floats
    bias: float
    platt: tuple[float, float]
    embedder: str
    previous_vectors: bool = True
    trained_on: tuple[str, ...] = ()
    threshold: float = 0.5

    def probability(self, x: Floats) -> npt.NDArray[np.float64]:
        """Return the calibrated probability that a turn is evidence, float64 [n] in [0, 1], of inputs [n, D]."""
        z = x.astype(np.float64) @ self.weights.astype(np.float64) + self.bias
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self.platt[0] * z + self.platt[1], -60, 60))))

    def write(self, path: Path | str) -> Path:
        """Write a NumPy archive: plain arrays and a JSON text, nothing that could run."""
        target = Path(path)
        about = {
            "embedder": self.embedder,
            "previous_vectors": self.previous_vectors,
            "trained_on": list(self.trained_on),
            "threshold": self.threshold,
            "features": list(FEATURES),
        }
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            np.savez(
                file,
                weights=self.weights.astype("<f4"),
                bias=np.float64(self.bias),
                platt=np.asarray(self.platt, np.float64),
                about=np.frombuffer(json.dumps(about, sort_keys=True).encode("utf-8"), np.uint8),
            )
        return target

    @classmethod
    def read(cls, path: Path | str | None = None) -> GateModel:
        """Read a model that `write` wrote; None reads the one that ships with the package.

        Raises:
            InputError: no such file, not such a file, or features that this version does not compute.
        """
        file = Path(str(files("memorai.write").joinpath(BUNDLED))) if path is None else Path(path)
        remedy = "train one: python -m memorai.train +experiment=gate"
        try:
            with np.load(file, allow_pickle=False) as archive:
                weights, bias, platt = (np.asarray(archive[name], np.float64) for name in _ARRAYS)
                about = json.loads(bytes(archive["about"]).decode("utf-8"))
            if about["features"] != list(FEATURES):
                raise InputError(f"{file}: a gate with the features of another version; {remedy}")
            slope, intercept = (float(value) for value in platt)
            return cls(
                weights.astype(np.float32),
                float(bias),
                (slope, intercept),
                str(about["embedder"]),
                bool(about["previous_vectors"]),
                tuple(str(name) for name in about["trained_on"]),
                float(about["threshold"]),
            )
        except FileNotFoundError:
            raise InputError(f"{file}: no such gate; {remedy}") from None
        except InputError:
            raise
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise InputError(f"{file}: not a gate ({' '.join(str(error).split())[:120]}); {remedy}") from None


class LearnedGate:
    """Scores turns by `GateModel`.

    Where the embedder does not know the conversation's language, its vectors are noise and every turn is kept.

    Args:
        embedder: the one that the model was trained on; vectors in its cache, such as the index's, cost nothing anew.
        text_format: what the embedder sees of a turn.
        path: a model file; None = the one that ships.
        threshold: keep a turn from this probability on; None = the model's own.

    Raises:
        InputError: the model cannot be read, or was trained on another embedder.
    """

    name = "learned"

    def __init__(
        self,
        embedder: Embedder,
        text_format: Callable[[Turn], str],
        path: str | None = None,
        threshold: float | None = None,
    ) -> None:
        self.model = GateModel.read(path)
        if embedder.name != self.model.embedder:
            raise InputError(
                f"gate=learned: the model was trained on {self.model.embedder}, not on {embedder.name}; "
                "use that embedder, or train one: python -m memorai.train +experiment=gate"
            )
        if threshold is not None and not 0 <= threshold <= 1:
            raise InputError(f"gate=learned: threshold={threshold} is outside [0, 1]")
        self.embedder, self.text_format = embedder, text_format
        self.threshold = self.model.threshold if threshold is None else threshold

    def score(self, segments: Sequence[Segment], language: str = "en") -> dict[str, float]:
        """Return the probability of being evidence by turn id; 1.0 throughout in a language unknown to the embedder."""
        turns = turns_of(segments)
        if self.embedder.languages is not None and language not in self.embedder.languages:
            return {turn.id: 1.0 for turn in turns}
        if not turns:
            return {}
        vectors = self.embedder.embed([self.text_format(turn) for turn in turns])
        scores = self.model.probability(inputs(turns, vectors, self.model.previous_vectors))
        return {turn.id: float(score) for turn, score in zip(turns, scores, strict=True)}
