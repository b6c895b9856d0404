"""The one text that embedders and BM25 see of a turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from string import Formatter

from memorai.errors import InputError
from memorai.types import Turn

FIELDS = ("date", "speaker", "text", "caption")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# strftime's %B and its kin follow the locale of the machine, so that results would, too
_DIRECTIVES: dict[str, Callable[[datetime], str]] = {
    "d": lambda time: f"{time.day:02d}",
    "m": lambda time: f"{time.month:02d}",
    "Y": lambda time: f"{time.year:04d}",
    "y": lambda time: f"{time.year % 100:02d}",
    "B": lambda time: _MONTHS[time.month - 1],
    "b": lambda time: _MONTHS[time.month - 1][:3],
    "A": lambda time: _DAYS[time.weekday()],
    "a": lambda time: _DAYS[time.weekday()][:3],
    "H": lambda time: f"{time.hour:02d}",
    "I": lambda time: f"{(time.hour - 1) % 12 + 1:02d}",
    "M": lambda time: f"{time.minute:02d}",
    "S": lambda time: f"{time.second:02d}",
    "p": lambda time: "AM" if time.hour < 12 else "PM",
    "%": lambda time: "%",
}
# a piece of the template that stands or falls as one: a bracket with what touches it, or a run without blanks
_PIECE = re.compile(r"(\s*)((?:[^\s\[(]*[\[(][^\])]*[\])]\S*)|\S+)")


def english_date(time: datetime, date_format: str) -> str:
    """Format ``time`` as strftime does in an English locale, whatever the locale is.

    Raises:
        InputError: a directive other than %d %m %Y %y %B %b %A %a %H %I %M %S %p %%.
    """

    def expand(match: re.Match[str]) -> str:
        if match[1] not in _DIRECTIVES:
            known = " ".join(f"%{name}" for name in _DIRECTIVES)
            raise InputError(f"date_format '{date_format}': unknown directive '{match[0]}'; use {known}")
        return _DIRECTIVES[match[1]](time)

    return re.sub(r"%(.?)", expand, date_format, flags=re.DOTALL)


class TurnFormat:
    """Writes a turn as one text.

    The template is cut at its blanks, brackets kept whole. A piece whose fields are all empty is left out with its
    punctuation: without a speaker ``{speaker}:`` goes, without a caption ``[{caption}]``.

    Args:
        template: fields ``{date} {speaker} {text} {caption}`` and any other characters.
        date_format: strftime directives, with English names in every locale.

    Raises:
        InputError: the template or the date format is malformed.

    Example:
        >>> TurnFormat()(Turn("D1:1", "s1", "Ann", "Look!", caption="a red kite"))
        'Ann: Look! [a red kite]'
    """

    def __init__(self, template: str = "{date} {speaker}: {text} [{caption}]", date_format: str = "%d %B %Y") -> None:
        fields = _fields(template)
        if not fields:
            raise InputError(f"text_format template '{template}': no field; use {_known_fields()}")
        english_date(datetime(2000, 1, 1), date_format)
        self.template = template
        self.date_format = date_format
        self._pieces = [(blank, piece, _fields(piece)) for blank, piece in _PIECE.findall(template)]

    def __call__(self, turn: Turn) -> str:
        """Return the text of ``turn``; blanks at both ends of a field are dropped, those inside stay."""
        values = {
            "date": english_date(turn.time, self.date_format) if turn.time else "",
            "speaker": turn.speaker.strip(),
            "text": turn.text.strip(),
            "caption": (turn.caption or "").strip(),
        }
        out = ""
        for blank, piece, fields in self._pieces:
            if not fields or any(values[name] for name in fields):
                out += (blank if out else "") + piece.format(**values)
        return out


def _fields(template: str) -> list[str]:
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as error:
        raise InputError(f"text_format template '{template}': {error}; write a brace as {{{{ or }}}}") from error
    for _, name, spec, conversion in parsed:
        if name is not None and (name not in FIELDS or spec or conversion):
            raise InputError(f"text_format template '{template}': unknown field '{name}'; use {_known_fields()}")
    return [name for _, name, _, _ in parsed if name is not None]


def _known_fields() -> str:
    return " ".join(f"{{{name}}}" for name in FIELDS)
