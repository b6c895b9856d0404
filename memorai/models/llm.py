"""Language models behind one protocol: prompts in, one reply each, in order; one that fails loses no other."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from time import perf_counter
from typing import Any, Protocol

#: a JSON schema whose top level is an object
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a chat model is asked: a system message, which may be empty, and one user message."""

    system: str
    user: str

    def messages(self) -> list[dict[str, str]]:
        """Return the messages in the form of the chat completions interface."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.user}]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one prompt.

    Args:
        text: as the model wrote it.
        parsed: the value read from ``text`` where a schema was asked for, in the schema's shape as far as it could be
            mended; None where none was asked for or the reply is in error.
        error: empty, or the kind of failure, one word: ``timeout``, ``connection``, ``rate_limit``, ``server``,
            ``context_overflow``, ``request``, ``refusal``, ``empty`` or ``unparsable``.
        detail: one line about the failure.
        cached: answered by the cache; tokens are those of the call that filled it.
        prompt_tokens: as the server counted them, 0 where it does not say.
        completion_tokens: likewise.
        truncated: the model was stopped by ``max_tokens``.
        logprobs: log probability by token of the first token's alternatives, where they were asked for.
    """

    text: str = ""
    parsed: Any = None
    error: str = ""
    detail: str = ""
    cached: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    truncated: bool = False
    logprobs: Mapping[str, float] = field(default_factory=dict)


class LLM(Protocol):
    """A language model: hosted, served on this machine, or loaded into this process."""

    @property
    def model_id(self) -> str:
        """Identity for caches and tables."""
        ...

    @property
    def accounting(self) -> Accounting:
        """Where its calls are counted."""
        ...

    def complete(
        self, prompts: Sequence[Prompt], schema: Schema | None = None, *, stage: str = "llm", logprobs: int = 0
    ) -> list[Reply]:
        """Answer every prompt.

        Args:
            prompts: asked independently of each other.
            schema: of the JSON object wanted; fills `Reply.parsed`.
            stage: under which calls are counted, e.g. ``gate``.
            logprobs: if > 0, only the first token is wanted, with so many alternatives.

        Returns:
            one reply a prompt, in order; what went wrong with one stands in its ``error``.

        Raises:
            InputError: the model cannot be used at all (package, key or file missing).
        """
        ...


@dataclass(frozen=True, slots=True)
class StageUse:
    """What one stage asked of language models.

    ``calls`` counts replies, ``cached`` how many of them the cache gave; tokens are those of uncached calls;
    ``seconds`` is wall time, lookups in the cache and retries included; ``failed`` counts replies that gave nothing
    usable, out of the cache too: the step fell back for each.
    """

    stage: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    seconds: float = 0.0
    failed: int = 0


class Accounting:
    """Counts use by stage; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._uses: dict[str, StageUse] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process as what was counted, without the lock."""
        return _counted, (self.uses(),)

    def add(self, stage: str, replies: Sequence[Reply], seconds: float) -> None:
        """Count replies; those in error have failed."""
        paid = [reply for reply in replies if not reply.cached]
        use = StageUse(
            stage,
            len(replies),
            sum(reply.prompt_tokens for reply in paid),
            sum(reply.completion_tokens for reply in paid),
            len(replies) - len(paid),
            seconds,
            sum(bool(reply.error) for reply in replies),
        )
        self.merge([use])

    def add_failed(self, stage: str, count: int) -> None:
        """Count replies that were well-formed and yet of no use, such as indices of messages that do not exist."""
        self.merge([StageUse(stage, failed=count)])

    def uses(self) -> list[StageUse]:
        """Return use by stage, in the stages' alphabetical order."""
        with self._lock:
            return [self._uses[stage] for stage in sorted(self._uses)]

    def merge(self, uses: Iterable[StageUse]) -> None:
        """Add use, such as another accounting has counted."""
        with self._lock:
            for use in uses:
                old = self._uses.get(use.stage, StageUse(use.stage))
                counts = {f.name: getattr(old, f.name) + getattr(use, f.name) for f in fields(use) if f.name != "stage"}
                self._uses[use.stage] = replace(old, **counts)

    def take(self) -> list[StageUse]:
        """Return use by stage since the last call, and start anew."""
        with self._lock:
            uses, self._uses = self._uses, {}
        return [uses[stage] for stage in sorted(uses)]

    @contextmanager
    def watch(self, stage: str) -> Iterator[list[Reply]]:
        """Time a block and count the replies that it puts into the list, even if it raises."""
        replies: list[Reply] = []
        start = perf_counter()
        try:
            yield replies
        finally:
            self.add(stage, replies, perf_counter() - start)


def _counted(uses: list[StageUse]) -> Accounting:
    accounting = Accounting()
    accounting.merge(uses)
    return accounting


#: where clients count unless they are given an accounting of their own; a run takes its costs from here
ACCOUNTING = Accounting()
