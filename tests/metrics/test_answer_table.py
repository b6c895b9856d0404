from __future__ import annotations

import subprocess
import sys

import pytest

from memorai.errors import InputError
from memorai.metrics import answer_table
from memorai.metrics.answer_table import (
    abstention_accuracy,
    answer_length,
    bleu,
    corrected_recall,
    official_mean,
    official_recall,
    rouge,
)


def test_rouge_and_bleu_by_hand():
    scores = rouge("the cat sat", "the cat ran")
    assert scores == {k: pytest.approx(v) for k, v in (("rouge1", 2 / 3), ("rouge2", 1 / 2), ("rougeL", 2 / 3))}
    assert bleu("a b c d", "a b c d") == pytest.approx(1)
    # precisions 3/4, 2/3, 1/2 and, smoothed, 1/2 of 1/1
    assert bleu("a b c x", "a b c d") == pytest.approx((3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4))


def test_length_abstention_and_denominators():
    assert (answer_length(" in  May "), answer_length("")) == (2, 0)
    assert abstention_accuracy([True, False, True, False], [False, True, True, False]) == 0.5
    assert abstention_accuracy([], []) is None
    with pytest.raises(ValueError):
        abstention_accuracy([True], [])
    assert official_mean([1 / 3, 2 / 3]) == pytest.approx((0.333 + 0.667) / 2)
    assert official_mean([1 / 3]) == 0.333
    assert official_recall([1.0, None, 0.5, None]) == 0.375
    assert corrected_recall([1.0, None, 0.5, None]) == 0.75
    assert official_mean([]) is official_recall([]) is corrected_recall([None]) is None


@pytest.mark.parametrize(("module", "score"), [("rouge_score.rouge_scorer", rouge), ("sacrebleu", bleu)])
def test_a_missing_package_is_named(monkeypatch, module, score):
    answer_table._rouge_scorer.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=r"memorai\[qa\]"):
        score("a", "b")


STREAMS = """
import contextlib, io, logging
from memorai.metrics.answer_table import rouge
shown = io.StringIO()
with contextlib.redirect_stderr(shown):
    rouge("a dog", "a dog")
logging.shutdown()  # as whoever configures logging anew does
shown.write("still open")
"""


def test_who_stood_in_for_standard_error_is_not_closed() -> None:
    done = subprocess.run([sys.executable, "-c", STREAMS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
