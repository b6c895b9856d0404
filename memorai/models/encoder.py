"""A loaded transformer encoder: texts in, pooled unit vectors out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging as transformers_logging

from memorai.device import resolve_device
from memorai.errors import InputError

#: padded tokens a batch holds at most, so that long texts go in smaller batches
TOKEN_BUDGET = 16_384


class Encoder:
    """Tokenizer and model on one device. Importing this module loads torch and transformers: do it late.

    Args:
        source: hub name or local folder.
        revision: hub revision, or None.
        pooling: ``mean`` over the tokens of the text, or the first token's (``cls``) state.
        max_length: tokens kept of a text, special tokens included; never more than the model has positions for.
        batch_size: texts in a batch at most.
        device: ``auto``, ``cpu`` or ``cuda``.

    Raises:
        InputError: the model cannot be loaded.
    """

    def __init__(
        self, source: str, revision: str | None, pooling: str, max_length: int, batch_size: int, device: str
    ) -> None:
        self.device = resolve_device(device)
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(source, revision=revision)
            with no_weight_bar():
                model: Any = AutoModel.from_pretrained(source, revision=revision, dtype=torch.float32)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(
                f"embedder model '{source}': cannot be loaded; name a model on the hub or a local folder with "
                f"config.json, weights and tokenizer ({reason})"
            ) from error
        self._model = model.to(self.device).eval()
        positions = getattr(model.config, "max_position_embeddings", None) or max_length
        self._max_length = min(max_length, positions, self._tokenizer.model_max_length)
        self._pooling = pooling
        self._batch_size = batch_size

    def encode(self, texts: Sequence[str], progress: tqdm[Any] | None = None) -> np.ndarray:
        """Return float32 [n, d] unit rows. A row depends on its own text only, up to rounding."""
        options = {"truncation": True, "max_length": self._max_length, "return_attention_mask": False}
        ids: list[list[int]] = self._tokenizer(list(texts), **options)["input_ids"]
        rows: np.ndarray | None = None
        for batch in token_batches([len(row) for row in ids], self._batch_size, TOKEN_BUDGET):
            pooled = self._pooled([ids[i] for i in batch])
            if rows is None:
                rows = np.empty((len(texts), pooled.shape[1]), dtype=np.float32)
            rows[batch] = pooled
            if progress is not None:
                progress.update(len(batch))
        if rows is None:
            raise ValueError("encode needs at least one text")
        return rows

    @torch.inference_mode()
    def _pooled(self, ids: list[list[int]]) -> np.ndarray:
        padded = self._tokenizer.pad({"input_ids": ids}, return_tensors="pt").to(self.device)
        states = self._model(**padded).last_hidden_state  # [B, L, d]
        if self._pooling == "cls":
            pooled = states[:, 0]
        else:
            mask = padded["attention_mask"].unsqueeze(-1).to(states.dtype)  # [B, L, 1]
            pooled = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1.0)
        return torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()


def token_batches(lengths: Sequence[int], batch_size: int, token_budget: int) -> Iterator[list[int]]:
    """Yield index lists of texts of similar length, longest first, so that little padding is computed.

    A batch holds at most ``batch_size`` texts and ``token_budget`` tokens after padding, but always one text.
    Longest first: a batch that does not fit into memory fails at the start, not after an hour.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    start = 0
    while start < len(order):
        size = max(1, min(batch_size, token_budget // max(1, lengths[order[start]])))
        yield order[start : start + size]
        start += size


@contextmanager
def no_weight_bar() -> Iterator[None]:
    """Silence the bar that transformers draws over the weights of each load, and leave its setting as it was."""
    shown = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            transformers_logging.enable_progress_bar()
