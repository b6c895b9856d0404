import json

import pytest

from memorai.errors import InputError
from memorai.report.dashboard.missed import Missed, read_missed
from tests.report.dashboard.made_runs import predict


def test_a_question_is_missed_if_no_system_found_all_of_it(tmp_path):
    path = predict(tmp_path, {"q0": (1.0, 0.0), "q1": (0.0, 0.5), "q2": (0.0, 0.0), "q3": (0.5, 0.5)})
    assert read_missed(path) == [
        Missed("q1", "easy", 2, 0.5, "bm25"),
        Missed("q2", "easy", 2, 0.0, ""),
        Missed("q3", "easy", 2, 0.5, "memorai"),
    ]


def test_what_ten_turns_cannot_hold_is_not_missed(tmp_path):
    path = tmp_path / "predictions.jsonl"
    line = {"system": "a", "question": "q", "category": "c", "recall@10": 0.9}
    lines = [line | {"gold": list("abcdefghijk")}, line | {"question": "r", "gold": [], "recall@10": None}]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in lines), encoding="utf-8")
    assert read_missed(path) == []


@pytest.mark.parametrize("text", ["{", "[]", '{"system": "a"}', "null", '{"recall@10": 1, "gold": 3, "system": "a"}'])
def test_a_broken_line_is_named(tmp_path, text):
    path = predict(tmp_path, {"q0": (1.0, 0.0)})
    path.write_text(path.read_text(encoding="utf-8") + text + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"predictions\.jsonl:4: not a line"):
        read_missed(path)


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "predictions.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        read_missed(tmp_path / "predictions.jsonl")
