"""BERTScore (Zhang et al., arXiv 1904.09675) of answers, with any encoder of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memorai.device import resolve_device
from memorai.errors import InputError
from memorai.models.transformer import ModelSource

if TYPE_CHECKING:
    from torch import Tensor


class BertScore:
    """F1 of greedily matched token states, without idf weights and without rescaling by a baseline.

    Scores of different models or layers do not compare, so both belong beside every figure.

    Args:
        model: hub name or local folder of a transformers encoder.
        layers: the layer whose states are compared, counted from 1.
        max_length: tokens; what is longer is cut.
        batch_size: texts in a batch.
        device: ``cpu``, ``cuda`` or ``auto``.

    Raises:
        InputError: a number is below 1, or the folder is no model folder.
    """

    def __init__(
        self, model: str, layers: int, max_length: int = 512, batch_size: int = 32, device: str = "auto"
    ) -> None:
        if min(layers, max_length, batch_size) < 1:
            raise InputError(
                f"bertscore: layers={layers}, max_length={max_length} and batch_size={batch_size}: at least 1"
            )
        self._source = ModelSource(model, None, "bertscore")
        self.layers, self.max_length, self.batch_size = layers, max_length, batch_size
        self._device = resolve_device(device)
        self._model: tuple[Any, Any] | None = None

    def labels(self) -> dict[str, str]:
        """Return what must stand beside a figure."""
        return {"model": self._source.identity, "layer": str(self.layers)}

    def score(self, answers: Sequence[str], golds: Sequence[str]) -> list[float]:
        """Return one F1 a pair, at most 1; an answer or gold without a word has 0.

            Raises:
        InputError: the model cannot be loaded or has fewer layers.
                ValueError: the two differ in length.
        """
        pairs = [(a, g) for a, g in zip(answers, golds, strict=True) if a.strip() and g.strip()]
        found = iter(self._f1([a for a, _ in pairs], [g for _, g in pairs]) if pairs else ())
        return [next(found) if a.strip() and g.strip() else 0.0 for a, g in zip(answers, golds, strict=True)]

    def _f1(self, answers: Sequence[str], golds: Sequence[str]) -> list[float]:
        distinct = list(dict.fromkeys([*answers, *golds]))
        states = dict(zip(distinct, self._states(distinct), strict=True))
        return [_matched(states[answer], states[gold]) for answer, gold in zip(answers, golds, strict=True)]

    def _states(self, texts: Sequence[str]) -> list[Tensor]:
        """Unit states [tokens, dim] of the layer for each text, special tokens left out."""
        import torch

        model, tokenizer = self._loaded()
        found: list[Tensor] = []
        for start in range(0, len(texts), self.batch_size):
            batch = tokenizer(
                list(texts[start : start + self.batch_size]),
                padding=True,
                truncation=True,
                max_length=self.max_length,
                return_special_tokens_mask=True,
                return_tensors="pt",
            ).to(self._device)
            words = (batch["attention_mask"] == 1) & (batch.pop("special_tokens_mask") == 0)
            with torch.inference_mode():
                layer = model(**batch, output_hidden_states=True).hidden_states[self.layers]
            unit = torch.nn.functional.normalize(layer.float(), dim=-1).cpu()
            found += [unit[place, words[place].cpu()] for place in range(len(unit))]
        return found

    def _loaded(self) -> tuple[Any, Any]:
        if self._model is None:
            from transformers import AutoModel, AutoTokenizer

            try:
                model = AutoModel.from_pretrained(self._source.place).eval().to(self._device)
                tokenizer = AutoTokenizer.from_pretrained(self._source.place)
            except (OSError, ValueError) as error:
                text = " ".join(str(error).split())
                raise InputError(f"bertscore: {self._source.name} cannot be loaded: {text}") from error
            if self.layers > model.config.num_hidden_layers:
                depth = model.config.num_hidden_layers
                raise InputError(f"bertscore: layers={self.layers}, but {self._source.name} has {depth}")
            self._model = model, tokenizer
        return self._model


def _matched(answer: Tensor, gold: Tensor) -> float:
    """F1 of each token's best cosine on the other side; a text of special tokens alone has 0."""
    if not len(answer) or not len(gold):
        return 0.0
    similar = answer @ gold.T
    precision, recall = float(similar.amax(1).mean()), float(similar.amax(0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
