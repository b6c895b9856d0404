"""A loaded transformers classifier with one label: pairs in, logits out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from memorai.device import resolve_device
from memorai.errors import InputError
from memorai.models.encoder import TOKEN_BUDGET, no_weight_bar, token_batches


class PairEncoder:
    """Tokenizer and model on one device. Importing this module loads torch and transformers: do it late.

    Args:
        source: hub name or local folder.
        revision: hub revision, or None.
        max_length: tokens kept of a pair, special tokens included; never more than the model has positions for.
        batch_size: pairs in a batch at most.
        device: ``auto``, ``cpu`` or ``cuda``.

    Raises:
        InputError: the model cannot be loaded or has more than one label.
    """

    def __init__(self, source: str, revision: str | None, max_length: int, batch_size: int, device: str) -> None:
        self.device = resolve_device(device)
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(source, revision=revision)
            with no_weight_bar():
                model: Any = AutoModelForSequenceClassification.from_pretrained(
                    source, revision=revision, dtype=torch.float32
                )
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(
                f"reranker model '{source}': cannot be loaded; name a cross-encoder on the hub or a local folder with "
                f"config.json, weights and tokenizer ({reason})"
            ) from error
        if model.config.num_labels != 1:
            raise InputError(f"reranker model '{source}': has {model.config.num_labels} labels; one logit is needed")
        self._model = model.to(self.device).eval()
        positions = getattr(model.config, "max_position_embeddings", None) or max_length
        self._max_length = min(max_length, positions, self._tokenizer.model_max_length)
        self._batch_size = batch_size

    @torch.inference_mode()
    def score(self, pairs: Sequence[tuple[str, str]], progress: Any | None = None) -> np.ndarray:
        """Return float32 [n]. A score depends on its own pair only, up to rounding."""
        encoded = self._tokenizer(
            [query for query, _ in pairs],
            [document for _, document in pairs],
            truncation="longest_first",
            max_length=self._max_length,
        )
        scores = np.empty(len(pairs), dtype=np.float32)
        lengths = [len(row) for row in encoded["input_ids"]]
        for batch in token_batches(lengths, self._batch_size, TOKEN_BUDGET):
            rows = {name: [values[i] for i in batch] for name, values in encoded.items()}
            padded = self._tokenizer.pad(rows, return_tensors="pt").to(self.device)
            scores[batch] = self._model(**padded).logits[:, 0].cpu().numpy()
            if progress is not None:
                progress.update(len(batch))
        return scores
