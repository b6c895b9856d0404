from __future__ import annotations

from datetime import datetime

import pytest

from memorai.write import validity as module
from memorai.write.validity import validity

ANCHOR = datetime(2025, 3, 10)


def year(number: int, month: int = 1) -> datetime:
    return datetime(number, month, 1)


@pytest.mark.parametrize(
    ("sentence", "past", "begin", "end"),
    [
        ("From 2022 to 2024 I worked at Alibaba.", True, year(2022), year(2025)),
        ("I worked there 2022-2024.", True, year(2022), year(2025)),
        ("Between May 2020 and June 2021 I lived in Rome.", True, year(2020, 5), year(2021, 7)),
        ("From 2022 to now", False, year(2022), None),
        ("2022年到2024年我在阿里巴巴工作。", False, year(2022), year(2025)),
        ("2022年3月至2024年12月", False, year(2022, 3), year(2025)),
        ("2022年至今", False, year(2022), None),
        ("Since 2024 I work at Tencent.", False, year(2024), None),
        ("In 2019 I worked at Ford.", True, year(2019), year(2020)),
        ("In 2019 I moved to Rome.", False, year(2019), None),
        ("I lived there until 2020.", True, None, year(2021)),
        ("I moved last month.", False, year(2025, 2), None),
        ("from 2024 to 2022", False, year(2024), None),
        ("2022年13月到2024年", False, year(2022), year(2025)),
        ("I live in Rome.", False, None, None),
    ],
)
def test_intervals(sentence, past, begin, end):
    assert validity(sentence, ANCHOR, past) == (begin, end)


def test_years_need_no_library(monkeypatch):
    from memorai.errors import InputError

    def missing(*_):
        raise InputError("dateparser is missing")

    monkeypatch.setattr(module, "find_times", missing)
    assert validity("In 2019 I worked at Ford.", None, True) == (year(2019), year(2020))
    assert validity("从2024年起我在腾讯上班。", None) == (year(2024), None)
    assert validity("In 2019 and in 2020", None) == (None, None)
