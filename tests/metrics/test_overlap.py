from __future__ import annotations

import pytest

from memorai.index.tokenize import Tokenizer
from memorai.metrics.overlap import bin_of, overlap_note, overlaps, word_overlap
from memorai.types import Dataset, Turn
from tests.toys import CONVERSATION

DATASET = Dataset("toy", "1", "0" * 64, (CONVERSATION,))


def test_by_hand():
    # city, bob, move against "Bob: I moved to Rome."; ann, dog, call against Ann: "He is called Rex"
    assert overlaps(DATASET) == {"toy:q0": pytest.approx(2 / 3), "toy:q1": pytest.approx(2 / 3)}


def test_stop_words_alone_overlap_with_nothing_and_chinese_is_cut():
    turn = Turn("t", "s", "王芳", "我住在上海。")
    assert word_overlap("what is it?", [turn], "en", Tokenizer()) == 0
    assert 0 < word_overlap("王芳住在哪里？", [turn], "zh", Tokenizer()) < 1
    assert word_overlap("上海", [turn], "zh", Tokenizer()) == 1


def test_bins_are_thirds_of_the_scale():
    assert [bin_of(value) for value in (0, 0.33, 1 / 3, 0.66, 2 / 3, 1)] == [
        *("low", "low", "middle", "middle", "high", "high")
    ]


def test_the_note_states_mean_median_and_counts():
    note = overlap_note({"a": 0.0, "b": 0.5, "c": 1.0, "d": 0.9})
    assert "mean 60 %, median 70 %; low 1, middle 1, high 2" in note
