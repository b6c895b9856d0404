"""Small files of the published formats, written for these tests, with every defect of the real ones."""

import copy
import json
import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

LOCOMO_LIKE = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ida",
            "speaker_b": "Tom",
            # session_10 before session_2: as strings they would stay so
            "session_10_date_time": "12:05 am on 29 February, 2024",
            "session_10": [
                {"speaker": "Ida", "dia_id": "D10:1", "text": "The boat is sold."},
                {"speaker": "Tom", "dia_id": "D10:5", "text": "For how much?"},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ida", "dia_id": "D1:1", "text": "I bought a boat."},
                {"speaker": "Tom", "dia_id": "D1:2", "text": "Look at mine.", "blip_caption": "a red canoe"},
                {"speaker": "Ida", "dia_id": "D1:3", "text": "", "blip_captions": "a dog on a pier"},
            ],
            "session_2_date_time": "12:00 pm on 1 June, 2023",
            "session_2": [{"speaker": "Tom", "dia_id": "D2:1", "text": "My aunt visits in July."}],
            "session_11_date_time": "9:00 am on 1 March, 2024",
            "session_12_date_time": "9:00 am on 2 March, 2024",
            "session_12": [],
        },
        "qa": [
            {"question": "What did Ida buy?", "answer": "a boat", "evidence": ["D1:1"], "category": 4},
            {"question": "Who owns boats?", "answer": "both", "evidence": ["D1:1; D1:2"], "category": 1},
            {"question": "When does she visit?", "answer": 2023, "evidence": ["D:2:1"], "category": 2},
            {"question": "Would Tom swim?", "answer": "likely", "evidence": [], "category": 3},
            {
                "question": "What car did Ida buy?",
                "adversarial_answer": "a van",
                "evidence": ["D10:05"],
                "category": 5,
            },
            {"question": "Three of them?", "answer": "x", "evidence": ["D1:1 D1:2 D2:1"], "category": 3},
            {"question": "Lone letter?", "answer": "x", "evidence": ["D1:1", "D", "D1:2"], "category": 4},
            {"question": "Dangling?", "answer": "x", "evidence": ["D1:1", "D1:99"], "category": 1},
            {"question": "What did Ida buy?", "answer": "a boat", "evidence": ["D1:1", "D1:1"], "category": 4},
            {"question": "With an answer?", "answer": "no", "evidence": ["D1:3"], "category": 5},
        ],
    },
    {
        "sample_id": "conv-2",
        "conversation": {
            "session_1_date_time": "11:59 pm on 31 December, 2022",
            "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}],
        },
        "qa": [{"question": "What did Ida buy?", "answer": "a boat", "evidence": ["D1:1"], "category": 4}],
    },
]


def _turn(role, content, has_answer=None):
    turn = {"role": role, "content": content}
    return turn if has_answer is None else {**turn, "has_answer": has_answer}


LONGMEMEVAL_LIKE = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many plants do I own?",
        "answer": 3,
        "question_date": "2023/05/30 (Tue) 12:00",
        "haystack_dates": [
            "2023/05/30 (Tue) 23:40",
            "2023/05/21 (Sun) 02:10",
            "2023/05/20 (Sat) 02:21",
            "2023/05/22 (Mon) 08:00",
            "2023/05/22 (Mon) 07:00",
        ],
        "haystack_session_ids": ["answer_ab_1", "noise_7", "answer_ab_2", "noise_7", "noise_8"],
        "haystack_sessions": [
            [_turn("user", "I got two ferns.", True), _turn("assistant", "Nice."), _turn("user", "Yes.", False)],
            [_turn("user", ""), _turn("user", "Recipes?"), _turn("assistant", "Soup.")],
            [_turn("user", "Hi."), _turn("assistant", "You own a cactus.", True)],
            [_turn("user", ""), _turn("user", "Recipes?"), _turn("assistant", "Soup.")],
            [_turn("assistant", "Welcome back.")],
        ],
        "answer_session_ids": ["answer_ab_1", "answer_ab_2"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "What is my parrot called?",
        "answer": "You did not mention a parrot.",
        "question_date": "2023/06/01 (Thu) 09:00",
        "haystack_dates": ["2023/05/01 (Mon) 10:00"],
        "haystack_session_ids": ["answer_cd"],
        "haystack_sessions": [[_turn("user", "My budgie is Bob.", True), _turn("assistant", "Cute.", False)]],
        "answer_session_ids": ["answer_cd"],
    },
    {
        "question_id": "q3",
        "question_type": "single-session-assistant",
        "question": "Which soup was it?",
        "answer": "leek",
        "question_date": "2023/06/01 (Thu) 09:00",
        "haystack_dates": ["2023/05/01 (Mon) 10:00"],
        "haystack_session_ids": ["answer_ef"],
        "haystack_sessions": [[_turn("user", "Soup?", False), _turn("assistant", "Leek.", True)]],
        "answer_session_ids": ["answer_ef", "answer_gone"],
    },
]


@pytest.fixture
def locomo_records():
    """A copy that the test may change."""
    return copy.deepcopy(LOCOMO_LIKE)


@pytest.fixture
def longmemeval_records():
    """A copy that the test may change."""
    return copy.deepcopy(LONGMEMEVAL_LIKE)


@pytest.fixture(scope="session")
def locomo_like():
    return LOCOMO_LIKE


@pytest.fixture(scope="session")
def longmemeval_like():
    return LONGMEMEVAL_LIKE


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
SCALARS |= st.sampled_from(["2024-05-01T10:00Z", "0001-01-01T00:00+23:00", "9:00 am on 1 May, 2023", "D1:1", "user"])
JUNK = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner))


@pytest.fixture(scope="session")
def damage():
    """damage(draw, value): a copy of a JSON value with junk, or nothing, in the place of one to three of its parts."""

    def _damage_one(draw, value):
        keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
        if not keys or draw(st.integers(0, 7)) == 0:
            return draw(JUNK)
        key = draw(st.sampled_from(keys))
        changed = copy.copy(value)
        if draw(st.integers(0, 9)) == 0:
            del changed[key]
        else:
            changed[key] = _damage_one(draw, value[key])
        return changed

    def _damage(draw, value):
        for _ in range(draw(st.integers(1, 3))):
            value = _damage_one(draw, value)
        return value

    return _damage


@pytest.fixture
def write(tmp_path):
    """Write a value as JSON, or text as it is, and return the path."""

    def _write(value, name="data.json"):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    return _write


@pytest.fixture
def benchmark_file():
    """Path of a benchmark file under MEMORAI_DATA; the test is skipped by name where it is not at hand."""

    def _find(*names):
        root = Path(os.environ.get("MEMORAI_DATA") or "data")
        for name in names:
            if (root / name).is_file():
                return root / name
        return pytest.skip(f"{names[0]} is not under MEMORAI_DATA")

    return _find
