"""What the steps that ask a language model share: how turns are shown, what counts as a failure, who hears of it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from memorai.errors import InputError
from memorai.models.llm import LLM, Reply, Schema
from memorai.models.prompts import load_prompt
from memorai.types import Turn

T = TypeVar("T")


class Unusable(Exception):
    """A well-formed reply that says nothing the step can use: the message says what is wrong with it."""


class Step:
    """One step of the write path: fills a prompt per stretch of turns, asks, reads, and counts what went wrong.

    A reply in error or one that the reader finds unusable costs its own stretch alone: the step gets None for it and
    falls back. One warning a call says how many, why, and what was done instead.

    Args:
        llm: the model.
        stage: under which its calls are counted.
        prompt: a bundled prompt's name or the path of an ``.md`` file.
        schema: of the JSON object wanted, or None for plain text.
        instead: what the step does without an answer, for the warning.

    Raises:
        InputError: no model is configured, or no such prompt.
    """

    def __init__(self, llm: LLM | None, stage: str, prompt: str, schema: Schema | None, instead: str) -> None:
        if llm is None:
            raise InputError(f"the {stage} step needs a language model; choose one, such as llm=gpt_oss_20b")
        self.llm, self.stage, self.schema, self.instead = llm, stage, schema, instead
        self.template = load_prompt(prompt)
        #: kind of failure -> how often, since the step was built
        self.failures: Counter[str] = Counter()
        self.calls = 0
        #: the first reply of the last call as the model wrote it, to show where nothing came of it
        self.first_reply = ""

    def ask(
        self,
        values: Sequence[Mapping[str, str]],
        read: Callable[[int, Reply], T],
        logprobs: int = 0,
    ) -> list[T | None]:
        """Ask once for each mapping of placeholders.

        Args:
            values: of the prompt's placeholders.
            read: (place in ``values``, reply without error) -> what the step wants; raises `Unusable`.
            logprobs: as for `LLM.complete`.

        Returns:
            what was read, None where nothing could be.
        """
        prompts = [self.template.fill(**each) for each in values]
        replies = self.llm.complete(prompts, self.schema, stage=self.stage, logprobs=logprobs)
        found: list[T | None] = []
        failed: list[tuple[str, str]] = []
        useless = 0
        for place, reply in enumerate(replies):
            try:
                found.append(read(place, reply) if not reply.error else None)
                if reply.error:
                    failed.append((reply.error, reply.detail))
            except Unusable as error:
                found.append(None)
                failed.append(("unusable", str(error)))
                useless += 1
        if useless:
            self.llm.accounting.add_failed(self.stage, useless)
        self.first_reply = next((f"{reply.text or reply.error}" for reply in replies), "")
        self.calls += len(replies)
        self._tell(failed, len(replies))
        return found

    def _tell(self, failed: Sequence[tuple[str, str]], calls: int) -> None:
        if not failed:
            return
        kinds = Counter(kind for kind, _ in failed)
        self.failures.update(kinds)
        counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        warnings.warn(
            f"{self.stage}: {len(failed)} of {calls} calls gave nothing usable ({counted}; first: {failed[0][1]}); "
            f"{self.instead}",
            stacklevel=4,
        )


def windows(turns: Sequence[Turn], size: int) -> Iterator[tuple[Turn, ...]]:
    """Cut turns into as few runs of at most ``size`` as possible, of nearly equal length."""
    count = -(-len(turns) // size)
    bounds = [round(i * len(turns) / count) for i in range(count + 1)] if count else []
    for start, end in pairwise(bounds):
        yield tuple(turns[start:end])


def shown(turns: Sequence[Turn]) -> dict[str, str]:
    """Return the values of ``{date}`` and ``{messages}``: one line a turn, numbered from 1."""
    lines = [f"[{number}] {line(turn)}" for number, turn in enumerate(turns, 1)]
    time = next((turn.time for turn in turns if turn.time is not None), None)
    return {"date": f"{time:%Y-%m-%d %H:%M}" if time else "unknown date", "messages": "\n".join(lines)}


def line(turn: Turn) -> str:
    """Return a turn on one line, so that no text of a turn can look like the next one's number."""
    caption = f" (shows a picture: {turn.caption})" if turn.caption else ""
    return " ".join(f"{turn.speaker}: {turn.text}{caption}".split())


def check_window(part: str, max_turns: int) -> int:
    """Return ``max_turns``.

    Raises:
        InputError: it is below 2.
    """
    if max_turns < 2:
        raise InputError(f"{part}: max_turns={max_turns} must be at least 2")
    return max_turns
