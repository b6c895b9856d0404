import datetime as dt
import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.datasets import locomo
from memorai.datasets.locomo import CATEGORIES, TABLE_ORDER, load_locomo, parse_evidence
from memorai.errors import InputError

KNOWN = dict.fromkeys(["D1:1", "D2:7", "D8:6", "D9:1", "D9:17", "D4:4", "D4:6", "D11:26", "D30:5"])


@pytest.fixture
def dataset(write, locomo_records):
    return load_locomo(write(locomo_records))


def questions(dataset):
    return {q.id: q for conversation in dataset.conversations for q in conversation.questions}


# golden: five projects are known to have mapped these numbers wrongly
@pytest.mark.parametrize(
    ("number", "name"),
    [(1, "multi_hop"), (2, "temporal"), (3, "open_domain"), (4, "single_hop"), (5, "adversarial")],
)
def test_category_names(number, name, dataset):
    assert CATEGORIES[number] == name
    assert dataset.category_ids[name] == str(number)
    assert dataset.categories == TABLE_ORDER == ("single_hop", "multi_hop", "temporal", "open_domain", "adversarial")


@pytest.mark.parametrize(
    ("raw", "ids", "faults"),
    [
        (["D1:1", "D2:7"], ("D1:1", "D2:7"), []),
        (["D8:6; D9:17"], ("D8:6", "D9:17"), ["malformed_evidence"]),
        (["D9:1 D4:4 D4:6"], ("D9:1", "D4:4", "D4:6"), ["malformed_evidence"]),
        (["D:11:26"], ("D11:26",), ["malformed_evidence"]),
        (["D1:1", "D", "D2:7"], ("D1:1", "D2:7"), ["malformed_evidence"]),
        (["D30:05"], ("D30:5",), ["leading_zero_evidence"]),
        (["D1:1", "D10:19"], ("D1:1",), ["dangling_evidence"]),
        (["D1:1", "D1:1"], ("D1:1",), ["duplicate_evidence"]),
        ([], (), ["empty_evidence"]),
        (None, (), ["empty_evidence"]),
        (["D"], (), ["malformed_evidence", "empty_evidence"]),
        ("D1:1", ("D1:1",), []),
        ([None, 7, {}], (), ["malformed_evidence"] * 3 + ["empty_evidence"]),
    ],
)
def test_evidence_is_repaired(raw, ids, faults):
    evidence = parse_evidence(raw, KNOWN)
    assert evidence.ids == ids
    assert [kind for kind, _ in evidence.faults] == faults


def test_every_defect_is_noted_once(dataset):
    assert Counter((note.kind, note.record) for note in dataset.notes) == Counter(
        {
            ("date_without_session", "conv-1:session_11"): 1,
            ("date_without_session", "conv-1:session_12"): 1,
            ("malformed_evidence", "conv-1:q1"): 1,
            ("malformed_evidence", "conv-1:q2"): 1,
            ("integer_answer", "conv-1:q2"): 1,
            ("empty_evidence", "conv-1:q3"): 1,
            ("leading_zero_evidence", "conv-1:q4"): 1,
            ("no_answer", "conv-1:q4"): 1,
            ("malformed_evidence", "conv-1:q5"): 1,
            ("malformed_evidence", "conv-1:q6"): 1,
            ("dangling_evidence", "conv-1:q7"): 1,
            ("duplicate_evidence", "conv-1:q8"): 1,
            ("duplicate_question", "conv-1:q8"): 1,
        }
    )


def test_questions(dataset):
    by_id = questions(dataset)
    assert list(by_id) == [f"conv-1:q{i}" for i in range(10)] + ["conv-2:q0"]
    assert by_id["conv-1:q0"].text == by_id["conv-1:q8"].text
    assert by_id["conv-1:q1"].evidence == ("D1:1", "D1:2")
    assert by_id["conv-1:q2"].answer == "2023"
    assert by_id["conv-1:q5"].evidence_sessions == ("session_1", "session_2")
    adversarial = by_id["conv-1:q4"]
    assert (adversarial.answer, adversarial.answerable, adversarial.evidence) == (None, False, ("D10:5",))
    assert by_id["conv-1:q9"].answer == "no"
    assert [q.answerable for q in by_id.values()].count(False) == 2


def test_sessions_are_sorted_as_numbers_and_date_their_turns(dataset):
    conversation = dataset.conversations[0]
    assert [session.id for session in conversation.sessions] == ["session_1", "session_2", "session_10"]
    assert conversation.sessions[2].time == dt.datetime(2024, 2, 29, 0, 5)
    assert all(turn.time == session.time for session in conversation.sessions for turn in session.turns)


