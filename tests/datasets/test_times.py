import contextlib
import datetime as dt
import locale

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.datasets.times import parse_iso_time, parse_locomo_time, parse_longmemeval_time
from memorai.errors import InputError

MINUTES = st.datetimes(min_value=dt.datetime(1900, 1, 1)).map(lambda t: t.replace(second=0, microsecond=0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", dt.datetime(2023, 5, 8, 13, 56)),
        ("12:05 am on 29 February, 2024", dt.datetime(2024, 2, 29, 0, 5)),
        ("12:00 PM on 1 June, 2023", dt.datetime(2023, 6, 1, 12, 0)),
        ("  9:07  am on 31 December 2022 ", dt.datetime(2022, 12, 31, 9, 7)),
    ],
)
def test_locomo_dates(text, expected):
    assert parse_locomo_time(text, "x") == expected


@pytest.mark.parametrize(
    "text",
    ["", "soon", "13:00 pm on 8 May, 2023", "1:56 pm on 31 February, 2023", "0:10 am on 1 May, 2023",
     "1:56 pm on 8 Mai, 2023", "1:56 pm on 8 May, 0000", None, 5, ["1:56 pm on 8 May, 2023"]],
)  # fmt: skip
def test_unparsable_locomo_date_is_an_error(text):
    with pytest.raises(InputError, match=r"^here: .* is no date"):
        parse_locomo_time(text, "here")


def test_longmemeval_dates():
    assert parse_longmemeval_time("2023/05/30 (Tue) 23:40", "x") == dt.datetime(2023, 5, 30, 23, 40)
    assert parse_longmemeval_time("2023/05/30", "x") == dt.datetime(2023, 5, 30)
    for text in ("2023/13/01 (Tue) 10:00", "2023-05-30 23:40", "now", None, 20230530):
        with pytest.raises(InputError, match="is no date"):
            parse_longmemeval_time(text, "x")


def test_iso_times():
    assert parse_iso_time("2024-05-01", "x") == dt.datetime(2024, 5, 1)
    aware = parse_iso_time("2024-05-01T10:00+02:00", "x")
    assert aware.astimezone(dt.UTC) == dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)
    for text in ("1 May 2024", "", 1714550400, None, "2024-05-01T25:00"):
        with pytest.raises(InputError, match="no ISO 8601"):
            parse_iso_time(text, "x")


@settings(deadline=None)
@given(MINUTES)
def test_locomo_dates_agree_with_strptime(time):
    # the C locale's names, whatever the process runs under
    assert locale.setlocale(locale.LC_TIME) in ("C", "en_US.UTF-8", "C.UTF-8")
    text = time.strftime("%I:%M %p on %d %B, ") + f"{time.year:04d}"
    assert parse_locomo_time(text, "x") == time


@settings(deadline=None)
@given(st.text() | st.integers() | st.none())
def test_garbage_is_only_ever_an_input_error(value):
    for parse in (parse_locomo_time, parse_longmemeval_time, parse_iso_time):
        with contextlib.suppress(InputError):
            assert isinstance(parse(value, "x"), dt.datetime)
