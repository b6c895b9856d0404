from __future__ import annotations

from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.harness.run import run_systems
from memorai.models.llm import ACCOUNTING, Reply, StageUse
from memorai.systems.oracle import OracleSystem
from memorai.types import Conversation, Dataset, Question, Ranking
from tests.toys import CONVERSATION

DATASET = Dataset("toy", "1", "0" * 64, (CONVERSATION,))
AGAIN = tuple(replace(question, id=f"again:{question.id}") for question in CONVERSATION.questions)


class Fixed:
    """Returns the turns in order; `wrong` answers another question than the one asked."""

    def __init__(self, wrong: bool = False) -> None:
        self.wrong, self.seen = wrong, []

    def labels(self):
        return {"embedder": "none"}

    def index(self, conversation):
        assert conversation.questions == ()
        self.turns = [turn.id for turn in conversation.turns]
        return self

    def search(self, queries, k):
        self.seen += list(queries)
        return [Ranking("other" if self.wrong else q.id, tuple(self.turns[:k]), (1.0,) * k) for q in queries]

    def statistics(self):
        return {"nodes": 3}

    def seconds(self):
        return {"embed_documents": 0.5, "retrieve": 0.01}


def test_asks_only_questions_with_evidence_and_shows_no_gold():
    system = Fixed()
    outcome = run_systems(DATASET, {"fixed": system}, 2, progress=False)[0]
    assert list(outcome.rankings) == ["toy:q0", "toy:q1"]
    assert not any(hasattr(query, "evidence") or hasattr(query, "answer") for query in system.seen)
    assert outcome.rankings["toy:q0"].ids == ("t1", "t2")


def test_stages_are_per_conversation_or_per_query():
    outcome = run_systems(DATASET, {"fixed": Fixed()}, 2, progress=False)[0]
    assert outcome.stages == {"embed_documents": [500.0], "retrieve": [5.0, 5.0]}
    assert outcome.statistics == {"nodes": 3}
    assert outcome.labels == {"embedder": "none"}


def test_a_system_says_where_its_settings_were_chosen():
    system = Fixed()
    system.chosen_on = ("toy",)
    elsewhere = replace(DATASET, name="other")
    assert run_systems(DATASET, {"fixed": system}, 2, progress=False)[0].chosen_here
    assert not run_systems(elsewhere, {"fixed": system}, 2, progress=False)[0].chosen_here


def test_only_the_oracle_is_told_the_gold():
    outcome = run_systems(DATASET, {"oracle": OracleSystem()}, 2, progress=False)[0]
    assert outcome.rankings["toy:q1"].ids == ("t1", "t3")


def test_an_answer_to_another_question_is_an_error():
    with pytest.raises(ValueError, match="answered other when asked toy:q0"):
        run_systems(DATASET, {"fixed": Fixed(wrong=True)}, 2, progress=False)


def test_bad_input():
    with pytest.raises(InputError, match="k=0"):
        run_systems(DATASET, {"fixed": Fixed()}, 0)
    bare = Dataset("bare", "1", "", (Conversation("c", CONVERSATION.sessions, (Question("c:q0", "Why?"),)),))
    with pytest.raises(InputError, match="no question names an evidence turn"):
        run_systems(bare, {"fixed": Fixed()}, 1)


def test_what_a_system_asks_of_language_models_is_its_own():
    class Asking(Fixed):
        def __init__(self, calls):
            super().__init__()
            self.calls = calls

        def index(self, conversation):
            ACCOUNTING.add("gate", [Reply("a", prompt_tokens=3)] * self.calls, 0.5)
            return super().index(conversation)

    ACCOUNTING.add("gate", [Reply("before the run", prompt_tokens=99)], 9.0)
    two = replace(DATASET, conversations=(CONVERSATION, replace(CONVERSATION, id="again", questions=AGAIN)))
    outcomes = run_systems(two, {"one": Asking(1), "none": Fixed(), "two": Asking(2)}, 2, progress=False)
    assert [outcome.costs.uses() for outcome in outcomes] == [
        [StageUse("gate", calls=2, prompt_tokens=6, seconds=1.0)],
        [],
        [StageUse("gate", calls=4, prompt_tokens=12, seconds=1.0)],
    ]
