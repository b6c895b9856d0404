from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memorai.datasets.locomo_audit import ceiling, faulty_questions
from memorai.errors import InputError
from memorai.types import Conversation, Dataset, Question

QUESTIONS = (Question("c:q0", "Where?"), Question("c:q2", "When?"))
DATASET = Dataset("toy", "1", "0" * 64, (Conversation("b", ()), Conversation("c", (), QUESTIONS)))


def written(tmp_path: Path, *rows: tuple[str, str, str]) -> Path:
    path = tmp_path / "audit.json"
    names = ("question_id", "question", "error_type")
    path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]), encoding="utf-8")
    return path


def test_wrong_citations_are_spared_and_questions_found_by_id(tmp_path):
    rows = (("locomo_1_qa0", "Where?", "WRONG_CITATION"), ("locomo_1_qa2", "When? ", "TEMPORAL_ERROR"))
    assert faulty_questions(written(tmp_path, *rows), DATASET) == {"c:q2"}
    assert faulty_questions(written(tmp_path, *rows), DATASET, spared=()) == {"c:q0", "c:q2"}


@pytest.mark.parametrize(
    "row",
    [
        ("locomo_1_qa1", "When?", "AMBIGUOUS"),
        ("locomo_2_qa0", "Where?", "AMBIGUOUS"),
        ("locomo_1_qa0", "Who?", "AMBIGUOUS"),
        ("locomo_qa", "Where?", "AMBIGUOUS"),
    ],
)
def test_a_record_that_names_no_such_question_is_an_error(tmp_path, row):
    with pytest.raises(InputError, match=row[0]):
        faulty_questions(written(tmp_path, row), DATASET)


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", '[{"question_id": "locomo_1_qa0"}]'])
def test_unreadable_files_are_an_error(tmp_path, text):
    path = tmp_path / "audit.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"audit\.json"):
        faulty_questions(path, DATASET)


def test_ceiling_counts_only_what_is_asked():
    assert ceiling({"a", "elsewhere"}, ["a", "b", "c", "d"]) == 0.75
    with pytest.raises(InputError):
        ceiling({"a"}, [])


@pytest.mark.data
@pytest.mark.skipif("MEMORAI_DATA" not in os.environ, reason="needs the benchmark file")
def test_of_locomo_99_gold_answers_of_1540_are_faulty():
    from memorai.datasets.locomo import load_locomo

    folder = Path(os.environ["MEMORAI_DATA"]) / "locomo"
    dataset = load_locomo(folder / "locomo10.json")
    asked = [q.id for c in dataset.conversations for q in c.questions if q.category != "adversarial"]
    faulty = faulty_questions(folder / "audit_errors.json", dataset)
    assert (len(asked), len(faulty), len(faulty & set(asked))) == (1540, 99, 99)
    assert ceiling(faulty, asked) == pytest.approx(1441 / 1540)
