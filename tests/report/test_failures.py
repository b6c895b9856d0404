from __future__ import annotations

from memorai.report.failures import write_failures
from tests.report.comparing import DATASET, GOOD, POOR


def test_what_was_asked_found_and_missed_by_category(tmp_path):
    text = write_failures(tmp_path, DATASET, [GOOD, POOR], ["poor"], k=1).read_text(encoding="utf-8")
    assert "### easy: 2 of 2 questions" in text and "### hard: 1 of 2 questions" in text
    assert "**a:q0** Does Ann like tea? *(yes)*" in text
    assert "- evidence `a0` Ann: I like \\*tea\\*.: missed, at 2" in text
    assert "- 1. `a2` Ann: Hi." in text
    assert "- found whole by: good" in text
    assert "a:q1" not in text


def test_ids_alone_where_nothing_may_be_copied(tmp_path):
    text = write_failures(tmp_path, DATASET, [GOOD, POOR], ["poor"], k=1, quote=False).read_text(encoding="utf-8")
    assert "**a:q0**\n- evidence `a0`: missed, at 2\n" in text
    assert "tea" not in text and "Rome" not in text


def test_no_more_than_asked_for(tmp_path):
    path = write_failures(tmp_path, DATASET, [GOOD, POOR], ["poor"], k=1, per_category=1)
    assert path.read_text(encoding="utf-8").count("**") == 4
