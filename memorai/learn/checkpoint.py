"""A trained scorer on disk: weights as safetensors, and a card in JSON that says where they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from memorai.errors import InputError
from memorai.learn.examples import Group, question_key
from memorai.learn.fit import Fitted, Settings
from memorai.learn.scorer import EvidenceScorer
from memorai.types import Dataset, Query

WEIGHTS, CARD = ".safetensors", ".json"
_REMEDY = "train one: python -m memorai.train +experiment=learning_zero_shot"


@dataclass(frozen=True)
class Source:
    """Data that a scorer was trained on.

    Args:
        dataset: its name.
        version: release or commit.
        sha256: of the file.
        conversations: id -> digest of its turns (`memorai.learn.examples.digest_of`).
        questions: id -> `memorai.learn.examples.question_key` of those trained on.
    """

    dataset: str
    version: str
    sha256: str
    conversations: Mapping[str, str]
    questions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset, groups: Sequence[Group]) -> Source:
        """Describe those groups that are of the data set."""
        own = [group for group in groups if group.dataset == dataset.name]
        questions = {question.id: question_key(question) for group in own for question in group.questions}
        return cls(dataset.name, dataset.version, dataset.sha256, {g.conversation: g.digest for g in own}, questions)


def mean_of(checkpoints: Sequence[Checkpoint]) -> Checkpoint | None:
    """Return one linear scorer with the mean of the weights of several, which ranks by the mean of their scores.

    Args:
        checkpoints: of the same training data and features, with different seeds.

    Returns:
        None unless all are linear and standardise the evidence alike. Seed and epoch are those of the first.
    """
    first = checkpoints[0]
    states = [one.model.state_dict() for one in checkpoints]
    alike = all(one.features == first.features and one.trained_on == first.trained_on for one in checkpoints)
    same = all(torch.equal(state[name], states[0][name]) for state in states for name in ("mean", "scale"))
    if not alike or not same or any(one.settings.hidden for one in checkpoints):
        return None
    model = EvidenceScorer(first.model.mean, first.model.scale)
    weights = torch.stack([state["linear.weight"] for state in states]).mean(0)
    model.load_state_dict({**states[0], "linear.weight": weights})
    seeds = ", ".join(str(one.seed) for one in checkpoints)
    return replace(first, model=model.eval(), validation=None, notes=(f"mean of the weights of seeds {seeds}",))


@dataclass(frozen=True)
class Checkpoint:
    """A scorer and its card.

    Args:
        model: in evaluation mode.
        features: names of its inputs in order.
        evidence: models and scorers behind the features, by name.
        settings: of the training.
        seed: of the training.
        protocol: zero_shot, loco or within.
        trained_on: data whose labels were seen, selection included.
        epoch: of the weights.
        validation: nDCG@10 on the conversations held out for the choice of settings, or None.
        notes: anything else for a reader.
    """

    model: EvidenceScorer
    features: tuple[str, ...]
    evidence: Mapping[str, str]
    settings: Settings
    seed: int
    protocol: str
    trained_on: tuple[Source, ...]
    epoch: int
    validation: float | None = None
    notes: Sequence[str] = field(default_factory=tuple)

    @classmethod
    def of(
        cls,
        fitted: Fitted,
        features: Sequence[str],
        evidence: Mapping[str, str],
        seed: int,
        protocol: str,
        trained_on: Sequence[Source],
    ) -> Checkpoint:
        """Take what a fit gave."""
        assert isinstance(fitted.model, EvidenceScorer)
        return cls(
            fitted.model,
            tuple(features),
            dict(evidence),
            fitted.settings,
            seed,
            protocol,
            tuple(trained_on),
            fitted.epoch,
            fitted.validation,
        )

    def write(self, path: Path | str) -> Path:
        """Write ``path``.safetensors and ``path``.json; return the former."""
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        weights = place.with_name(place.name + WEIGHTS)
        save_file({name: tensor.contiguous() for name, tensor in self.model.state_dict().items()}, weights)
        about = {key: value for key, value in vars(self).items() if key not in ("model", "settings", "trained_on")}
        about |= {"settings": asdict(self.settings), "trained_on": [asdict(source) for source in self.trained_on]}
        text = json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False)
        place.with_name(place.name + CARD).write_text(text + "\n", encoding="utf-8")
        return weights

    @classmethod
    def read(cls, path: Path | str) -> Checkpoint:
        """Read what `write` wrote.

        Args:
            path: with or without ``.safetensors``.

        Raises:
            InputError: no such files, or not such files.
        """
        place = Path(str(path).removesuffix(WEIGHTS).removesuffix(CARD))
        try:
            about: dict[str, Any] = json.loads(place.with_name(place.name + CARD).read_text(encoding="utf-8"))
            state = load_file(place.with_name(place.name + WEIGHTS))
            settings = Settings(**about.pop("settings"))
            sources = tuple(Source(**source) for source in about.pop("trained_on"))
            model = EvidenceScorer(state["mean"], state["scale"], settings.hidden, settings.dropout)
            model.load_state_dict(state)
            features = tuple(str(name) for name in about.pop("features"))
            if len(features) != len(model.mean) or not all(bool(torch.isfinite(x).all()) for x in state.values()):
                raise InputError(f"{place}: weights and card do not fit; {_REMEDY}")
            return cls(model=model.eval(), features=features, settings=settings, trained_on=sources, **about)
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: no such checkpoint; {_REMEDY}") from None
        except InputError:
            raise
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
            raise InputError(f"{place}: not a checkpoint ({' '.join(str(error).split())[:120]}); {_REMEDY}") from None

    def saw(self, digest: str, queries: Sequence[Query] = ()) -> bool:
        """Whether labels of the conversation with these turns were seen in training, under whatever id, or of a query.

        A question may come back over a longer haystack, as those of LongMemEval do, and is known by its id and words.
        """
        keys = {question_key(query) for query in queries}
        return any(
            digest in source.conversations.values() or not keys.isdisjoint(source.questions.values())
            for source in self.trained_on
        )
