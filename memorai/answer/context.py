"""From a ranking to what a reader is given: lines with date, speaker and id, under a token budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from memorai.answer.types import Context
from memorai.errors import InputError
from memorai.graph.schema import Relation, Snippet
from memorai.types import Turn


def count_words(text: str) -> int:
    """Words and punctuation marks: a count that needs no model; most tokenizers count somewhat more."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def turn_line(turn: Turn) -> str:
    """Return a turn as one line; a turn without time has no date.

    Example:
        >>> turn_line(Turn("D1:3", "s1", "Ann", "Look!", caption="a dog"))
        '[D1:3] Ann: Look! [shares: a dog]'
    """
    date = f"{turn.time:%Y-%m-%d %H:%M} " if turn.time else ""
    shared = f" [shares: {turn.caption}]" if turn.caption else ""
    return " ".join(f"[{turn.id}] {date}{turn.speaker}: {turn.text}{shared}".split())


class RankedContext:
    """The best turns in time order; then, where asked for, the relations and the summaries that rest on them.

    The paper's context is that with relations and without summaries (arXiv 2605.01386). Turns are taken best first as
    long as they fit, one that does not is passed over; what is left of the budget goes to relations, then summaries.

    Args:
        turns: how many at most.
        tokens: budget of the text; None = no limit.
        relations: add every relation that cites a turn taken.
        summaries: add the summary of every snippet that covers a turn taken.
        count: counts a line's tokens.

    Raises:
        InputError: ``turns`` or ``tokens`` below 1.
    """

    def __init__(
        self,
        turns: int = 10,
        tokens: int | None = None,
        relations: bool = True,
        summaries: bool = False,
        count: Callable[[str], int] = count_words,
    ) -> None:
        if turns < 1 or (tokens is not None and tokens < 1):
            raise InputError(f"a context needs at least 1 turn and 1 token, not {turns} and {tokens}")
        self.turns, self.tokens, self.relations, self.summaries, self.count = turns, tokens, relations, summaries, count

    def build(
        self,
        turns: Sequence[Turn],
        ranked: Sequence[str],
        relations: Sequence[Relation] = (),
        snippets: Sequence[Snippet] = (),
    ) -> Context:
        """Return the context of one question.

        Args:
            turns: of the conversation, in time order.
            ranked: turn ids, best first.
            relations: of the conversation's graph; their ends are keys, which is what is shown of them.
            snippets: of the conversation's graph.

        Raises:
            InputError: the ranking names a turn that the conversation does not have.
        """
        by_id = {turn.id: turn for turn in turns}
        wanted = list(dict.fromkeys(ranked))[: self.turns]
        unknown = [id_ for id_ in wanted if id_ not in by_id]
        if unknown:
            raise InputError(f"the ranking names turns that the conversation does not have: {', '.join(unknown)}")
        taken, used = self._fitting(((id_, turn_line(by_id[id_])) for id_ in wanted), 0)
        held = tuple(turn for turn in turns if turn.id in taken)
        lines = [taken[turn.id] for turn in held]
        ids = {turn.id: turn for turn in held}
        further = [
            *(_relation_line(item, ids) for item in relations if self.relations and ids.keys() & item.turn_ids),
            *(
                _cited(item.summary, item.turn_ids, ids)
                for item in snippets
                if self.summaries and item.summary and ids.keys() & item.turn_ids
            ),
        ]
        added, used = self._fitting(((line, line) for line in dict.fromkeys(further)), used)
        order = tuple(id_ for id_ in wanted if id_ in taken)
        return Context("\n".join([*lines, *added]), held, order, used, len(wanted) - len(held))

    def _fitting(self, lines: Iterable[tuple[str, str]], used: int) -> tuple[dict[str, str], int]:
        taken = {}
        for key, line in lines:
            cost = self.count(line)
            if self.tokens is None or used + cost <= self.tokens:
                taken[key] = line
                used += cost
        return taken, used


class FullContext:
    """The whole conversation in time order; what a budget has no room for are its oldest turns.

    Args:
        tokens: budget of the text; None = no limit.
        count: counts a line's tokens.

    Raises:
        InputError: ``tokens`` below 1.
    """

    def __init__(self, tokens: int | None = None, count: Callable[[str], int] = count_words) -> None:
        if tokens is not None and tokens < 1:
            raise InputError(f"a context needs at least 1 token, not {tokens}")
        self.turns, self.tokens, self.count = 1, tokens, count

    def build(
        self,
        turns: Sequence[Turn],
        ranked: Sequence[str],
        relations: Sequence[Relation] = (),
        snippets: Sequence[Snippet] = (),
    ) -> Context:
        """Return the context of one question; the ranking tells what is best and leaves nothing out."""
        lines: list[str] = []
        used = 0
        for turn in reversed(turns):
            line = turn_line(turn)
            cost = self.count(line)
            if self.tokens is not None and used + cost > self.tokens:
                break
            lines.append(line)
            used += cost
        held = tuple(turns[len(turns) - len(lines) :])
        ids = {turn.id for turn in held}
        order = tuple(id_ for id_ in ranked if id_ in ids)
        return Context("\n".join(reversed(lines)), held, order, used, len(turns) - len(held))


def _relation_line(relation: Relation, held: dict[str, Turn]) -> str:
    return _cited(f"{relation.source} {relation.text} {relation.target}", relation.turn_ids, held)


def _cited(text: str, turn_ids: Sequence[str], held: dict[str, Turn]) -> str:
    """A statement with the ids that it rests on, and date and speakers of those in the context."""
    sources = [held[id_] for id_ in turn_ids if id_ in held]
    times = [turn.time for turn in sources if turn.time]
    date = f"{min(times):%Y-%m-%d %H:%M} " if times else ""
    speakers = ", ".join(dict.fromkeys(turn.speaker for turn in sources))
    return " ".join(f"[{', '.join(turn_ids)}] {date}{speakers}: {text}".split())