def test_captions_survive_in_either_spelling(dataset):
    captions = {turn.id: turn.caption for turn in dataset.conversations[0].turns}
    assert captions == {"D1:1": None, "D1:2": "a red canoe", "D1:3": "a dog on a pier", "D2:1": None,
                        "D10:1": None, "D10:5": None}  # fmt: skip


def test_counts(dataset):
    head = ("conversations", "sessions", "turns", "captions", "questions", "scored")
    assert [dataset.counts[key] for key in head] == [2, 4, 7, 2, 11, 10]
    assert [dataset.counts[f"questions/{name}"] for name in TABLE_ORDER] == [4, 2, 1, 2, 2]
    assert dataset.counts["scored/open_domain"] == 1
    assert (dataset.name, dataset.version) == ("locomo", "unknown")


def test_lmeb_leaves_out_malformed_and_empty_evidence_and_keeps_ids(write, locomo_records):
    dataset = load_locomo(write(locomo_records), protocol="lmeb")
    assert list(questions(dataset)) == [f"conv-1:q{i}" for i in (0, 4, 7, 8, 9)] + ["conv-2:q0"]
    assert dataset.name == "locomo_lmeb"
    assert dataset.counts["questions"] == dataset.counts["scored"] == 6


def test_bad_turns_and_questions_lose_no_others(write, locomo_records):
    turns = locomo_records[0]["conversation"]["session_1"]
    turns.insert(1, "not a turn")
    turns.append({"speaker": "Tom", "dia_id": "D1:1", "text": "The same id again."})
    turns.append({"speaker": "Tom", "dia_id": "D1:4", "text": "  "})
    locomo_records[0]["qa"].insert(0, {"question": " ", "category": 4})
    del locomo_records[1]["conversation"]["session_1_date_time"]
    dataset = load_locomo(write(locomo_records))
    assert dataset.counts["turns"] == 7
    assert list(questions(dataset))[:2] == ["conv-1:q1", "conv-1:q2"]
    assert dataset.conversations[1].turns[0].time is None
    kinds = Counter(note.kind for note in dataset.notes)
    assert [kinds[k] for k in ("malformed_turn", "duplicate_turn", "malformed_question", "session_without_date")] == [
        2, 1, 1, 1,
    ]  # fmt: skip


def test_sessions_are_read_under_their_own_keys(write, locomo_records):
    conversation = locomo_records[1]["conversation"]

    def said(turn_id):
        return [{"speaker": "Ann", "dia_id": turn_id, "text": turn_id}]

    conversation["session_99999999"] = said("D9:1")
    conversation["session_01"] = said("D01:1")
    conversation["session_01_date_time"] = "1:00 pm on 1 January, 2023"
    dataset = load_locomo(write(locomo_records))
    sessions = dataset.conversations[1].sessions
    assert [(session.id, session.turns[0].id) for session in sessions] == [
        ("session_01", "D01:1"), ("session_1", "D1:1"), ("session_99999999", "D9:1"),
    ]  # fmt: skip
    assert [session.time and session.time.year for session in sessions] == [2023, 2022, None]


@pytest.mark.parametrize(
    "key",
    [
        "Session_3",
        "session_-1",
        "session_٣",
        "session 3",
        "session_3_date",
        "session_" + "9" * 5000,
        "chat_3",
        "\ud83d",
    ],
)
def test_a_key_that_is_not_understood_is_noted(write, locomo_records, key):
    locomo_records[1]["conversation"][key] = [{"speaker": "Ann", "dia_id": "D3:1", "text": "Lost?"}]
    notes = load_locomo(write(locomo_records)).notes
    (note,) = [note for note in notes if note.kind == "unknown_key"]
    assert note.record == "conv-2" and note.detail.startswith(repr(key)) and note.detail.encode()


def test_missing_questions_are_noted(write, locomo_records):
    locomo_records[1]["QA"] = locomo_records[1].pop("qa")
    dataset = load_locomo(write(locomo_records))
    assert [(note.kind, note.record) for note in dataset.notes if note.kind == "no_questions"] == [
        ("no_questions", "conv-2")
    ]
    locomo_records[1]["qa"] = []
    notes = load_locomo(write(locomo_records)).notes
    assert "no_questions" not in {note.kind for note in notes}


def test_a_session_that_stands_twice_is_refused(write, locomo_records):
    text = json.dumps(locomo_records).replace('"session_2":', '"session_1":', 1)
    with pytest.raises(InputError, match="key 'session_1' stands twice in one object"):
        load_locomo(write(text))


