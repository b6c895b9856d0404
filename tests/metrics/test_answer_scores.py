from __future__ import annotations

import pytest

from memorai.answer.types import Answer, Verdict
from memorai.metrics.answer_scores import OVERLAP, score_answer
from memorai.types import Question

GOLD = Question("q", "Where?", ("t1", "t2"), answer="Rome", category="single_hop")


def scores(question: Question, answer: Answer, held=(), verdicts=None) -> dict[str, float]:
    found = score_answer(question, answer, held, 12, verdicts or {})
    assert all(k == 0 for _, _, k, _ in found)
    return {f"{unit}/{name}": value for name, unit, _, value in found}


def test_a_right_answer() -> None:
    found = scores(GOLD, Answer("Rome"), ("t1", "t9"), {"j": Verdict(True)})
    assert [found[f"answer/{name}"] for name in OVERLAP if name != "rouge2"] == pytest.approx(
        [1.0] * (len(OVERLAP) - 1)
    )
    assert found["answer/rouge2"] == 0.0  # one word has no pair
    assert found["answer/length"] == 1.0 and found["answer/abstention"] == 1.0 and found["answer/judge_j"] == 1.0
    assert found["context/evidence"] == found["context/evidence_official"] == 0.5
    assert found["context/tokens"] == 12.0


def test_an_empty_answer_has_nothing() -> None:
    found = scores(GOLD, Answer("", error="timeout"), (), {"j": Verdict(False, "no_answer")})
    assert all(found[f"answer/{name}"] == 0.0 for name in (*OVERLAP, "length", "judge_j"))


def test_a_verdict_that_says_nothing_is_no_score() -> None:
    assert "answer/judge_j" not in scores(GOLD, Answer("Rome"), (), {"j": Verdict(None, "unusable")})


def test_a_question_without_an_answer_asks_for_abstention() -> None:
    trap = Question("q", "Where?", ("t1",), category="unanswerable", answer="Never", answerable=False)
    declined = scores(trap, Answer("No information available", abstained=True), ("t1",))
    assert declined["answer/f1_locomo"] == declined["answer/abstention"] == 1.0
    assert not {f"answer/{name}" for name in OVERLAP if name != "f1_locomo"} & set(declined)
    fooled = scores(trap, Answer("Rome"))
    assert fooled["answer/f1_locomo"] == fooled["answer/abstention"] == 0.0


def test_declining_an_answerable_question_is_wrong() -> None:
    assert scores(GOLD, Answer("No information available", abstained=True))["answer/abstention"] == 0.0


def test_without_evidence_or_gold() -> None:
    bare = scores(Question("q", "Where?"), Answer("Rome"))
    assert bare["context/evidence_official"] == 0.0 and "context/evidence" not in bare
    assert not {f"answer/{name}" for name in OVERLAP} & set(bare)


@pytest.mark.parametrize(("category", "value"), [("multi_hop", 1.0), ("single_hop", pytest.approx(2 * 1 / 3))])
def test_the_category_decides_how_commas_count(category: str, value: float) -> None:
    question = Question("q", "What?", answer="Rome", category=category)
    assert scores(question, Answer("Oslo, Rome"))["answer/f1_locomo"] == value
