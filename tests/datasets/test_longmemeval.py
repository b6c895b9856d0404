import datetime as dt
import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.datasets import longmemeval
from memorai.datasets.longmemeval import load_longmemeval, mask_session_id
from memorai.errors import InputError

A1, A2 = mask_session_id("answer_ab_1"), mask_session_id("answer_ab_2")
N7, N8 = mask_session_id("noise_7"), mask_session_id("noise_8")


def kinds(dataset):
    return Counter(note.kind for note in dataset.notes)


def test_masking():
    assert mask_session_id("noise_7") == "s" + hashlib.sha256(b"noise_7").hexdigest()[:10]
    assert mask_session_id("answer_noise_7") == mask_session_id("noise_7")
    assert A1 != A2


def test_a_question_is_a_conversation_in_time_order(write, longmemeval_records):
    dataset = load_longmemeval(write(longmemeval_records))
    conversation = dataset.conversations[0]
    assert [c.id for c in dataset.conversations] == ["q1", "q2_abs", "q3"]
    assert [s.id for s in conversation.sessions] == [A2, N7, N8, f"{N7}.2", A1]
    assert conversation.sessions[0].time == dt.datetime(2023, 5, 20, 2, 21)
    # the empty turn is no candidate but has a number
    assert [t.id for t in conversation.sessions[3].turns] == [f"{N7}.2_2", f"{N7}.2_3"]
    assert {(t.speaker, t.role) for t in conversation.turns} == {("user", "user"), ("assistant", "assistant")}
    question = conversation.questions[0]
    assert (question.id, question.answer, question.category) == ("q1:q0", "3", "multi-session")
    assert question.time == dt.datetime(2023, 5, 30, 12)
    assert question.evidence == (f"{A2}_2", f"{A1}_1")
    assert question.evidence_sessions == (A2, A1)


def test_no_id_gives_the_gold_away(write, longmemeval_records):
    dataset = load_longmemeval(write(longmemeval_records))
    ids = [i for c in dataset.conversations for t in c.turns for i in (t.id, t.session_id)]
    assert not any("answer" in i or i == "ab" for i in ids)
    assert not any("answer_" in note.record + note.detail for note in dataset.notes)


def test_the_answer_prefix_changes_nothing(write, longmemeval_records):
    plain = json.loads(json.dumps(longmemeval_records).replace('"answer_ab', '"ab').replace('"answer_cd', '"cd'))
    one, other = load_longmemeval(write(longmemeval_records)), load_longmemeval(write(plain, "plain.json"))
    assert one.conversations == other.conversations


def test_abstention_has_no_gold_unless_asked_for(write, longmemeval_records):
    path = write(longmemeval_records)
    question = load_longmemeval(path).conversations[1].questions[0]
    assert (question.answerable, question.category) == (False, "single-session-user")
    assert question.evidence == question.evidence_sessions == ()
    labelled = load_longmemeval(path, abstention_gold=True).conversations[1].questions[0]
    masked = mask_session_id("answer_cd")
    assert (labelled.answerable, labelled.evidence, labelled.evidence_sessions) == (False, (f"{masked}_1",), (masked,))


def test_user_turns_is_the_official_corpus(write, longmemeval_records):
    dataset = load_longmemeval(write(longmemeval_records), unit="user_turns")
    first, _, third = dataset.conversations
    assert dataset.name == "longmemeval_oracle_user"
    assert {turn.role for c in dataset.conversations for turn in c.turns} == {"user"}
    assert [t.id for t in first.sessions[-1].turns] == [f"{A1}_1", f"{A1}_3"]
    assert N8 not in [s.id for s in first.sessions]
    # the gold of A2 and q3 was said by the assistant: those sessions are not gold either
    assert first.questions[0].evidence == (f"{A1}_1",)
    assert first.questions[0].evidence_sessions == (A1,)
    assert third.questions[0].evidence == third.questions[0].evidence_sessions == ()
    assert {k: dataset.counts[k] for k in ("questions", "abstention", "answerable", "scored", "scored_sessions")} == {
        "questions": 3, "abstention": 1, "answerable": 2, "scored": 1, "scored_sessions": 1,
    }  # fmt: skip


def test_counts_and_notes(write, longmemeval_records):
    dataset = load_longmemeval(write(longmemeval_records))
    assert {k: dataset.counts[k] for k in ("questions", "abstention", "answerable", "scored", "scored_sessions")} == {
        "questions": 3, "abstention": 1, "answerable": 2, "scored": 2, "scored_sessions": 2,
    }  # fmt: skip
    assert kinds(dataset) == {
        "duplicate_session": 1, "empty_turn": 2, "integer_answer": 1, "evidence_after_question": 1,
        "empty_evidence": 1, "dangling_session": 1,
    }  # fmt: skip
    assert dataset.categories == ("single-session-user", "single-session-assistant", "multi-session")
    assert (dataset.name, dataset.version) == ("longmemeval_oracle", "unknown")


def test_gold_is_every_labelled_copy_of_a_session(write, longmemeval_records):
    record = longmemeval_records[0]
    for key, value in (
        ("haystack_session_ids", "answer_ab_1"),
        ("haystack_dates", "2023/05/01 (Mon) 10:00"),
        ("haystack_sessions", record["haystack_sessions"][0]),
    ):
        record[key].append(value)
    question = load_longmemeval(write([record])).conversations[0].questions[0]
    assert question.evidence == (f"{A1}_1", f"{A2}_2", f"{A1}.2_1")
    assert question.evidence_sessions == (A1, A2, f"{A1}.2")


