from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memorai.answer.dates import dated, day

MONDAY = datetime(2023, 5, 8, 13, 56)


@pytest.mark.parametrize(
    ("sentence", "answers"),
    [
        ("I ran a race yesterday", ["7 May 2023"]),
        ("we met last Friday", ["5 May 2023"]),
        ("it was in April 2021", ["April 2021"]),
        ("I quit last month", ["April 2023"]),
        ("we moved two years ago", ["2021"]),
        ("it happened last week", ["the week before 8 May 2023"]),
        ("we go next weekend", ["the weekend after 8 May 2023"]),
        ("we met a few days ago", ["a few days before 8 May 2023"]),
        ("I saw her the other day", ["shortly before 8 May 2023"]),
        ("it opened on 3 March 2020 and closed yesterday", ["3 March 2020", "7 May 2023"]),
        ("I like tea", []),
    ],
)
def test_what_a_sentence_says_of_time(sentence: str, answers: list[str]) -> None:
    assert [item.text for item in dated(sentence, MONDAY)] == answers


def test_without_a_time_of_speaking_only_full_dates_are_known() -> None:
    assert [item.text for item in dated("on 3 March 2020, not yesterday, some weeks ago", None)] == ["3 March 2020"]


def test_a_zone_and_chinese() -> None:
    assert [item.text for item in dated("yesterday", MONDAY.replace(tzinfo=UTC))] == ["7 May 2023"]
    assert [item.text for item in dated("昨天下雨了，去年没有", MONDAY, "zh")] == ["2023年5月7日", "2022年"]
    assert day(MONDAY) == "8 May 2023" and day(MONDAY, "zh") == "2023年5月8日"


def test_where_the_words_stand() -> None:
    (found,) = dated("I left yesterday.", MONDAY)
    assert (found.place, found.said) == (7, "yesterday")
