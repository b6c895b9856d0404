from __future__ import annotations

from pathlib import Path

import pytest

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "sat",
    "dog",
    "ran",
    "on",
    "mat",
    "query",
    ":",
    "�",
]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer BERT with random weights and a fifteen-word vocabulary, saved as a model folder."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-bert")
    (folder / "words.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.5,  # so that attention, and thus padding mistakes, shows in the output
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=dict(zip(WORDS, range(len(WORDS)), strict=True))).save_pretrained(folder)
    return folder
