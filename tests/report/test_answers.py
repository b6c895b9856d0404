from __future__ import annotations

import pytest

from memorai.answer.types import Answer, Verdict
from memorai.harness.answers import Answered
from memorai.harness.run import Outcome
from memorai.report.answers import answer_rows, grade, metrics_of
from memorai.types import Conversation, Dataset, Question, Ranking, Session, Turn

TURNS = (Turn("t1", "s", "Ann", "a"), Turn("t2", "s", "Bob", "b"))
QUESTIONS = (
    Question("c:q0", "?", ("t2",), ("s",), "single_hop", "Rome"),
    Question("c:q1", "?", ("t1",), ("s",), "temporal", "7 May 2023"),
    Question("c:q2", "?", ("t1",), ("s",), "adversarial", None, answerable=False),
    Question("c:q3", "?", (), (), "temporal", "2019"),  # no evidence
)
CONVERSATION = Conversation("c", (Session("s", TURNS),), QUESTIONS)
DATASET = Dataset("mine", "1", "", (CONVERSATION,), ("single_hop", "temporal", "adversarial"))
ASKED = {"c": QUESTIONS}
RANKINGS = {
    "c:q0": Ranking("c:q0", ("t1", "t2"), (2.0, 1.0)),
    "c:q1": Ranking("c:q1", ("t1", "t2"), (2.0, 1.0)),
    "c:q2": Ranking("c:q2", ("t2", "t1"), (2.0, 1.0)),
    "c:q3": Ranking("c:q3", ("t2", "t1"), (2.0, 1.0)),
}
ANSWERS = {
    "c:q0": Answer("Rome"),
    "c:q1": Answer("May 2023"),
    "c:q2": Answer("No information available", abstained=True),
    "c:q3": Answer("2020"),
}


def graded(answers=ANSWERS, verdicts=None):
    held = dict.fromkeys(answers, ("t1",))
    one = Answered("sys", "r", answers, held, dict.fromkeys(answers, 9))
    return grade(DATASET, ASKED, Outcome("sys", RANKINGS), one, verdicts or {}, [1, 10], "zero_shot")


def values(rows) -> dict[tuple, tuple[float, int]]:
    return {(r.category, r.unit, r.metric, r.k): (r.value, r.n) for r in rows}


def test_rows_by_hand() -> None:
    rows = answer_rows(graded(), DATASET, n_resamples=0, seed=5)
    assert {(r.system, r.variant, r.protocol, r.seed, r.dataset) for r in rows} == {
        ("sys", "reader=r", "zero_shot", 5, "mine")
    }
    found = values(rows)
    f1 = 2 * 2 / 5  # "May 2023" of "7 May 2023"
    assert found["temporal", "answer", "f1_locomo", None] == (f1 / 2, 2)
    assert found["weighted", "answer", "f1_locomo", None] == ((1 + f1 + 1 + 0) / 4, 4)
    assert found["answerable", "answer", "f1_locomo", None] == (pytest.approx((1 + f1) / 3), 3)
    assert found["weighted", "answer", "exact_match", None] == (
        pytest.approx(1 / 3),
        3,
    )  # none where there is no answer
    assert found["weighted", "answer", "abstention", None] == (1.0, 4)
    assert found["weighted", "turn", "recall", 1] == (pytest.approx(1 / 3), 3)  # q1 alone
    assert found["weighted", "context", "evidence", None] == (pytest.approx(2 / 3), 3)
    assert found["weighted", "context", "evidence_official", None] == (0.5, 4)
    assert found["weighted", "context", "tokens", None] == (9.0, 4)
    assert ("answerable", "turn", "recall", 1) not in found


def test_the_official_mean_rounds_each_score() -> None:
    third = Answer("Rome or Oslo or")  # F1 of 1 word of 4 against 1: 0.4; of "Rome a b" 0.5
    rows = values(answer_rows(graded({**ANSWERS, "c:q0": third}), DATASET, n_resamples=0))
    assert rows["weighted", "answer", "f1_locomo_official", None][0] == pytest.approx((0.4 + 0.8 + 1 + 0) / 4)
    sevenths = values(answer_rows(graded({**ANSWERS, "c:q0": Answer("Rome b c d e f")}), DATASET, n_resamples=0))
    exact, rounded = (sevenths["weighted", "answer", name, None][0] for name in ("f1_locomo", "f1_locomo_official"))
    assert exact == pytest.approx((2 / 7 + 1.8) / 4, abs=1e-6) and rounded == pytest.approx((0.286 + 1.8) / 4)


def test_an_audit_leaves_questions_out() -> None:
    rows = values(answer_rows(graded(), DATASET, faulty={"c:q3", "c:q2"}, n_resamples=0))
    assert rows["audited", "answer", "f1_locomo", None] == (pytest.approx(0.9), 2)
    assert ("audited", "answer", "f1_locomo", None) not in values(answer_rows(graded(), DATASET, n_resamples=0))


def test_a_sweep_stands_behind_the_reader() -> None:
    rows = answer_rows(graded(), DATASET, variant="damping=0.3", n_resamples=0)
    assert {row.variant for row in rows} == {"reader=r,damping=0.3"}


def test_verdicts_that_say_nothing_lie_outside_the_mean() -> None:
    said = {"j": {q.id: Verdict(None, "unusable") for q in QUESTIONS} | {"c:q0": Verdict(True), "c:q1": Verdict(False)}}
    rows = answer_rows(graded(verdicts=said), DATASET, n_resamples=0)
    assert values(rows)["answerable", "answer", "judge_j", None] == (0.5, 2)
    assert metrics_of(rows)[:2] == ["judge_j", "f1_locomo"]


def test_some_questions_only() -> None:
    part = graded().only({"c:q1"})
    assert [q.id for q in part.questions] == ["c:q1"] and part.scored.categories == ("temporal",)
