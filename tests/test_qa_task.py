"""The task ``answers`` from the command line, on a small data set."""

from __future__ import annotations

import json

import pytest

from memorai.answer.types import Answer
from memorai.errors import InputError
from memorai.eval import main
from memorai.qa_task import check_answers

TALK = (
    ("c1", "a1", "Ann", "I adopted a puppy yesterday.", "2024-05-02T10:00:00"),
    ("c1", "a2", "Bob", "How lovely! I moved to Rome.", "2024-05-02T10:01:00"),
    ("c2", "b1", "Cid", "I play the cello.", "2024-06-02T10:00:00"),
)
ASKED = (
    ("c1", "Where did Bob move?", "single_hop", {"evidence": ["a2"], "answer": "Rome"}),
    ("c1", "When did Ann adopt a puppy?", "temporal", {"evidence": ["a1"], "answer": "1 May 2024"}),
    ("c1", "What does Bob drink?", "unanswerable", {"answerable": False}),
    ("c2", "Who plays the cello?", "single_hop", {"evidence": ["b1"], "answer": "Cid"}),
)
LINES = [
    {"conversation": c, "session": "s1", "id": id_, "speaker": speaker, "text": text, "time": time}
    for c, id_, speaker, text, time in TALK
] + [{"conversation": c, "question": text, "category": category, **gold} for c, text, category, gold in ASKED]
QUICK = (
    *("dataset=jsonl", "embedder=hashing", "text_format=default", "bootstrap=0"),
    *("~systems.memorai", "~systems.memorai_plus"),
)


class Raising:
    """A reader that fails on one conversation."""

    def read(self, questions, contexts):
        if any("cello" in question.text for question in questions):
            raise RuntimeError("lost")
        return [Answer("Rome") for _ in questions]


class Letters:
    """A metric: the share of letters that are as many as the gold answer's."""

    def score(self, answers, golds):
        return [min(len(a), len(g)) / max(len(a), len(g)) for a, g in zip(answers, golds, strict=True)]

    def labels(self):
        return {"of": "letters"}


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    return f"dataset.path={path}"