HALF = "a\ud83d"


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (lambda record: record.update(sample_id=HALF), r"\[0\]: 'sample_id'"),
        (lambda record: record["qa"][0].update(question=HALF), "conv-1:q0: 'question'"),
        (lambda record: record["qa"][0].update(answer=HALF), "conv-1:q0: 'answer'"),
        (lambda record: record["conversation"]["session_2"][0].update(dia_id=HALF), r"session_2\[0\]: 'dia_id'"),
        (lambda record: record["conversation"]["session_2"][0].update(speaker=HALF), r"session_2\[0\]: 'speaker'"),
        (lambda record: record["conversation"]["session_2"][0].update(text=HALF), r"session_2\[0\]: 'text'"),
        (lambda record: record["conversation"]["session_2"][0].update(blip_caption=[HALF]), "'blip_caption'"),
    ],
)
def test_half_a_surrogate_pair_is_refused(write, locomo_records, spoil, place):
    spoil(locomo_records[0])
    with pytest.raises(InputError, match=f"{place} holds half of a surrogate pair") as caught:
        load_locomo(write(locomo_records))
    assert str(caught.value).encode()


@pytest.mark.parametrize("category", [0, 6, "x", True, None, [1], 1.5])
def test_unknown_category(write, locomo_records, category):
    locomo_records[0]["qa"][0]["category"] = category
    with pytest.raises(InputError, match=r"conv-1:q0: category .* is unknown"):
        load_locomo(write(locomo_records))


def test_a_category_may_be_text(write, locomo_records):
    locomo_records[0]["qa"][0]["category"] = "4"
    assert load_locomo(write(locomo_records)).conversations[0].questions[0].category == "single_hop"


def test_unparsable_date_names_the_session(write, locomo_records):
    locomo_records[0]["conversation"]["session_2_date_time"] = "some day in June"
    with pytest.raises(InputError, match="conv-1 session_2: 'some day in June' is no date"):
        load_locomo(write(locomo_records))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "a list of conversations"),
        ([], "a list of conversations"),
        ([1], r"\[0\]: no 'conversation'"),
        ([{"conversation": {}}], r"\[0\]: no 'sample_id'"),
        ([{"conversation": {}, "sample_id": "c"}], "has no turns"),
        ([{"conversation": {"session_1": 5}, "sample_id": "c"}], "session_1: a list"),
        ([{"conversation": {}, "sample_id": "c", "qa": 1}], "'qa' must be a list"),
        ("{", "not JSON"),
    ],
)
def test_files_of_another_shape(write, value, message):
    with pytest.raises(InputError, match=message) as caught:
        load_locomo(write(value))
    assert "\n" not in str(caught.value)


def test_unknown_protocol(write, locomo_records):
    for protocol in ("half", None, ["full"]):
        with pytest.raises(InputError, match="choose one of full, lmeb"):
            load_locomo(write(locomo_records), protocol=protocol)


def test_wrong_counts_from_the_official_file_are_a_bug(write, locomo_records, monkeypatch):
    path = write(locomo_records)
    monkeypatch.setattr(locomo, "OFFICIAL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(RuntimeError, match="'turns': 7"):
        load_locomo(path)


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_damaged_file_is_only_ever_an_input_error(tmp_path_factory, damage, locomo_like, data):
    path = tmp_path_factory.getbasetemp() / "damaged_locomo.json"
    path.write_text(json.dumps(damage(data.draw, locomo_like)), encoding="utf-8")
    try:
        load_locomo(path)
    except InputError as error:
        assert "\n" not in str(error)


@pytest.mark.data
@pytest.mark.parametrize(("protocol", "scored"), [("full", 1982), ("lmeb", 1976)])
def test_official_file(benchmark_file, protocol, scored):
    dataset = load_locomo(benchmark_file("locomo/locomo10.json"), protocol=protocol)
    assert dataset.version == "snap-research/LoCoMo@3eb6f2c"
    for key, value in locomo.OFFICIAL_COUNTS[protocol].items():
        assert dataset.counts[key] == value
    assert dataset.counts["scored"] == scored
    assert Counter(note.kind for note in dataset.notes) == {
        "no_answer": 444, "date_without_session": 16, "duplicate_question": 12, "integer_answer": 6,
        "malformed_evidence": 6, "empty_evidence": 4, "dangling_evidence": 2, "leading_zero_evidence": 1,
        "duplicate_evidence": 1,
    }  # fmt: skip
    malformed = [note.record for note in dataset.notes if note.kind == "malformed_evidence"]
    assert malformed == ["conv-26:q37", "conv-42:q88", "conv-43:q18", "conv-49:q31", "conv-49:q38", "conv-49:q46"]
    for conversation in dataset.conversations:
        times = [session.time for session in conversation.sessions]
        assert times == sorted(times)
        assert max(times).year < 2025  # dates are the file's, never now
