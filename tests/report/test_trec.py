import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.report.trec import write_predictions, write_trec_qrels, write_trec_run
from memorai.types import Question, Ranking


def test_run_by_hand(tmp_path):
    path = tmp_path / "run.trec"
    write_trec_run(path, [Ranking("conv-26:q37", ("D1:3", "D2 x%", "é"), (0.5, 0.25, -1.0))], "my tag", depth=2)
    assert path.read_text(encoding="utf-8") == (
        "conv-26:q37 Q0 D1:3 1 0.5 my%20tag\nconv-26:q37 Q0 D2%20x%25 2 0.25 my%20tag\n"
    )


def _parse(path):
    return [line.split(" ") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@given(st.lists(st.sampled_from([1.0, 0.5, 1e-9, 1e-12, 0.0, -2.0, 3e9, 0.1, 0.1 + 1e-12]), min_size=1, max_size=30))
def test_an_evaluator_that_sorts_by_score_sees_our_order(tmp_path_factory, scores):
    ids = tuple(f"d{i:02}" for i in range(len(scores)))
    path = tmp_path_factory.mktemp("trec") / "run"
    write_trec_run(path, [Ranking("q", ids, tuple(sorted(scores, reverse=True)))], "t")
    # trec_eval: single precision, descending; ties by document id, descending
    lines = sorted(_parse(path), key=lambda line: (np.float32(line[4]), line[2]), reverse=True)
    assert [line[2] for line in lines] == list(ids)
    assert [int(line[3]) for line in lines] == list(range(1, len(ids) + 1))


@given(st.text(min_size=1, max_size=8))
def test_any_id_is_one_field(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("trec") / "run"
    surrogate_free = text.encode("utf-8", "ignore").decode("utf-8") or "x"
    write_trec_run(path, [Ranking(surrogate_free, (surrogate_free,), (1.0,))], surrogate_free)
    assert [len(line.split()) for line in path.read_text(encoding="utf-8").splitlines()] == [6]


def test_qrels(tmp_path):
    write_trec_qrels(tmp_path / "qrels", [Question("c:q0", "?", ("D1:1", "D 2")), Question("c:q1", "?")])
    assert (tmp_path / "qrels").read_text(encoding="utf-8") == "c:q0 0 D1:1 1\nc:q0 0 D%202 1\n"


def test_predictions_by_hand(tmp_path):
    questions = [Question("c:q0", "?", ("D1:1",), category="temporal"), Question("c:q1", "?")]
    rankings = {
        "bm25": [
            Ranking(
                "c:q0", ("D1:2", "D1:1", "D1:3"), (1 / 3, 0.2, 0.1), {"seconds": np.float32(0.5), "bad": float("nan")}
            ),
            Ranking("c:q1", (), ()),
        ]
    }
    path = tmp_path / "predictions.jsonl"
    write_predictions(path, rankings, questions, depth=2)
    first, second = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert first == {
        "system": "bm25",
        "question": "c:q0",
        "category": "temporal",
        "ids": ["D1:2", "D1:1"],
        "scores": [0.333333, 0.2],
        "gold": ["D1:1"],
        "ndcg@10": 0.63093,
        "recall@10": 1.0,
        "info": {"seconds": 0.5, "bad": None},
    }
    assert second["ndcg@10"] is None and second["ids"] == []


def test_an_unknown_question_is_an_error(tmp_path):
    with pytest.raises(KeyError):
        write_predictions(tmp_path / "p", {"s": [Ranking("c:q9", (), ())]}, [])
