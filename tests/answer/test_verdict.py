from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.answer.verdict import read_label, read_yes_no
from memorai.write.llm_step import Unusable


@pytest.mark.parametrize(
    ("text", "label", "correct"),
    [
        ('{"label": "CORRECT"}', "CORRECT", True),
        ('{"label": "WRONG"}', "WRONG", False),
        ('{"label": "correct"}', "correct", True),
        ('{"label": " Wrong "}', " Wrong ", False),
        ("```json\n{'label': 'CORRECT'}\n```", "CORRECT", True),
        ('Both name May. It is CORRECT. {"label": "CORRECT"}', "CORRECT", True),
        ('It is not CORRECT. {"label": "WRONG"}', "WRONG", False),
        ('INCORRECT: {"label": "WRONG"}', "WRONG", False),
        ('<think>CORRECT or WRONG?</think>{"label": "WRONG"}', "WRONG", False),
        ('{"label": "CORRECT"}\nThe wrong month would be another matter.', "CORRECT", True),
    ],
)
def test_a_label_is_read(text: str, label: str, correct: bool) -> None:
    assert read_label(text, label) is correct


@pytest.mark.parametrize(
    ("text", "label"),
    [
        *((f'{{"label": "{word}"}}', word) for word in ("INCORRECT", "not correct", "NOT CORRECT", "", "yes", "TRUE")),
        *((f'{{"label": "{word}"}}', word) for word in ("CORRECT or WRONG", "CORRECT|WRONG", "partly correct")),
        ('{"label": true}', True),
        ('{"label": 1}', 1),
        ('{"label": null}', None),
        ('{"label": ["CORRECT"]}', ["CORRECT"]),
        ('{"label": "CORRECT"} or {"label": "WRONG"}', "CORRECT"),
        ('{"label": "WRONG"}, {"label": "CORRECT"}', "CORRECT"),
        ('{"label": "CORRECT", "label": "WRONG"}', "WRONG"),
        ('{"label": "CORRECT"} would be too generous: WRONG', "CORRECT"),
        ('It is not CORRECT. {"label": "CORRECT"}', "CORRECT"),
        ('INCORRECT {"label": "CORRECT"}', "CORRECT"),
        ('CORRECT {"label": "WRONG"}', "WRONG"),
    ],
)
def test_a_label_that_can_be_taken_either_way_is_none(text: str, label: object) -> None:
    with pytest.raises(Unusable):
        read_label(text, label)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "yes",
            "Yes",
            "YES.",
            "yes!",
            " yes\n",
            '"yes"',
            "**Yes**",
            "`yes`",
            "[[yes]]",
            "Answer: yes",
            "Verdict: **Yes**",
        ),
        *("Yes, the response is correct.", "Yes. It names the right city.", "yes - same city", "Yes: both say May"),
        *("Yes\n\nThe response says 7 May.", "<think>no, yes, no</think>yes", '{"answer": "yes"}', "```json\nyes\n```"),
        *("Both say May.\n\nyes", "Both say May.\nAnswer: yes.", "Yes, it rightly says that the chats do not tell."),
    ],
)
def test_a_yes_is_read(text: str) -> None:
    assert read_yes_no(text) is True


@pytest.mark.parametrize(
    "text",
    [
        *("no", "No.", "NO", "**no**", "Answer: No", "no\n", "Final answer: no", '{"answer": "no"}'),
        *("No, the response is not correct.", "No. It names Paris, and the right answer is Rome.", "No\nIt is wrong."),
        *("No, there is no date in it.", "It says June.\n\nno", "<think>yes</think>No"),
    ],
)
def test_a_no_is_read(text: str) -> None:
    assert read_yes_no(text) is False


@pytest.mark.parametrize(
    "text",
    [
        *(
            "yes and no",
            "Yes and no.",
            "yes, and no",
            "yes, no",
            "no, yes",
            "yes/no",
            "yes or no",
            "Yes. No.",
            "no\nyes",
        ),
        *("not yes", "maybe", "yesterday", "know", "nope", "yeah", "correct", "The response is correct.", "y", "1"),
        *(
            "Yes, it is incorrect.",
            "Yes, the response is not correct.",
            "Yes, it isn't quite right.",
            "Yes, it is wrong",
        ),
        *("No, the response is correct.", "No problem, it is right.", "No doubt: yes", "no. well, yes"),
        *(
            "It is not yes",
            "I would say yes",
            "Both say May.\nYes, because May.",
            "Reply with one word, yes or no.",
            "Yes the answer",
        ),
    ],
)
def test_a_reply_that_can_be_taken_either_way_is_none(text: str) -> None:
    with pytest.raises(Unusable) as caught:
        read_yes_no(text)
    assert caught.value.kind == "unusable"


@pytest.mark.parametrize("text", ["", " ", "...", "<think>yes", "<think>yes</think>"])
def test_a_reply_without_words_is_empty(text: str) -> None:
    with pytest.raises(Unusable) as caught:
        read_yes_no(text)
    assert caught.value.kind == "empty"


@given(st.lists(st.sampled_from(["yes", "no", "and", "or", "not", ",", ".", "\n", "the", "response", " "]), max_size=8))
def test_what_holds_both_words_is_no_verdict(words: list[str]) -> None:
    text = " ".join(words)
    if "yes" in words:
        try:
            verdict = read_yes_no(text)
        except Unusable:
            return
        assert verdict is True and "no" not in words
    else:
        try:
            assert read_yes_no(text) is False and "no" in words
        except Unusable:
            return


@given(st.text(max_size=60), st.sampled_from(["CORRECT", "WRONG", "x"]))
def test_any_reply_is_a_verdict_or_unusable(text: str, label: str) -> None:
    for read in (lambda: read_yes_no(text), lambda: read_label(text, label)):
        try:
            assert read() in (True, False)
        except Unusable as error:
            assert "\n" not in str(error)
