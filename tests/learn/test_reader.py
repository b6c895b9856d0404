from __future__ import annotations

import numpy as np

from memorai.answer.context import RankedContext
from memorai.answer.extractive import SpanModel
from memorai.answer.question import understand
from memorai.answer.sentences import SENTENCE_FEATURES, TURN_FEATURES
from memorai.answer.spans import SPAN_FEATURES
from memorai.learn.reader import Example, chosen_f1, collect, fit_spans, fit_turns, sentence_and_span
from memorai.systems.oracle import OracleSystem
from memorai.types import Conversation, Dataset, Question, Session, Turn

RNG = np.random.default_rng(0)
WIDTH = len(SENTENCE_FEATURES) + len(SPAN_FEATURES)


def example(place: int) -> Example:
    """Four turns, of which the one with the largest second feature is evidence; the shortest stretch is right."""
    turns = RNG.normal(size=(4, len(TURN_FEATURES)))
    gold = turns[:, 1] == turns[:, 1].max()
    spans = RNG.normal(size=(12, WIDTH))
    owner = np.repeat(np.arange(4), 3)
    f1 = np.zeros(12)
    own = np.flatnonzero(gold[owner])
    f1[own[np.argmin(spans[own, -1])]] = 1.0
    return Example("toy", understand("What?", []), turns, gold, spans, owner, f1)


EXAMPLES = [example(place) for place in range(80)]


def test_the_features_that_decide_are_found() -> None:
    turns, spans = fit_turns(EXAMPLES[:60]), fit_spans(EXAMPLES[:60])
    assert np.abs(turns).argmax() == 1 and turns[1] > 0
    assert np.abs(spans).argmax() == WIDTH - 1 and spans[-1] < 0
    hits = [one.gold[np.argmax(one.turns @ turns)] for one in EXAMPLES[60:]]
    assert np.mean(hits) > 0.7  # by chance 1 in 4
    assert np.mean([chosen_f1(one, 10 * turns, spans) for one in EXAMPLES[60:]]) > 0.4  # by chance 1 in 12
    sentence, span = sentence_and_span(spans)
    assert len(sentence) == len(SENTENCE_FEATURES) and len(span) == len(SPAN_FEATURES)


def test_the_same_seed_gives_the_same_weights() -> None:
    np.testing.assert_array_equal(fit_spans(EXAMPLES[:20], seed=1), fit_spans(EXAMPLES[:20], seed=1))
    np.testing.assert_array_equal(fit_turns(EXAMPLES[:20]), fit_turns(EXAMPLES[:20]))


def test_the_choice_looks_at_the_best_turns_only() -> None:
    one = EXAMPLES[0]
    turns = np.zeros(len(TURN_FEATURES))
    turns[1] = -1.0  # the evidence comes last
    spans = np.zeros(WIDTH)
    spans[-1] = -100.0
    assert chosen_f1(one, turns, spans, best=1) == 0.0
    assert chosen_f1(one, -turns, spans, best=1) == 1.0


def _dataset(*questions: Question, language: str = "en") -> Dataset:
    turns = (Turn("t1", "s", "Ann", "I own seven bikes."), Turn("t2", "s", "Bob", "I paint."))
    return Dataset("d", "1", "", (Conversation("c", (Session("s", turns),), questions, language),))


def test_examples_by_hand() -> None:
    class Revealed(OracleSystem):
        def index(self, conversation):
            self.reveal([good])
            return super().index(conversation)

    good = Question("c:q0", "How many bikes does Ann own?", ("t1",), ("s",), answer="seven")
    unanswerable = Question("c:q1", "How many cats?", ("t1",), ("s",), answer="none", answerable=False)
    when = Question("c:q2", "When does Ann paint?", ("t1",), ("s",), answer="at night")
    found = collect(_dataset(good, unanswerable, when), Revealed(), RankedContext())
    assert len(found) == 2
    assert found[0].gold.tolist() == [True, False] and found[0].turns.shape == (2, len(TURN_FEATURES))
    assert found[0].f1.max() == 1.0 and found[0].owner[found[0].f1.argmax()] == 0
    assert len(found[1].owner) == 0  # a date is calculated, no stretch
    assert collect(_dataset(good, language="zh"), Revealed(), RankedContext()) == []


def test_the_weights_that_ship_have_every_feature() -> None:
    model = SpanModel.read()
    assert len(model.turn) == len(TURN_FEATURES)
    assert np.abs(model.span).max() > 0 and np.isfinite(model.span).all()
