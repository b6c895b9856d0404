from __future__ import annotations

import pytest

from memorai.write.profile import profile_statements


@pytest.mark.parametrize(
    ("sentence", "subject", "predicate", "object_"),
    [
        ("My name is Ann Lee.", None, "name is", "Ann Lee"),
        ("I'm 34 years old.", None, "aged", "34 years old"),
        ("I moved from Rome to Oslo.", None, "moved to", "Oslo"),
        ("Alibaba's headquarters are in Hangzhou.", "Alibaba", "headquartered in", "Hangzhou"),
        ("The headquarters of Tencent is in Shenzhen.", "Tencent", "headquartered in", "Shenzhen"),
        ("我今年三十四岁。", None, "aged", "三十四岁"),
        ("我上个月从北京搬到了上海。", None, "搬到", "上海"),
        ("我2022年到2024年在阿里巴巴工作。", None, "在工作", "阿里巴巴"),
        ("我去年跳槽到腾讯。", None, "跳槽到", "腾讯"),
    ],
)
def test_statements(sentence, subject, predicate, object_):
    found = [(said.subject, said.predicate, said.object) for said in profile_statements(sentence)]
    assert (subject, predicate, object_) in found


@pytest.mark.parametrize("sentence", ["", "I am tired.", "They moved.", "他从北京来。"])
def test_nothing_is_found_where_nothing_is_said(sentence):
    assert profile_statements(sentence) == []


@pytest.mark.parametrize("text", ["x" * 100_000, "X " * 50_000, "x'" * 50_000, "我" * 100_000, "9" * 100_000])
def test_what_is_no_language_is_read_in_time(text):
    assert profile_statements(text) == []  # quadratic patterns would take minutes
