from __future__ import annotations

import pytest

from memorai.answer.baselines import AbstainingReader, BestSentenceReader, FirstTurnReader
from memorai.answer.types import Context
from memorai.metrics.answer import abstains
from memorai.types import Query

QUESTION = [Query("q", "What did Ann paint at the lake?")]


def test_the_first_turn_is_the_best_ranked_one(context) -> None:
    talk = context("Ann: I paint.", "Bo: I swim. In the lake.", best=(1, 0))
    assert FirstTurnReader().read(QUESTION, [talk])[0].text == "I swim. In the lake."


def test_the_best_sentence_says_most_of_what_the_question_says(context) -> None:
    talk = context("Bo: What did you paint at the lake?", "Ann: I like it. I painted boats at the lake.", best=(0, 1))
    found = BestSentenceReader().read(QUESTION, [talk])[0]
    assert (found.text, found.turn_ids) == ("I painted boats at the lake.", ("t1",))
    tied = context("Ann: Tea.", "Bo: Coffee.", best=(1, 0))
    assert BestSentenceReader().read(QUESTION, [tied])[0].text == "Coffee."  # the better ranked


@pytest.mark.parametrize("reader", [FirstTurnReader(), BestSentenceReader(), AbstainingReader()])
def test_without_a_turn_all_decline_so_that_locomo_s_scorer_knows(reader) -> None:
    (found,) = reader.read(QUESTION, [Context("")])
    assert found.abstained and abstains(found.text)


def test_the_abstaining_reader_declines_always(context) -> None:
    assert all(a.abstained for a in AbstainingReader().read(QUESTION * 2, [context("Ann: Boats.")] * 2))
