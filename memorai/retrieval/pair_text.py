"""What a cross-encoder reads of a turn: the turn itself, when it was said, and what stood around it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from string import Formatter

from memorai.errors import InputError
from memorai.index.text import english_date
from memorai.types import Turn

FIELDS = ("date", "previous", "turn", "next")


class PairFormat:
    """Writes a turn and its neighbours in its session as the document of a pair.

    A turn reads "speaker: text [caption]". The word limits keep the turn itself inside the model's window: neighbours
    are there to say what "it" and "yes" refer to, and keep the words closest to the turn.

    Args:
        template: fields ``{date} {previous} {turn} {next}`` and any other characters; runs of blanks count as one.
        date_format: strftime directives, with English names in every locale; no date where the source gives no time.
        before: how many earlier turns of the session make ``{previous}``.
        after: how many later turns make ``{next}``.
        context_words: words kept of each neighbour: the last ones of an earlier turn, the first ones of a later.
        turn_words: words kept of the turn, the first ones; None = all, and the model cuts.

    Raises:
        InputError: the template, the date format or a number is malformed.
    """

    def __init__(
        self,
        template: str = "{date} {turn} {previous}",
        date_format: str = "%d %B %Y",
        before: int = 1,
        after: int = 0,
        context_words: int = 60,
        turn_words: int | None = None,
    ) -> None:
        try:
            fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        except (ValueError, TypeError) as error:
            raise InputError(f"pair_format template '{template}': {error}") from error
        known = " ".join(f"{{{name}}}" for name in FIELDS)
        if "turn" not in fields or fields - {*FIELDS}:
            raise InputError(f"pair_format template '{template}': use {{turn}} and no field but {known}")
        for name, value, least in (("before", before, 0), ("after", after, 0), ("context_words", context_words, 1)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"pair_format {name}={value} is not a whole number of at least {least}")
        if turn_words is not None and (not isinstance(turn_words, int) or turn_words < 1):
            raise InputError(f"pair_format turn_words={turn_words} is not a whole number of at least 1")
        english_date(datetime(2000, 1, 1), date_format)
        self.template, self.date_format = template, date_format
        self.before, self.after = before, after
        self.context_words, self.turn_words = context_words, turn_words

    def __call__(self, turns: Sequence[Turn], place: int) -> str:
        """Return the document for ``turns[place]``; ``turns`` are a conversation's, in order."""
        turn = turns[place]
        earlier = [t for t in turns[max(0, place - self.before) : place] if t.session_id == turn.session_id]
        later = [t for t in turns[place + 1 : place + 1 + self.after] if t.session_id == turn.session_id]
        text = self.template.format(
            date=english_date(turn.time, self.date_format) if turn.time else "",
            previous=" ".join(_words(t, slice(-self.context_words, None)) for t in earlier),
            turn=_words(turn, slice(self.turn_words)),
            next=" ".join(_words(t, slice(self.context_words)) for t in later),
        )
        return " ".join(text.split())


def _words(turn: Turn, kept: slice) -> str:
    words = turn.text.split()
    shown = " ".join(words[kept])
    caption = f"[{turn.caption.strip()}]" if turn.caption else ""
    return " ".join(part for part in (f"{turn.speaker.strip()}:", shown, caption) if part)
