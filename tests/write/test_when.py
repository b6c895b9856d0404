from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("dateparser", reason="needs the extra `dates`")
from memorai.write.when import find_times, stated_start

SUNDAY = datetime(2023, 5, 7, 13, 5)


def found(text, anchor=SUNDAY):
    return [(e.text, f"{e.start:%Y-%m-%d}", f"{e.end:%Y-%m-%d}") for e in find_times(text, anchor)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("yesterday", "2023-05-06", "2023-05-07"),
        ("the day before yesterday", "2023-05-05", "2023-05-06"),
        ("last night", "2023-05-06", "2023-05-07"),
        ("last week", "2023-04-24", "2023-05-01"),
        ("next Tuesday", "2023-05-09", "2023-05-10"),
        ("last Tuesday", "2023-05-02", "2023-05-03"),
        ("last Sunday", "2023-04-30", "2023-05-01"),
        ("on Tuesday", "2023-05-02", "2023-05-03"),
        ("I will call on Tuesday", "2023-05-09", "2023-05-10"),
        ("two years ago", "2021-01-01", "2022-01-01"),
        ("a couple of months ago", "2023-03-01", "2023-04-01"),
        ("two weekends ago", "2023-04-22", "2023-04-24"),
        ("in two weeks", "2023-05-15", "2023-05-22"),
        ("three days from now", "2023-05-10", "2023-05-11"),
        ("in May", "2023-05-01", "2023-06-01"),
        ("in June", "2022-06-01", "2022-07-01"),
        ("in April 2021", "2021-04-01", "2021-05-01"),  # the year belongs to the month, whatever stands before it
        ("since May, 2020", "2020-05-01", "2020-06-01"),
        ("in early June of 2019", "2019-06-01", "2019-07-01"),
        ("by March 3", "2023-03-03", "2023-03-04"),
        ("I'm going to move in June", "2023-06-01", "2023-07-01"),
        ("last May", "2022-05-01", "2022-06-01"),
        ("this weekend", "2023-05-06", "2023-05-08"),
        ("last weekend", "2023-04-29", "2023-05-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("last winter", "2022-12-01", "2023-03-01"),
        ("next winter", "2023-12-01", "2024-03-01"),
        ("summer of 2021", "2021-06-01", "2021-09-01"),
        ("May 7th, 2022", "2022-05-07", "2022-05-08"),
        ("the 9th of December", "2022-12-09", "2022-12-10"),
        ("Sept 3, 2022", "2022-09-03", "2022-09-04"),
        ("3/14/2023", "2023-03-14", "2023-03-15"),
        ("2023-05-07", "2023-05-07", "2023-05-08"),
        ("in 2016", "2016-01-01", "2017-01-01"),
        ("昨天", "2023-05-06", "2023-05-07"),
        ("大后天", "2023-05-10", "2023-05-11"),
        ("去年", "2022-01-01", "2023-01-01"),
        ("去年夏天", "2022-06-01", "2022-09-01"),
        ("前年十月二十三日", "2021-10-23", "2021-10-24"),
        ("上周二", "2023-04-25", "2023-04-26"),
        ("下周三", "2023-05-10", "2023-05-11"),
        ("上上周", "2023-04-17", "2023-04-24"),
        ("这周末", "2023-05-06", "2023-05-08"),
        ("三天前", "2023-05-04", "2023-05-05"),
        ("十二天后", "2023-05-19", "2023-05-20"),
        ("两个月前", "2023-03-01", "2023-04-01"),
        ("下个月", "2023-06-01", "2023-07-01"),
        ("2023年5月7号", "2023-05-07", "2023-05-08"),
        ("2022年", "2022-01-01", "2023-01-01"),
        ("五月", "2023-05-01", "2023-06-01"),
        ("我打算周五去", "2023-05-12", "2023-05-13"),
    ],
)
def test_said_on_sunday_7_may_2023(text, start, end):
    assert [(a, b) for _, a, b in found(text)] == [(start, end)]


def test_next_and_last_weekday_said_on_other_days():
    monday, wednesday = datetime(2023, 5, 8), datetime(2023, 5, 10)
    assert found("next Tuesday", monday)[0][1] == "2023-05-16"
    assert found("this Friday", wednesday)[0][1] == "2023-05-12"
    assert found("last Tuesday", wednesday)[0][1] == "2023-05-09"


@pytest.mark.parametrize(
    "text",
    [
        "a few days ago",
        "every Tuesday",
        "每周二",
        "30 February 2023",
        "二月三十日",
        "3/4/2023",
        "May I come?",
        "9999 years ago",
        "for two years",
        "he is 2 years old",
        "soon",
        "1234-56-78",
        "",
    ],
)
def test_the_unresolvable_stays_unresolved(text):
    assert found(text) == []


def test_without_an_anchor_only_a_date_with_its_year_is_resolved():
    assert found("yesterday, in May, 上周二, 三天前, last week, next Tuesday, May 7", None) == []
    assert found("7 May 2023, 2023年5月, in 2021", None) == [
        ("7 May 2023", "2023-05-07", "2023-05-08"),
        ("2023年5月", "2023-05-01", "2023-06-01"),
        ("in 2021", "2021-01-01", "2022-01-01"),
    ]


def test_the_anchor_s_zone_stays_and_days_begin_at_midnight():
    (said,) = find_times("yesterday", SUNDAY.replace(tzinfo=UTC))
    assert (said.start, said.end) == (datetime(2023, 5, 6, tzinfo=UTC), datetime(2023, 5, 7, tzinfo=UTC))


def test_places_and_order():
    said = find_times("Tomorrow 我昨天 and last week", SUNDAY)
    assert [(e.text, e.place) for e in said] == [("Tomorrow", 0), ("昨天", 10), ("last week", 17)]


def test_the_start_of_a_statement_is_its_only_date():
    assert stated_start("I moved last week.", SUNDAY) == datetime(2023, 4, 24)
    assert stated_start("I moved last week, not yesterday.", SUNDAY) is None
    assert stated_start("I live here until next month.", SUNDAY) is None
    assert stated_start("I moved.", SUNDAY) is None


PIECES = [
    *("yesterday", "last week", "next", "Tuesday", "two", "years", "ago", "in", "May", "7", "2023", "last", "summer"),
    *(
        "昨天",
        "去年",
        "上周二",
        "三天前",
        "下个月",
        "每",
        "十",
        "月",
        "日",
        "2023年",
        "will",
        "until",
        "this",
        "weekend",
    ),
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8), st.none() | st.datetimes())
def test_any_text_gives_intervals_in_order(pieces, anchor):
    text = " ".join(pieces)
    said = find_times(text, anchor)
    assert all(e.start < e.end and text[e.place :].startswith(e.text) for e in said)
    assert [e.place for e in said] == sorted(e.place for e in said)


def test_the_clock_plays_no_part():
    time_machine = pytest.importorskip("time_machine")
    texts = [*PIECES, "two years ago", "in May", "7 May", "in 3 weeks", "today", "on Friday", "9:30", "2 weekends ago"]
    before = [found(text) for text in texts]
    with time_machine.travel(datetime(2031, 3, 4, 5, 6), tick=False):
        # days that no other test has asked for, so that no cached answer helps
        fresh = [e for text in texts for day in range(1, 28) for e in find_times(text, datetime(2019, 2, day))]
        assert [found(text) for text in texts] == before
        assert fresh and all(2016 <= e.start.year <= 2023 for e in fresh)
        assert [find_times(text, None) for text in ("yesterday", "today", "May", "in May")] == [[]] * 4
