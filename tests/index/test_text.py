from __future__ import annotations

import locale
from datetime import datetime
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from memorai.errors import InputError
from memorai.index.text import TurnFormat, english_date
from memorai.types import Turn

TIME = datetime(2023, 5, 7, 0, 4, 9)
FULL = Turn("D1:1", "s1", "Ann", "Look!", TIME, "a red kite")
CONFIGS = sorted((Path(__file__).parents[2] / "conf" / "text_format").glob("*.yaml"))


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (FULL, "07 May 2023 Ann: Look! [a red kite]"),
        (Turn("1", "s", "Ann", "Hi", TIME), "07 May 2023 Ann: Hi"),
        (Turn("1", "s", "Ann", "Hi"), "Ann: Hi"),
        (Turn("1", "s", "", "Hi", TIME), "07 May 2023 Hi"),
        (Turn("1", "s", "", "Hi", None, ""), "Hi"),
        (Turn("1", "s", "Ann", "", None, "a kite"), "Ann: [a kite]"),
        (Turn("1", "s", " Ann ", "  two  blanks, {text} [x]\n"), "Ann: two  blanks, {text} [x]"),
        (Turn("1", "s", "", ""), ""),
    ],
)
def test_absent_parts_leave_with_their_punctuation(turn: Turn, expected: str) -> None:
    assert TurnFormat()(turn) == expected


@pytest.mark.parametrize(
    ("template", "full", "bare"),
    [
        ("{text}", "Look!", "Hi"),
        ("[shows: {caption}] {text}", "[shows: a red kite] Look!", "Hi"),
        ("({date}, {speaker}) {text}", "(07 May 2023, Ann) Look!", "Hi"),
        ("{speaker} ({date}):\n{text}", "Ann (07 May 2023):\nLook!", "Hi"),
        ("turn: {{{text}}}", "turn: {Look!}", "turn: {Hi}"),
    ],
)
def test_templates(template: str, full: str, bare: str) -> None:
    assert TurnFormat(template)(FULL) == full
    assert TurnFormat(template)(Turn("1", "s", "", "Hi")) == bare


@pytest.mark.parametrize("moment", [TIME, datetime(1999, 12, 31, 23, 59, 58), datetime(2024, 2, 29, 12, 0)])
def test_dates_agree_with_strftime_in_the_c_locale(moment: datetime) -> None:
    assert locale.setlocale(locale.LC_TIME) in ("C", "C.UTF-8", "en_US.UTF-8")
    every = "%d|%m|%Y|%y|%B|%b|%A|%a|%H|%I|%M|%S|%p|%%"
    assert english_date(moment, every) == moment.strftime(every)


def test_dates_do_not_follow_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    class Foreign(datetime):
        def strftime(self, date_format: str) -> str:
            return "Mai"

    assert english_date(Foreign(2023, 5, 7), "%d %B %Y年") == "07 May 2023年"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"template": "{speaker}: {message}"}, "unknown field 'message'; use {date}"),
        ({"template": "{text:>9}"}, "unknown field 'text'"),
        ({"template": "{text} {"}, "write a brace as"),
        ({"template": "text"}, "no field"),
        ({"date_format": "%d %c"}, "unknown directive '%c'"),
        ({"date_format": "%"}, "unknown directive '%'"),
    ],
)
def test_malformed_formats_are_told_at_once(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TurnFormat(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_each_config(path: Path) -> None:
    expected = {
        "default": "07 May 2023 Ann: Look! [a red kite]",
        "locomo": "12:04 AM on 07 May, 2023 Ann: Look! [a red kite]",
        "speaker_text": "Ann: Look!",
        "text": "Look!",
    }
    assert instantiate(OmegaConf.load(path))(FULL) == expected[path.stem]