def test_bad_turns_are_left_out_and_numbered(write, longmemeval_records):
    session = longmemeval_records[2]["haystack_sessions"][0]
    session[:0] = ["text", {"role": "tool", "content": "x"}, {"role": "user", "content": None}]
    dataset = load_longmemeval(write(longmemeval_records))
    assert [turn.id[-2:] for turn in dataset.conversations[2].turns] == ["_4", "_5"]
    assert kinds(dataset)["malformed_turn"] == 3


def test_limit_reads_no_further(write, longmemeval_records):
    text = json.dumps(longmemeval_records[:1])[:-1] + ", {broken"
    assert len(load_longmemeval(write(text), limit=1).conversations) == 1
    with pytest.raises(InputError, match="item 1: not JSON"):
        load_longmemeval(write(text))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("question_id", None, "no 'question_id'"),
        ("question", 5, "must be text"),
        ("question", " ", "is blank"),
        ("question_date", "yesterday", "'yesterday' is no date"),
        ("haystack_dates", ["2023/05/01 (Mon) 10:00"], "5 haystack_session_ids, 1 dates, 5 sessions"),
        ("haystack_dates", ["now"] * 5, r"haystack_dates\[0\]: 'now' is no date"),
        ("haystack_sessions", 3, "'haystack_sessions' must be a list"),
        ("haystack_session_ids", [1, 2, 3, 4, 5], "session ids must be text"),
        ("haystack_sessions", [[], [], [], [], []], "has no turns"),
        ("answer", {}, "an answer must be"),
        ("answer", float("nan"), "an answer must be text or a finite number"),
        ("question_type", "weighted", "category 'weighted' is the name of a mean"),
        ("question_id", "a\ud83d", r"\[0\]: 'question_id' holds half"),
        ("question", "a\ud83d", "q1: 'question' holds half"),
        ("question_type", "a\ud83d", "q1: 'question_type' holds half"),
        ("answer", "a\ud83d", "q1: 'answer' holds half"),
        (
            "haystack_sessions",
            [[{"role": "user", "content": "a\ud83d"}]] * 5,
            r"haystack_sessions\[2\]\[0\]: 'content'",
        ),
    ],
)
def test_errors_name_the_record(write, longmemeval_records, key, value, message):
    longmemeval_records[0][key] = value
    with pytest.raises(InputError, match=message) as caught:
        load_longmemeval(write(longmemeval_records))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("label", ["false", "true", 0, 1, "", []])
def test_a_label_is_true_or_false(write, longmemeval_records, label):
    # the assistant's turns, too, must be sound where only the user's are candidates
    longmemeval_records[0]["haystack_sessions"][0][1]["has_answer"] = label
    for unit in longmemeval.UNITS:
        with pytest.raises(InputError, match=r"q1 haystack_sessions\[0\]\[1\]: 'has_answer' is .*; it must be true or"):
            load_longmemeval(write(longmemeval_records), unit=unit)


def test_a_label_may_be_null(write, longmemeval_records):
    longmemeval_records[0]["haystack_sessions"][0][1]["has_answer"] = None
    assert load_longmemeval(write(longmemeval_records)).conversations[0].questions[0].evidence == (f"{A2}_2", f"{A1}_1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variant": "xl"}, "choose one of oracle, s, m"),
        ({"variant": ["s"]}, "choose one of oracle, s, m"),
        ({"unit": "rounds"}, "choose one of all_turns, user_turns"),
        ({"limit": 0}, "limit=0: give a whole number"),
        ({"limit": 1.5}, "limit=1.5: give a whole number"),
        ({"limit": "abc"}, "limit='abc': give a whole number"),
        ({"limit": True}, "limit=True: give a whole number"),
        ({"abstention_gold": "false"}, "abstention_gold='false': give true or false"),
        ({"abstention_gold": None}, "abstention_gold=None: give true or false"),
        ({"path": "no/such/file.json"}, "no such file; run: python scripts/download_data.py longmemeval_oracle"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        load_longmemeval(**arguments)


def test_a_repeated_question_id_is_refused(write, longmemeval_records):
    with pytest.raises(InputError, match="'q1' occurs twice"):
        load_longmemeval(write([longmemeval_records[0]] * 2))


def test_wrong_counts_from_the_official_file_are_a_bug(write, longmemeval_records, monkeypatch):
    path = write(longmemeval_records)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(longmemeval, "OFFICIAL_SHA256", {"oracle": sha256})
    with pytest.raises(RuntimeError, match="loader is broken"):
        load_longmemeval(path)


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_damaged_file_is_only_ever_an_input_error(tmp_path_factory, damage, longmemeval_like, data):
    path = tmp_path_factory.getbasetemp() / "damaged_longmemeval.json"
    path.write_text(json.dumps(damage(data.draw, longmemeval_like)), encoding="utf-8")
    try:
        load_longmemeval(path)
    except InputError as error:
        assert "\n" not in str(error)


@pytest.mark.data
@pytest.mark.parametrize(("unit", "full", "half"), [("all_turns", 470, 235), ("user_turns", 419, 210)])
def test_released_file(benchmark_file, unit, full, half):
    path = benchmark_file("longmemeval/longmemeval_oracle.json", "longmemeval/longmemeval_oracle_dev.json")
    dataset = load_longmemeval(path, unit=unit)
    whole = dataset.sha256 == longmemeval.OFFICIAL_SHA256["oracle"]
    assert dataset.version != "unknown"
    assert dataset.counts["questions"] == (500 if whole else 250)
    assert dataset.counts["answerable"] == (470 if whole else 235)
    assert dataset.counts["scored"] == (full if whole else half)
    assert kinds(dataset)["integer_answer"] == (32 if whole else 16)
    for conversation in dataset.conversations:
        times = [session.time for session in conversation.sessions]
        assert times == sorted(times)
