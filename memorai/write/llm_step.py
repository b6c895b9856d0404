"""What the steps that ask a language model share: how turns are shown, what counts as a failure, who hears of it."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from memorai.errors import InputError
from memorai.models.llm import LLM, Reply, Schema
from memorai.models.prompts import Template, load_prompt
from memorai.types import Turn

T = TypeVar("T")

#: how models begin that will not do it; no summary of what was said and no answer begins so
_REFUSAL = re.compile(
    r"(?:i['’]m|i am) (?:very |so )?(?:sorry|afraid)\b.{0,40}\b(?:can(?:no|['’])t|unable|not able)\b"
    r"|i (?:can(?:no|['’])t|am unable to|am not able to|won['’]t) (?:help|assist|summari[sz]e|answer|fulfil)|as an ai\b"
    r"|(?:很|非常)?抱歉.{0,20}(?:无法|不能)|我(?:无法|不能)(?:帮|协助|总结|提供)",
    re.IGNORECASE | re.DOTALL,
)


class Unusable(Exception):
    """A well-formed reply that says nothing the step can use: the message says what is wrong with it.

    Args:
        message: what is wrong.
        kind: one word, under which it is counted.
    """

    def __init__(self, message: str, kind: str = "unusable") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Failed:
    """Why one call gave nothing: ``kind`` is one word, as in `Reply` or of `Unusable`; ``detail`` one line."""

    kind: str
    detail: str = ""


def refuses(text: str) -> bool:
    """Return whether a reply in plain text says that the model will not do what was asked, in English or Chinese."""
    return bool(_REFUSAL.match(text))


class Step:
    """One step: fills a prompt per item (a stretch of turns, a question), asks, reads, and counts what went wrong.

    A reply in error or one that the reader finds unusable costs its own item alone: the step gets None for it and
    falls back. One warning a call says how many, why, and what was done instead.

    Args:
        llm: the model.
        stage: under which its calls are counted.
        prompt: a bundled prompt's name, the path of an ``.md`` or ``.txt`` file, or a prompt already loaded.
        schema: of the JSON object wanted, or None for plain text.
        instead: what the step does without an answer, for the warning.

    Raises:
        InputError: no model is configured, or no such prompt.
    """

    def __init__(
        self, llm: LLM | None, stage: str, prompt: str | Template, schema: Schema | None, instead: str
    ) -> None:
        if llm is None:
            raise InputError(f"the {stage} step needs a language model; choose one, such as llm=gpt_oss_20b")
        self.llm, self.stage, self.schema, self.instead = llm, stage, schema, instead
        self.template = load_prompt(prompt) if isinstance(prompt, str) else prompt
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
        found, failed = self._ask(values, read, logprobs)
        self._tell(failed, len(found))
        return [None if isinstance(each, Failed) else each for each in found]

    def ask_each(self, values: Sequence[Mapping[str, str]], read: Callable[[int, Reply], T]) -> list[T | Failed]:
        """As `ask`, with the reason in place of None where nothing could be read."""
        found, failed = self._ask(values, read, 0)
        self._tell(failed, len(found))
        return found

    def _ask(
        self, values: Sequence[Mapping[str, str]], read: Callable[[int, Reply], T], logprobs: int
    ) -> tuple[list[T | Failed], list[Failed]]:
        prompts = [self.template.fill(**each) for each in values]
        replies = self.llm.complete(prompts, self.schema, stage=self.stage, logprobs=logprobs)
        found: list[T | Failed] = []
        failed: list[Failed] = []
        useless = 0
        for place, reply in enumerate(replies):
            if reply.error:
                failed.append(Failed(reply.error, reply.detail))
                found.append(failed[-1])
                continue
            try:
                found.append(read(place, reply))
            except Unusable as error:
                failed.append(Failed(error.kind, str(error)))
                found.append(failed[-1])
                useless += 1
        if useless:
            self.llm.accounting.add_failed(self.stage, useless)
        self.first_reply = next((f"{reply.text or reply.error}" for reply in replies), "")
        self.calls += len(replies)
        return found, failed

    def _tell(self, failed: Sequence[Failed], calls: int) -> None:
        if not failed:
            return
        kinds = Counter(each.kind for each in failed)
        self.failures.update(kinds)
        counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        warnings.warn(
            f"{self.stage}: {len(failed)} of {calls} calls gave nothing usable ({counted}; first: {failed[0].detail}); "
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