def answers(run) -> dict[tuple[str, str, str], dict]:
    lines = (run.folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return {(r["system"], r["reader"], r["question"]): r for r in records}


def test_a_run_leaves_answers_tables_and_results(command, talk) -> None:
    run = command(main, "+experiment=locomo_qa", talk, *QUICK)
    assert run.code == 0, run.err
    found = answers(run)
    assert len(found) == 2 * 4 * 4  # systems, readers, questions
    right = found["gold_context", "extractive", "c1:q1"]
    assert right["answer"] == "1 May 2024" and right["turns"] == ["a1"] and right["context"] == ["a1"]
    assert right["scores"]["f1_locomo"] == right["scores"]["exact_match"] == 1.0
    assert found["bm25", "always_abstain", "c1:q2"]["scores"] == {"abstention": 1.0, "f1_locomo": 1.0, "length": 3.0}
    results = run.results
    rows = {(r["system"], r["variant"], r["category"], r["metric"]): r for r in results["rows"]}
    abstain = rows["bm25", "reader=always_abstain", "weighted", "f1_locomo"]
    assert (abstain["value"], abstain["n"], abstain["k"], abstain["unit"]) == (0.25, 4, None, "answer")
    assert rows["gold_context", "reader=extractive", "answerable", "evidence"]["value"] == 1.0
    assert abstain["protocol"] == "untrained"
    assert rows["bm25", "reader=extractive", "weighted", "f1_locomo"]["protocol"] == "zero_shot"  # fitted, not to this
    assert results["manifest"]["readers"]["extractive"] == {"reader": "ExtractiveReader"}
    assert {t["system"] for t in results["timings"] if t["stage"] == "read"} >= {"bm25 + extractive"}
    table = (run.folder / "table.md").read_text(encoding="utf-8")
    for title in ("### Answers", "### F1 locomo by category", "### Where F1 locomo is lost", "### Against the reader"):
        assert title in table
    assert "Answers" in run.out and (run.folder / "table.tex").is_file() and (run.folder / "table.csv").is_file()


def test_two_runs_are_equal(command, talk) -> None:
    first = command(main, "+experiment=locomo_qa", talk, *QUICK)
    lines, rows = (first.folder / "answers.jsonl").read_bytes(), first.results["rows"]
    again = command(main, "+experiment=locomo_qa", talk, *QUICK)
    assert (again.folder / "answers.jsonl").read_bytes() == lines and again.results["rows"] == rows


def test_a_sample_is_asked_and_said(command, talk) -> None:
    run = command(main, "+experiment=longmemeval_qa", talk, *QUICK, "answers.sample=2")
    assert run.code == 0, run.err
    assert len({question for *_, question in answers(run)}) == 2
    assert any("sample of 2 of 4" in note for note in run.results["manifest"]["notes"])


def test_a_failing_reader_is_written_down_and_costs_its_conversation(command, talk) -> None:
    raising = "+answers.readers.raising={_target_: tests.test_qa_task.Raising}"
    run = command(main, "+experiment=locomo_qa", talk, *QUICK, raising)
    assert run.code == 1 and "RuntimeError: lost" in run.err
    found = answers(run)
    assert found["bm25", "raising", "c1:q0"]["scores"]["exact_match"] == 1.0
    assert found["bm25", "raising", "c2:q0"]["error"] == "raised"
    manifest = run.results["manifest"]
    assert [f["system"] for f in manifest["failures"]] == ["bm25 + raising", "gold_context + raising"]
    assert any("1 answers are missing" in note for note in manifest["notes"])


def test_a_further_metric_is_a_score_like_the_others(command, talk) -> None:
    letters = ("+answers.metrics.letters={_target_: tests.test_qa_task.Letters}", "answers.headline=letters")
    run = command(main, "+experiment=locomo_qa", talk, *QUICK, *letters)
    assert run.code == 0, run.err
    assert answers(run)["gold_context", "first_turn", "c1:q0"]["scores"]["letters"] == round(
        4 / 28, 6
    )  # "Rome" and the turn
    assert "letters" not in answers(run)["gold_context", "first_turn", "c1:q2"]["scores"]
    assert run.results["manifest"]["metrics"] == {"letters": {"of": "letters"}}
    assert "letters answerable" in (run.folder / "table.md").read_text(encoding="utf-8")


def test_a_multirun_names_what_changed_and_keeps_what_is_done(command, talk) -> None:
    arguments = ("-m", "+experiment=locomo_qa", talk, *QUICK, "answers.context.turns=1,2")
    assert command(main, *arguments).code == 0
    run = command(main, *arguments)
    assert run.code == 0, run.err
    rows = json.loads((run.folder / "0" / "results.json").read_text(encoding="utf-8"))["rows"]
    assert "reader=extractive,turns=1" in {row["variant"] for row in rows}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("answers.sample=0", "answers.sample=0"),
        ("answers.baselines=[nobody]", "answers.baselines: nobody"),
        ("answers.gold=nobody", "answers.gold=nobody"),
        ("answers.headline=f1", "answers.headline=f1"),
        ("answers.audit=missing.json", "missing.json"),
        ("+answers.extra=1", "give exactly"),
        ("answers.context.turns=0", "at least 1 turn"),
        ("spread=processes", "leave spread out"),
        ("answers.judges=5", "answers.judges"),
        ("+answers.metrics.length={_target_: tests.test_qa_task.Letters}", "computed anyway"),
    ],
)
def test_a_wrong_setting_ends_in_one_line(command, talk, option: str, message: str) -> None:
    run = command(main, "+experiment=locomo_qa", talk, *QUICK, option)
    assert run.code == 2 and message in run.err
    assert len(run.err.strip().splitlines()[-1]) < 400


def test_no_reader_is_an_error() -> None:
    keys = {"context": {}, "readers": {}, "judges": {}, "metrics": {}, "sample": None, "audit": None}
    with pytest.raises(InputError, match=r"answers\.readers is empty"):
        check_answers({**keys, "baselines": None, "headline": "f1_set", "gold": None}, [])
    with pytest.raises(InputError, match="give exactly"):
        check_answers(None, [])
